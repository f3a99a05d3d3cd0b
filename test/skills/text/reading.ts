import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { ROOT } from "../../support/paths.ts";

/** The embedded source of one file of a skill, and what can be asked of it (docs/spec/skills.md 8.1, text). */
export function source(skill: string, file = "SKILL.md") {
  const path = `skills/jig-${skill}/${file}`;
  const text = readFileSync(`${ROOT}/${path}`, "utf8");
  const blocks = blocksOf(text);
  const plain = text.toLowerCase();
  return {
    text,
    /** Every literal is there, byte for byte. */
    has(...literals: string[]) {
      for (const literal of literals) expect(text.includes(literal), `${path} lacks ${literal}`).toBe(true);
    },
    /** None of these is there. */
    lacks(...literals: string[]) {
      for (const literal of literals) expect(text.includes(literal), `${path} holds ${literal}`).toBe(false);
    },
    /** One paragraph, list item or table row holds all of these stems, without regard to case. */
    says(...stems: string[]) {
      const found = blocks.find((block) => stems.every((stem) => block.includes(stem.toLowerCase())));
      expect(found, `no block of ${path} holds ${stems.join(" | ")}`).toBeDefined();
      return found!;
    },
    /** The first occurrences of these stand in this order. */
    inOrder(...parts: string[]) {
      let at = -1;
      for (const part of parts) {
        const next = plain.indexOf(part.toLowerCase(), at + 1);
        expect(next, `${path}: ${part} does not follow`).toBeGreaterThan(at);
        at = next;
      }
    },
    /** Lines of fenced blocks, in order. */
    fenced(): string[] {
      return [...text.matchAll(/^```\n([\s\S]*?)^```$/gm)].flatMap(([, lines]) => lines!.trim().split("\n"));
    },
  };
}

/** Paragraphs, list items and table rows, in lower case. A list item ends where the next one begins. */
function blocksOf(text: string): string[] {
  const blocks: string[] = [];
  for (const paragraph of text.split(/\n\s*\n/)) {
    for (const block of paragraph.split(/\n(?=\s*(?:[-*] |\d+\. |\||> ))/)) blocks.push(block.toLowerCase());
  }
  return blocks;
}
