import { lstatSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { isInside, resolveReal } from "../../../kernel/files/contain.ts";
import type { YamlNode } from "../../../kernel/yaml/yaml.ts";
import type { Findings } from "../findings.ts";
import { isNull, offending, stringOf } from "../nodes.ts";

/**
 * The directory that the file references of a manifest are resolved against: two levels above the manifest, by its
 * name alone (docs/spec/craft-engine.md 3.1).
 */
export function referenceRoot(manifest: string): string {
  return dirname(dirname(resolve(manifest)));
}

/**
 * The absolute path of a referenced file: a regular file inside the root, by its name and by its real path, that is no
 * symlink itself. Undefined for everything else, and nothing tells one reason from another.
 */
export function referencedFile(root: string, ref: string): string | undefined {
  const path = resolve(root, ref);
  try {
    if (!isInside(root, path) || !lstatSync(path).isFile()) return undefined;
    return isInside(resolveReal(root), resolveReal(path)) ? path : undefined;
  } catch {
    return undefined;
  }
}

/** Judge a reference, or every one of a list; `null`, "" and "~" mean no file. */
export function checkReference(root: string, label: string, node: YamlNode, findings: Findings): void {
  if (node.kind === "list") {
    for (const item of node.items) checkReference(root, label, item, findings);
    return;
  }
  const ref = stringOf(node);
  if (isNull(node) || ref === "" || ref === "~") return;
  if (ref === undefined || referencedFile(root, ref) === undefined)
    findings.error(`${label} references missing file: ${offending(node)}`, node);
}
