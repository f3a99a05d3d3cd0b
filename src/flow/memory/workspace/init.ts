import { parse } from "node:path";
import { JigError, UsageError } from "../../../kernel/call/errors.ts";
import type { Host } from "../../../kernel/call/host.ts";
import type { Outcome } from "../../../kernel/call/outcome.ts";
import { absoluteFrom, resolveReal } from "../../../kernel/files/contain.ts";
import { isDirectory } from "../../../kernel/files/look.ts";
import { printable } from "../../../kernel/text/printable.ts";
import { requiredText } from "../../common/arguments.ts";
import { MEMORY_FILES, type MemoryFile } from "../../common/layout.ts";
import { withMemoryLock } from "../../common/lock.ts";
import { noted } from "../../common/notes.ts";
import { findSection } from "../../common/sections.ts";
import { isSamePlace } from "../../common/workspace.ts";
import type { WorkspaceInit } from "../schema.ts";
import { ensureDirectory } from "../store/directory.ts";
import { changeMemory, readMemory } from "../store/memory-file.ts";
import { type Tier, workspaceTier } from "../store/tier.ts";
import { BEFORE_NORTH_STAR, MEMORY_FORMS, NORTH_STAR, workspaceTemplateOf } from "../text/files.ts";
import { healText } from "../text/heal.ts";

export interface InitOptions {
  "workspace-root": string;
  "north-star"?: string | undefined;
  "north-star-file"?: string | undefined;
}

type FileState = WorkspaceInit["files"][number]["state"];

/**
 * `jig flow workspace init` (docs/spec/flow.md 13): the memory that several repositories share. Existing text is never
 * changed, and the configuration, which widens what agents may write, is a person's alone.
 */
export async function workspaceInit(host: Host, options: InitOptions): Promise<Outcome<WorkspaceInit>> {
  const names = ["--north-star", "--north-star-file"] as const;
  const source = { text: options["north-star"], file: options["north-star-file"], names };
  const northStar = (await requiredText(host, source)).trim();
  if (northStar === "") throw new UsageError("the north star is empty");
  const workspace = workspaceRoot(host, options["workspace-root"]);
  const tier = workspaceTier(workspace);
  const states = await provision(host, tier, northStar);
  const kept = starOf(tier) !== northStar;
  const files = MEMORY_FILES.map((file, index) => ({ path: tier.path(file), state: states[index]! }));
  return {
    data: { workspace_root: workspace, files, north_star: kept ? "kept" : "written" },
    text:
      host.invokedAs === undefined
        ? files.map(({ path, state }) => `${state}\t${printable(path)}\n`).join("")
        : `craftflow_workspace_init: provisioned workspace tier at ${printable(workspace)}`,
    notes: kept ? noted(host, [`the ${NORTH_STAR} that is there was kept`]) : [],
  };
}

/** The directory after links. Throws (exit 1) for one that no workspace may be. */
function workspaceRoot(host: Host, given: string): string {
  const path = absoluteFrom(host.cwd, given);
  if (given === "" || !isDirectory(path)) {
    throw new JigError(`cannot resolve ${printable(given)}: not an existing directory`);
  }
  const real = resolveReal(path);
  const refused =
    real === parse(real).root
      ? "the root of the file system"
      : host.home !== undefined && isSamePlace(real, host.home)
        ? "the home directory"
        : undefined;
  if (refused === undefined) return real;
  throw new JigError(`refusing to initialize ${printable(real)}: it is ${refused}`, {
    hint: "a workspace is a directory of its own that holds the repositories",
  });
}

async function provision(host: Host, tier: Tier, northStar: string): Promise<FileState[]> {
  try {
    ensureDirectory(tier.base, tier.directory);
    return await withMemoryLock(host, tier.state, () =>
      MEMORY_FILES.map((file) => provisionFile(tier, file, northStar)),
    );
  } catch (error) {
    if (!(error instanceof JigError)) throw error;
    throw new JigError(`failed to write workspace-tier memory: ${error.message}`, {
      cause: error,
      ...(error.hint === undefined ? {} : { hint: error.hint }),
    });
  }
}

function provisionFile(tier: Tier, file: MemoryFile, northStar: string): FileState {
  const holdsStar = MEMORY_FORMS[file].sections.includes(BEFORE_NORTH_STAR);
  let isNew = false;
  const written = changeMemory(tier.base, tier.path(file), (text) => {
    isNew = text === undefined || text.trim() === "";
    if (isNew) return workspaceTemplateOf(file, holdsStar ? northStar : undefined);
    const healed = healText(text!, requiredIn(file, holdsStar)).text;
    return holdsStar ? withNorthStar(healed, northStar) : healed;
  });
  if (!written) return "unchanged";
  return isNew ? "created" : "healed";
}

function requiredIn(file: MemoryFile, holdsStar: boolean): string[] {
  return MEMORY_FORMS[file].sections.flatMap((name) =>
    holdsStar && name === BEFORE_NORTH_STAR ? [name, NORTH_STAR] : [name],
  );
}

/** Only a section that says nothing receives the text. */
function withNorthStar(text: string, northStar: string): string {
  const found = findSection(text, NORTH_STAR);
  if (found === undefined || text.slice(found.body, found.end).trim() !== "") return text;
  const head = text.slice(0, found.body);
  return `${head}${head.endsWith("\n") ? "" : "\n"}${northStar}\n${text.slice(found.body)}`;
}

function starOf(tier: Tier): string | undefined {
  const text = readMemory(tier.base, tier.path("activeContext.md")) ?? "";
  const found = findSection(text, NORTH_STAR);
  return found === undefined ? undefined : text.slice(found.body, found.end).trim();
}
