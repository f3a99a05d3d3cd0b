import { mkdirSync } from "node:fs";
import { isAbsolute, sep } from "node:path";
import { JigError, osReason, UsageError } from "../kernel/call/errors.ts";
import type { Host } from "../kernel/call/host.ts";
import type { Outcome } from "../kernel/call/outcome.ts";
import { belowDocsRoot, findDocsRoot } from "../kernel/config/docs-root.ts";
import { isDirectory } from "../kernel/files/look.ts";
import { valueLines } from "../kernel/text/printable.ts";
import type { DocsRootReport } from "./schema.ts";

export interface DocsRootFlags {
  absolute: boolean;
  create: boolean;
}

/** `config docs-root [SUBDIR]` (docs/spec/config.md 5.2): where artifacts belong. Makes nothing unless asked to. */
export async function docsRoot(
  host: Host,
  subdirectory: string | undefined,
  flags: DocsRootFlags,
): Promise<Outcome<DocsRootReport>> {
  const parts = subdirectory === undefined ? [] : subdirectoryParts(subdirectory);
  const docs = await findDocsRoot(host);
  const absolute = parts.length === 0 ? docs.absolute : belowDocsRoot(docs, parts.join("/"));
  const path = [docs.root, ...parts].join("/");
  if (flags.create) createDirectory(absolute);
  const { root, layer, localIgnored, warnings } = docs;
  return {
    data: {
      root,
      path,
      absolute,
      layer,
      exists: isDirectory(absolute),
      local_ignored: localIgnored,
      warnings,
    },
    text: valueLines(`${flags.absolute ? absolute : path}\n`),
    notes: warnings.map((warning) => `warning: ${warning}`),
  };
}

function subdirectoryParts(subdirectory: string): string[] {
  const parts = subdirectory
    .split(sep === "\\" ? /[/\\]/ : "/")
    .filter((part) => part !== "" && part !== ".");
  const wrong =
    isAbsolute(subdirectory) ||
    parts.length === 0 ||
    parts.includes("..") ||
    // The last one stands for bytes that were no UTF-8: it would name another directory than was meant.
    /[\u0000-\u001f\u007f\ufffd]/.test(subdirectory);
  if (wrong) {
    throw new UsageError(`SUBDIR must be a relative path without '..', such as plans; got '${subdirectory}'`);
  }
  return parts;
}

function createDirectory(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
  } catch (error) {
    throw new JigError(`cannot create ${path}: ${osReason(error)}`, { cause: error });
  }
}
