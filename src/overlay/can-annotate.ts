import type { App } from "./app.ts";

/** Whether notes can be made here: not on the waiting page, nor after the end, nor without a credential. */
export const canAnnotate = (app: App): boolean =>
  app.boot.page !== "/" && app.model.connection !== "ended" && app.model.connection !== "locked";
