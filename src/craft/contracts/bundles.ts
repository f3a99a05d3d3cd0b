import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { Host } from "../../kernel/call/host.ts";
import { assetText } from "../../runtime/assets.ts";
import { absolutePath, readInputFile } from "../common/input.ts";
import { BUNDLES, type Bundle } from "../common/vocabulary.ts";

export type BundleTexts = Readonly<Record<Bundle, string>>;

/**
 * The seven contract bundles: the embedded ones, or those of a directory, where every one has to be readable, also one
 * that is not used (docs/spec/craft-engine.md 11.1). Throws `Refused` for a file that cannot be read.
 */
export function readBundles(host: Host, directory: string | undefined): BundleTexts {
  const read = (bundle: Bundle) =>
    directory === undefined
      ? assetText(`assets/contracts/${bundle}.md`)
      : readInputFile(host, join(absolutePath(host, directory), `${bundle}.md`));
  return Object.fromEntries(BUNDLES.map((bundle) => [bundle, read(bundle)])) as Record<Bundle, string>;
}

/** How a bundle's file stands in a directory. */
export function bundleFileState(path: string): "absent" | "not-regular" | "file" {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return "absent";
  return found.isFile() ? "file" : "not-regular";
}
