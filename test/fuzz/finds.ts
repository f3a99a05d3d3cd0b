/** What went wrong once: kept for ever, run before anything new is looked for. */
import type { Pattern } from "./growth.ts";

/** Texts that ended a parser with something else than a refusal. */
export const CRASHES: readonly (readonly [parser: string, text: string])[] = [
  ["plan Markdown", "See https://example.com/x for details.\n"],
  ["plan Markdown", "- www.example.com and me@example.com\n"],
  ["plan HTML", `${"<span>".repeat(20_000)}<h2>Deep</h2>`],
  [
    "a note as posted",
    `{"comment":"x","selector":"h1","rect":${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}}`,
  ],
];

const pattern = (unit: string, more: Partial<Pattern> = {}): Pattern => ({
  open: "",
  unit,
  middle: "",
  close: "",
  ...more,
});

/** Patterns whose work grew faster than they did. */
export const GROWTH: readonly (readonly [parser: string, Pattern])[] = [
  ["plan Markdown", pattern("> ", { middle: "a" })],
  ["plan Markdown", pattern("_", { middle: "a", close: "_" })],
  ["plan Markdown", pattern("[", { middle: "a", close: "](" })],
  ["plan Markdown", pattern("a**b")],
  ["plan Markdown", pattern("> a\nb\n")],
  ["plan Markdown", pattern("a\n=\n")],
  ["plan Markdown", pattern("### Summary\n\n", { open: "## Product Contract\n\n" })],
  ["plan Markdown", pattern("(session-settled: ")],
  ["plan Markdown", pattern("R1. a.\n")],
  ["plan HTML", pattern("<b><i><a>", { close: "</p>" })],
  ["plan HTML", pattern('<li id="R1">')],
  ["plan HTML", pattern("<b>a</b>", { open: "<p>" })],
  ["packs block", pattern("constructor", { open: "    x" })],
  ["ledger records", pattern(" ", { open: "x", middle: "x" })],
  ["style sheet", pattern("url( ", { open: "a{b:" })],
  ["style sheet", pattern('\\"', { open: 'a{content:"' })],
];

/** Command lines that went wrong over the world of `world.ts`. */
export const LINES: readonly (readonly string[])[] = [
  ["craft", "detect", "x".repeat(5_000)],
  ["packs", "list", "--json"],
  ["plan", "check", "plan.md", "plan.html", "file\x1b[31m.md", "--json"],
  ["skills", "check", "--dir", "skills"],
  ["config", "check", "--json"],
];
