import { join } from "node:path";

/** The file below a root of `jig web` that names its server (docs/spec/web.md 3): present while one may run. */
export const serverPidFile = (root: string): string => join(root, "state", "server.pid");
