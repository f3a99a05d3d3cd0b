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

/** The text of a new memory file. */
export function templateOf(file: MemoryFile): string {
  const { comment, sections, title } = MEMORY_FORMS[file];
  return `${title}\n${comment}\n\n${sections.map((name) => `## ${name}\n${CONTENT[name] ?? ""}\n`).join("")}`;
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
