import type { MemoryFile } from "../../common/layout.ts";
import { StateFileError } from "../../common/state-file.ts";
import { MEMORY_FORMS } from "../text/files.ts";
import { healText, missingSections } from "../text/heal.ts";
import { ensureDirectory } from "./directory.ts";
import { changeMemory, readMemory } from "./memory-file.ts";
import type { Tier } from "./tier.ts";

export interface HealedFile {
  /** What was done: `from_flat` took over the content of a root-flat file. */
  did: "nothing" | "created" | "healed" | "from_flat";
  /** Sections that were missing; all of a file made from the template. */
  added: string[];
}

/**
 * Make sure that a memory file is there and has every required section (docs/spec/flow.md 9.3 and 9.4). One that is
 * missing or blank begins as `flat` has it, else as the template. The caller holds the memory lock. Read again when it
 * is written, and then whatever is missing is an error.
 */
export function healFile(tier: Tier, file: MemoryFile, flat: string | undefined): HealedFile {
  const path = tier.path(file);
  const { sections } = MEMORY_FORMS[file];
  let done: HealedFile = { did: "nothing", added: [] };
  ensureDirectory(tier.base, tier.directory);
  const written = changeMemory(tier.base, path, (text) => {
    const begun = beginningOf(tier, file, text, flat);
    const { added, text: healed } = healText(begun.text, sections);
    done = { did: begun.did === "nothing" && added.length > 0 ? "healed" : begun.did, added };
    if (begun.did === "created") done.added = [...sections];
    return healed;
  });
  if (!written) return { did: "nothing", added: [] };
  const missing = missingSections(readMemory(tier.base, path) ?? "", sections);
  if (missing.length > 0) throw new StateFileError(path, `still has no section ${missing.join(", ")}`);
  return done;
}

/** What a file holds, or would hold when it is missing or blank. */
export function beginningOf(
  tier: Tier,
  file: MemoryFile,
  text: string | undefined,
  flat: string | undefined,
): { text: string; did: "nothing" | "created" | "from_flat" } {
  if (text !== undefined && text.trim() !== "") return { text, did: "nothing" };
  if (flat !== undefined && flat.trim() !== "") return { text: flat, did: "from_flat" };
  return { text: tier.template(file), did: "created" };
}
