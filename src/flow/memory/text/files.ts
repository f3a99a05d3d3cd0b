/** What the three memory files hold (docs/spec/flow.md 9.1). */
import type { MemoryFile } from "../../common/layout.ts";

interface FileForm {
  title: string;
  comment: string;
  /** Required, in this order. */
  sections: readonly string[];
}

export const LAST_UPDATED = "Last Updated";

const ANCHORS = "Do not rename headings. Used as Edit anchors.";

export const MEMORY_FORMS: Readonly<Record<MemoryFile, FileForm>> = {
  "activeContext.md": {
    title: "# Active Context",
    comment: `<!-- CRAFTFLOW: ${ANCHORS} -->`,
    sections: [
      "Current Focus",
      "Recent Changes",
      "Next Steps",
      "Decisions",
      "Learnings",
      "References",
      "Blockers",
      "Session Settings",
      LAST_UPDATED,
    ],
  },
  "patterns.md": {
    title: "# Project Patterns",
    comment: `<!-- CRAFTFLOW MEMORY CONTRACT: ${ANCHORS} -->`,
    sections: ["User Standards", "Common Gotchas", "Project SKILL_HINTS", LAST_UPDATED],
  },
  "progress.md": {
    title: "# Progress Tracking",
    comment: `<!-- CRAFTFLOW: ${ANCHORS} -->`,
    sections: ["Current Workflow", "Tasks", "Completed", "Verification", LAST_UPDATED],
  },
};

/** What a section of a new file holds. */
const CONTENT: Readonly<Record<string, string>> = {
  "Session Settings": "# AUTO_PROCEED: false\n",
  References: "- Plan: N/A\n- Design: N/A\n- Research: N/A\n",
};

/** Whether a section's body says nothing: it is blank, or as the template has it. */
export function saysNothing(section: string, body: string): boolean {
  const text = body.trim();
  return text === "" || text === CONTENT[section]?.trim();
}

/** The text of a new memory file. */
export function templateOf(file: MemoryFile): string {
  const { comment, sections, title } = MEMORY_FORMS[file];
  return `${title}\n${comment}\n\n${sections.map((name) => sectionText(name)).join("")}`;
}

export const NORTH_STAR = "North Star";
/** The section it follows. */
export const BEFORE_NORTH_STAR = "Current Focus";

const WORKSPACE_TITLES: Readonly<Record<MemoryFile, string>> = {
  "activeContext.md": "# Workspace Active Context",
  "patterns.md": "# Workspace Patterns",
  "progress.md": "# Workspace Progress Tracking",
};

/** The text of a new file of a workspace; only with a north star has it that section (docs/spec/flow.md 13). */
export function workspaceTemplateOf(file: MemoryFile, northStar?: string): string {
  const sections = MEMORY_FORMS[file].sections.map((name) =>
    name === BEFORE_NORTH_STAR && northStar !== undefined
      ? sectionText(name) + sectionText(NORTH_STAR, `${northStar}\n`)
      : sectionText(name),
  );
  return `${WORKSPACE_TITLES[file]}\n\n${sections.join("")}`;
}

function sectionText(name: string, content = CONTENT[name] ?? ""): string {
  return `## ${name}\n${content}\n`;
}

/**
 * The section a word names, with the file that requires it: the heading itself, or its lower-case form with hyphens.
 * Undefined for anything else, and for `Last Updated`.
 */
export function sectionNamed(word: string): { file: MemoryFile; section: string } | undefined {
  for (const [file, { sections }] of Object.entries(MEMORY_FORMS)) {
    const section = sections.find((name) => name === word || hyphenated(name) === word);
    if (section !== undefined && section !== LAST_UPDATED) return { file: file as MemoryFile, section };
  }
  return undefined;
}

/** Every word `sectionNamed` takes in its short form. */
export function sectionWords(): string[] {
  return Object.values(MEMORY_FORMS).flatMap(({ sections }) =>
    sections.filter((name) => name !== LAST_UPDATED).map(hyphenated),
  );
}

function hyphenated(name: string): string {
  return name.toLowerCase().replaceAll(/[ _]/g, "-");
}
