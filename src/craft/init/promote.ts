import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { isRegularFile } from "../../kernel/files/look.ts";
import { failure } from "../common/fail.ts";
import { type ConfigScope, configPath, userFileState } from "../manifest/config-name.ts";
import { userDirectoryEscapes } from "./destination.ts";
import { requireConfigName } from "./name.ts";
import type { Promotion } from "./schema.ts";

const NAME = "promote-plan";

/** Decide what promoting (or demoting) a config would move; nothing is moved (docs/spec/craft-engine.md 14). */
export function promotePlan(
  host: Host,
  options: { name: string | undefined; demote: boolean; force: boolean },
): Outcome<Promotion> {
  const name = requireConfigName(NAME, options.name);
  const [from, scope]: [ConfigScope, ConfigScope] = options.demote ? ["user", "local"] : ["local", "user"];
  const local = configPath(host, name, "local")!;
  const user = configPath(host, name, "user");
  if (user === undefined) throw failure(NAME, "HOME is not set; there is no user scope", 1);
  const userState = userFileState(host.home!, user);
  if (userState === "escaping" || userDirectoryEscapes(host.home!)) {
    throw failure(NAME, "user-scope path failed containment", 1);
  }
  const present: Record<ConfigScope, boolean> = {
    local: isRegularFile(local),
    user: userState === "present",
  };
  if (!present[from]) {
    throw failure(NAME, `no ${from}-scope config ${name} to ${options.demote ? "demote" : "promote"}`, 1);
  }
  if (present[scope] && !options.force) {
    throw failure(
      NAME,
      `destination craft-${name}.md exists at ${scope} scope — pass --force to overwrite`,
      1,
    );
  }
  const paths = { local, user };
  const data: Promotion = { source: paths[from], dest: paths[scope], scope };
  return { data, text: `source=${data.source}\ndest=${data.dest}\nscope=${scope}\n` };
}
