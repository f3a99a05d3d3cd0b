import { basename, resolve } from "node:path";
import { JigError, UsageError } from "../kernel/call/errors.ts";
import type { Host } from "../kernel/call/host.ts";
import type { Outcome } from "../kernel/call/outcome.ts";
import { lineDiff } from "../kernel/text/line-diff.ts";
import { printable } from "../kernel/text/printable.ts";
import { readManifest, sourceDigest } from "./installed/manifest.ts";
import { inspect } from "./installed/state.ts";
import { wantedForLooking } from "./installed/wanted.ts";
import type { Shipment } from "./source/shipment.ts";

/**
 * The edits of an installed copy: its lines against the rendering with the choices its manifest records
 * (docs/spec/skills.md 4.2). Exit 1 when there are any.
 */
export function compare(
  host: Host,
  shipped: Shipment,
  options: { name: string; file: string | undefined; directory: string },
): Outcome<null> {
  const directory = resolve(host.cwd, options.directory);
  const reading = readManifest(directory, basename(directory));
  if (reading.kind !== "valid") {
    throw new JigError(`${directory} is no installed skill of jig's: it has no readable manifest`, {
      hint: "name the skill's own directory, as jig skills list --installed prints it",
    });
  }
  const { manifest } = reading;
  if (manifest.skill !== options.name) {
    throw new UsageError(`${directory} holds ${manifest.skill}, not ${options.name}`);
  }
  const wanted = wantedForLooking(manifest, directory, shipped, host);
  if (wanted === undefined) throw new JigError(`this jig no longer ships ${manifest.skill}`);
  const { contents } = inspect(directory, manifest.skill, wanted, shipped.version);
  const files = wanted.files.filter(({ path }) => options.file === undefined || path === options.file);
  const text = files.map(({ path, text: installed }) => edits(path, installed, contents.get(path))).join("");
  const older = manifest.source_digest !== sourceDigest(wanted.skill);
  const note = `note: it was installed by jig ${manifest.jig_version}; compared with the text of ${shipped.version}`;
  return { data: null, text, notes: older ? [note] : [], exitCode: text === "" ? 0 : 1 };
}

/** The lines of one file that are not as they were written; empty when all are. */
function edits(path: string, installed: string, found: Uint8Array | undefined): string {
  if (found === undefined) return `${path}: missing\n`;
  const now = Buffer.from(found).toString("utf8").replaceAll("\r\n", "\n");
  return lineDiff(installed.split("\n"), now.split("\n"))
    .filter(({ kind }) => kind !== "same")
    .map(({ kind, text, line }) => `${path}:${line}: ${kind === "gone" ? "-" : "+"} ${printable(text)}\n`)
    .join("");
}
