import type { Host } from "../../kernel/call/host.ts";
import { printable } from "../../kernel/text/printable.ts";
import type { YamlMap } from "../../kernel/yaml/yaml.ts";
import { failure } from "../common/fail.ts";
import { problemText } from "../common/problem.ts";
import { emptyMap } from "./nodes.ts";
import { readManifest } from "./read.ts";

/**
 * The manifest a caller names, which passes it only when the file is there: an empty one when it has no front matter.
 * Without a path there is none. Throws `NAME: failed to parse manifest: …` (exit 2).
 */
export async function requireManifest(host: Host, name: string, path: string | undefined): Promise<YamlMap> {
  if (path === undefined || path === "") return emptyMap(0);
  const read = await readManifest(host, path, "resolve");
  if (read.kind === "map") return read.map;
  if (read.kind === "none") return emptyMap(0);
  const what =
    read.kind === "absent"
      ? `${printable(path)}: no such file, or not a regular one`
      : problemText(read.problem, host);
  throw failure(name, `failed to parse manifest: ${what}`);
}
