import type { App } from "./app.ts";

/** The session's end, or no credential: nothing can be said here any more. */
export const isOver = ({ model }: Pick<App, "model">): boolean =>
  model.connection === "ended" || model.connection === "locked";

/** Whether notes can be made here: not on the waiting page, nor after the end, nor without a credential. */
export const canAnnotate = (app: App): boolean => app.boot.page !== "/" && !isOver(app);
