import { describe, expect, test } from "vitest";
import { RULES } from "../../src/plan/rules/catalog.ts";
import { change, check, GOOD, GOOD_HTML, GOOD_HTML_NAME, rulesOf } from "./support.ts";

/** A failing example of a rule: what is changed in the good document, and everything that is then reported. */
type Example = [rule: string, what: string, text: string, expected: string[]];

const summary = "until when.";
const add = (text: string) => change(GOOD, summary, `${summary} ${text}`);
const meta = (text: string) => change(GOOD, "topic: mute-alerts\n", `topic: mute-alerts\n${text}\n`);
const section = (text: string) => `${GOOD}\n${text}\n`;
const decision = (text: string) => change(GOOD, "Governs R2 and R3.", text);
const requirement = (text: string) => change(GOOD, "- R5. Anyone", `${text}\n- R5. Anyone`);
const questions = GOOD.slice(GOOD.indexOf("**Resolve Before Planning**"));
const asked = (text: string) => GOOD.replace(questions, `${text}\n`);

const PLAN = `
## Planning Contract

### Key Technical Decisions

- KTD1. Rows.

## Implementation Units

### U1. Store

Requirements: R1.

## Verification Contract

- \`make test\`

## Definition of Done

- Done.
`;
const PLANNED = GOOD + PLAN;

const MARKDOWN: Example[] = [
  ["PLAN-M01", "no source", change(GOOD, "product_contract_source: ce-brainstorm\n", ""), ["PLAN-M01 error"]],
  ["PLAN-M01", "an empty source", change(GOOD, "source: ce-brainstorm", "source:"), ["PLAN-M01 error"]],
  ["PLAN-M02", "no title", change(GOOD, "title: Mute alerts - Plan\n", ""), ["PLAN-M02 error"]],
  [
    "PLAN-M03",
    "a commit prefix with scope",
    GOOD.replace("title: Mute alerts - Plan", 'title: "Fix(ui)!: Mute - Plan"').replace(
      "# Mute alerts - Plan\n",
      "# Fix(ui)!: Mute - Plan\n",
    ),
    ["PLAN-M03 error"],
  ],
  ["PLAN-M04", "no H1", change(GOOD, "# Mute alerts - Plan\n\n##", "##"), ["PLAN-M04 error"]],
  ["PLAN-M04", "two of them", section("# Mute alerts - Plan\n\nAgain."), ["PLAN-M04 error"]],
  ["PLAN-M05", "no type", change(GOOD, "type: feat\n", ""), ["PLAN-M05 error"]],
  ["PLAN-M05", "a list as type", change(GOOD, "type: feat", "type: [feat]"), ["PLAN-M05 error"]],
  [
    "PLAN-M05",
    "an unusual type",
    change(GOOD, "type: feat", "type: spike"),
    ["PLAN-M05 warning", "PLAN-M08 warning"],
  ],
  ["PLAN-M06", "no date", change(GOOD, "date: 2026-09-24\n", ""), ["PLAN-M06 error"]],
  [
    "PLAN-M06",
    "a day that is none",
    change(GOOD, "date: 2026-09-24", "date: 2026-09-31"),
    ["PLAN-M06 error"],
  ],
  ["PLAN-M07", "no topic", change(GOOD, "topic: mute-alerts\n", ""), ["PLAN-M07 error"]],
  [
    "PLAN-M07",
    "a topic that is no slug",
    change(GOOD, "topic: mute-alerts", "topic: Mute alerts"),
    ["PLAN-M07 error", "PLAN-M08 warning"],
  ],
  ["PLAN-M08", "another topic", change(GOOD, "topic: mute-alerts", "topic: mute"), ["PLAN-M08 warning"]],
  ["PLAN-M10", "status", meta("status: done"), ["PLAN-M10 error"]],
  ["PLAN-M11", "artifact_readiness", meta("artifact_readiness: ready"), ["PLAN-M11 info"]],
  ["PLAN-M12", "another execution", change(GOOD, "execution: code", "execution: human"), ["PLAN-M12 error"]],
  [
    "PLAN-S02",
    "no Requirements",
    change(GOOD, "### Requirements", "### Wishes"),
    expect.arrayContaining(["PLAN-S02 error"]) as never,
  ],
  ["PLAN-S03", "no objective", change(GOOD, "**Objective:** People", "**Goal:** People"), ["PLAN-S03 error"]],
  ["PLAN-S03b", "no authority", change(GOOD, "**Product authority:**", "**Who:**"), ["PLAN-S03b warning"]],
  [
    "PLAN-S05",
    "a planned document without an end",
    PLANNED.slice(0, PLANNED.indexOf("## Definition of Done")),
    ["PLAN-S05 error"],
  ],
  [
    "PLAN-S06",
    "a forbidden heading in any case, with a colon",
    section("#### **Next steps:**\n\nx"),
    ["PLAN-S06 error"],
  ],
  ["PLAN-S07", "a half-written part", section("### Success Criteria\n\n---\n"), ["PLAN-S07 error"]],
  [
    "PLAN-S07",
    "an empty heading of another name",
    section("### Numbers\n\n#### In 2025\n\n#### In 2026\n\nx"),
    ["PLAN-S07 warning"],
  ],
  ["PLAN-S08", "a section twice", section("## Goal Capsule\n\nObjective: x"), ["PLAN-S08 error"]],
  ["PLAN-S09", "a longer name", section("## Definition of Done for mutes\n\nx"), ["PLAN-S09 warning"]],
  ["PLAN-S09", "another case", section("## definition of done\n\nx"), ["PLAN-S09 warning"]],
  ["PLAN-S09", "a suffix in parentheses", section("### Success Criteria (draft)\n\nx"), ["PLAN-S09 warning"]],
  ["PLAN-S10", "a part at the top level", section("## Scope Boundaries\n\nx"), ["PLAN-S10 warning"]],
  [
    "PLAN-S11",
    "text behind the marker",
    change(GOOD, "work-relationships -->\n", "work-relationships --> here\n"),
    ["PLAN-S11 error"],
  ],
  ["PLAN-S12", "an unknown label", asked("**Nice to know**\n\n- How long?"), ["PLAN-S12 warning"]],
  ["PLAN-S12", "deferred too far", asked("- Deferred to implementation: how long?"), ["PLAN-S12 warning"]],
  ["PLAN-S12", "a table without a class", asked("| Question |\n|---|\n| How long? |"), ["PLAN-S12 error"]],
  ["PLAN-I01", "the whole name bold", requirement("- **R6. Name.** text"), ["PLAN-I01 error"]],
  ["PLAN-I01", "bold in a heading", requirement("\n#### **R6.** text\n\nx\n"), ["PLAN-I01 error"]],
  ["PLAN-I01", "the ID alone bold before a dash", requirement("- **R6** — text"), ["PLAN-I01 error"]],
  ["PLAN-I02", "a list item and a heading", requirement("\n#### R5. text\n\nx\n"), ["PLAN-I02 error"]],
  [
    "PLAN-I02",
    "twice in one table",
    requirement("\n| R | T |\n|---|---|\n| R6 | a |\n| R6 | b |\n\n"),
    ["PLAN-I02 error"],
  ],
  [
    "PLAN-I03",
    "four requirements without IDs",
    GOOD.replaceAll(/^- R\d\. /gm, "- ").replaceAll(/(Governs|Covers) R[^.]*\./g, "$1 it."),
    expect.arrayContaining(["PLAN-I03 warning"]) as never,
  ],
  ["PLAN-I04", "a known kind, whatever follows", decision("Governs R9 here."), ["PLAN-I04 error"]],
  ["PLAN-I04", "after a colon, in a list", decision("**Governs:** R2, R7 and R9."), ["PLAN-I04 error"]],
  [
    "PLAN-I04",
    "in parentheses, lower case is text",
    decision("This covers R99. (Covers R9)"),
    ["PLAN-I04 error"],
  ],
  [
    "PLAN-I04",
    "a struck-out definition",
    change(
      GOOD,
      "- R3. A muted rule still records its alerts.",
      "- ~~R3. A muted rule still records its alerts.~~",
    ),
    expect.arrayContaining(["PLAN-I04 error"]) as never,
  ],
  ["PLAN-I04", "a kind that the document does not define", decision("Governs U2."), ["PLAN-I04 warning"]],
  [
    "PLAN-I04",
    "a unit's field",
    change(PLANNED, "Requirements: R1.", "Requirements: R1, R8"),
    ["PLAN-I04 warning"],
  ],
  [
    "PLAN-I05",
    "another namespace, once",
    section("### Extras\n\n- OQ1. one\n- OQ2. two"),
    ["PLAN-I05 warning"],
  ],
  ["PLAN-I05", "bold", section("### Extras\n\n- **KD1** one"), ["PLAN-I05 warning"]],
  ["PLAN-I05", "technical decisions too early", section("### Extras\n\n- KTD1. one"), ["PLAN-I05 warning"]],
  ["PLAN-I06", "a hyphen", section("### Extras\n\nSee KTD-6 and KTD-6."), ["PLAN-I06 warning"]],
  [
    "PLAN-I07",
    "an example that covers nothing",
    change(GOOD, "- AE1. **Covers R1, R4.** When", "- AE1. When"),
    ["PLAN-I07 warning"],
  ],
  ["PLAN-C01", "behind a label", requirement("- R6. one\n  - **Owner:** tbd."), ["PLAN-C01 error"]],
  ["PLAN-C01", "in brackets", add("It lasts [TBD] minutes."), ["PLAN-C01 error"]],
  ["PLAN-C01", "in angle brackets", add("It lasts <todo> minutes."), ["PLAN-C01 error"]],
  ["PLAN-C01", "in a table", requirement("\n| R | T |\n|---|---|\n| R6 | ??? |\n\n"), ["PLAN-C01 error"]],
  ["PLAN-C01", "in words", requirement("- To be decided"), ["PLAN-C01 error"]],
  ["PLAN-C02", "in prose", add("The limit is TBD by legal."), ["PLAN-C02 warning"]],
  ["PLAN-C03", "template text", add("Lorem ipsum dolor."), ["PLAN-C03 error"]],
  [
    "PLAN-C03",
    "a template's path",
    add("<absolute path to the run>"),
    expect.arrayContaining(["PLAN-C03 error"]) as never,
  ],
  ["PLAN-C04", "a phase note", add("Captured at Phase 3."), ["PLAN-C04 error"]],
  [
    "PLAN-C04",
    "a line in italics",
    section("*Written on 2026-09-24 after the brainstorm*"),
    ["PLAN-C04 warning"],
  ],
  [
    "PLAN-C05",
    "nothing it was chosen over",
    decision("(session-settled: user-approved)"),
    ["PLAN-C05 warning"],
  ],
  ["PLAN-C06", "a path that climbs", decision("(pack: house, ../rules.md)"), ["PLAN-C06 error"]],
  ["PLAN-C06", "an absolute path", decision("(pack: house, /rules.md)"), ["PLAN-C06 error"]],
  ["PLAN-C07", "a home directory", add("See `/Users/anna/notes.md`."), ["PLAN-C07 warning"]],
  ["PLAN-C07", "a drive", add("See C:\\Users\\anna."), ["PLAN-C07 warning"]],
  ["PLAN-C07", "a file address", add("See <file:///tmp/x>."), ["PLAN-C07 warning"]],
  ["PLAN-C14", "an open fence", section("```text\nrest"), ["PLAN-C14 error"]],
  ["PLAN-C14", "a fence closed by fewer marks", section("````text\nrest\n```"), ["PLAN-C14 error"]],
  ["PLAN-C15", "a NUL", add("a\0b"), ["PLAN-C15 error"]],
  ["PLAN-C15", "a byte-order mark", `\ufeff${GOOD}`, ["PLAN-C15 warning"]],
  [
    "PLAN-D01",
    "no end",
    change(GOOD, "execution: code\n---\n", "execution: code\n"),
    expect.arrayContaining(["PLAN-D01 error"]) as never,
  ],
  ["PLAN-D01", "a key twice", meta("topic: other"), ["PLAN-D01 error"]],
  ["PLAN-D02", "a hyphen in a key", meta("asked-by: Kim"), ["PLAN-D02 warning"]],
  ["PLAN-D03", "a value cut short", meta("origin: ticket #4711"), ["PLAN-D03 warning"]],
  ["PLAN-D04", "a void element", add("a<br>b"), ["PLAN-D04 error"]],
  ["PLAN-D04", "an attribute", add('<span class="x">'), ["PLAN-D04 error"]],
  [
    "PLAN-D04",
    "a block",
    section("<details>\n<summary>More</summary>\n\nx\n\n</details>"),
    ["PLAN-D04 error"],
  ],
  ["PLAN-D04", "a lone tag", add("as in <title> above"), ["PLAN-D04 warning"]],
  ["PLAN-D05", "a comment over lines", section("<!--\nlater\n-->"), ["PLAN-D05 warning"]],
  ["PLAN-D06", "no language", section("```\nx\n```"), ["PLAN-D06 warning"]],
  ["PLAN-D07", "a box", section("```text\n┌──┐\n│  │\n└──┘\n```"), ["PLAN-D07 warning"]],
  [
    "PLAN-D08",
    "fixed width",
    section(
      "A paragraph that an editor wrapped at seventy characters or\nthereabouts, so that each change of a word moves every line\nbelow it and no diff can be read without a tool that knows\nabout words.",
    ),
    ["PLAN-D08 warning"],
  ],
  ["PLAN-D09", "struck out", add("~~gone~~"), ["PLAN-D09 warning"]],
  ["PLAN-D10", "a heading beyond ASCII", section("### Größe\n\nx"), ["PLAN-D10 info"]],
];

const html = (from: string, to: string) => change(GOOD_HTML, from, to);
const style = (css: string) => html("</style>", `${css}</style>`);
const head = (tag: string) => html("</title>", `</title>${tag}`);
const inSummary = (text: string) => html("and everyone sees it.</p>", `and everyone sees it.</p>${text}`);
const card = (number: number, more = "") =>
  `<article id="f${number}"><h4>F${number}. Flow</h4>${more}</article>`;

const HTML: Example[] = [
  ["PLAN-H01", "no doctype", GOOD_HTML.replace("<!doctype html>\n", ""), ["PLAN-H01 error"]],
  ["PLAN-H01", "no charset", html('<meta charset="utf-8">\n', ""), ["PLAN-H01 error"]],
  ["PLAN-H01", "two bodies", html("<main>", "<body><main>"), ["PLAN-H01 error"]],
  ["PLAN-H01", "no viewport", GOOD_HTML.replace(/<meta name="viewport".*\n/, ""), ["PLAN-H01 warning"]],
  ["PLAN-H02", "a picture from elsewhere", inSummary('<img src="x.png" alt="">'), ["PLAN-H02 error"]],
  [
    "PLAN-H02",
    "a source set",
    inSummary('<img srcset="data:image/png;base64,AA== 1x, x.png 2x" alt="">'),
    ["PLAN-H02 error"],
  ],
  ["PLAN-H02", "a frame", inSummary('<iframe title="x"></iframe>'), ["PLAN-H02 error"]],
  ["PLAN-H02", "an import", style("@import url(data:text/css,x);"), ["PLAN-H02 error"]],
  ["PLAN-H02", "a background", style("main { background: url('x.png') }"), ["PLAN-H02 error"]],
  [
    "PLAN-H02",
    "an inline background",
    inSummary('<p style="background:url(x.png)">x</p>'),
    ["PLAN-H02 error"],
  ],
  ["PLAN-H02", "an SVG use", inSummary('<svg><use href="x.svg#a"/></svg>'), ["PLAN-H02 error"]],
  ["PLAN-H02", "an icon", head('<link rel="icon" href="/favicon.ico">'), ["PLAN-H02 error"]],
  ["PLAN-H02", "a base", head('<base href="https://example.org/">'), ["PLAN-H02 error"]],
  [
    "PLAN-H03",
    "an unknown host",
    head('<link rel="stylesheet" href="https://example.org/x.css">'),
    ["PLAN-H03 warning"],
  ],
  [
    "PLAN-H03",
    "no generic family",
    html("font: 1rem/1.6 system-ui, sans-serif", "font-family: Verdana"),
    ["PLAN-H03 warning"],
  ],
  [
    "PLAN-H03",
    "a remote font",
    style("@font-face { font-family: X; src: url(https://example.org/x.woff2) }"),
    ["PLAN-H02 error", "PLAN-H03 warning"],
  ],
  ["PLAN-H04", "a JSON script", head('<script type="application/ld+json">{}</script>'), ["PLAN-H04 error"]],
  [
    "PLAN-H05",
    "a friendly label",
    html("<dt>topic</dt>", "<dt>Subject</dt>"),
    ["PLAN-M07 error", "PLAN-H05 error"],
  ],
  [
    "PLAN-H05",
    "no date",
    GOOD_HTML.replace(/<p><time.*?<\/time>/, "<p>"),
    ["PLAN-M06 error", "PLAN-H05 error"],
  ],
  [
    "PLAN-H06",
    "an open block",
    html("<details>\n    <summary>Doc", "<details open>\n    <summary>Doc"),
    ["PLAN-H06 warning"],
  ],
  ["PLAN-H06", "another name", html("Document metadata", "Metadata"), ["PLAN-H06 warning"]],
  ["PLAN-H06", "the contract named twice", inSummary("<p>ce-unified-plan/v1</p>"), ["PLAN-H06 warning"]],
  [
    "PLAN-H07",
    "no id",
    html('<section id="product-requirements">', "<section>"),
    expect.arrayContaining(["PLAN-H07 error"]) as never,
  ],
  ["PLAN-H07", "another heading", html("<h2>Goal Capsule</h2>", "<h2>Our goal</h2>"), ["PLAN-H07 error"]],
  [
    "PLAN-H08",
    "a section that the navigation misses",
    html('<a href="#goal-capsule">Goal Capsule</a>', "Goal Capsule"),
    ["PLAN-H08 error"],
  ],
  ["PLAN-H08", "no navigation", GOOD_HTML.replace(/<nav.*<\/nav>/s, ""), ["PLAN-H08 error"]],
  ["PLAN-H08", "a dead link", inSummary('<p><a href="#nowhere">x</a></p>'), ["PLAN-H08 error"]],
  [
    "PLAN-H09",
    "an anchor that shows another ID",
    html("<strong>R2.</strong>", "<strong>R4.</strong>"),
    expect.arrayContaining(["PLAN-H09 error"]) as never,
  ],
  [
    "PLAN-H10",
    "an id twice",
    inSummary('<p id="r1">R1 again</p>'),
    expect.arrayContaining(["PLAN-H10 error"]) as never,
  ],
  ["PLAN-H10", "a class beyond ASCII", inSummary('<p class="größe">x</p>'), ["PLAN-H10 error"]],
  [
    "PLAN-H11",
    "no date",
    GOOD_HTML.replace(/<time datetime="2026-09-24T.*<\/time>/, ""),
    ["PLAN-H11 error", "PLAN-H11 warning"],
  ],
  [
    "PLAN-H11",
    "no source",
    GOOD_HTML.replace(/Composed (<time.*<\/time>).*<\/footer>/, "$1</footer>"),
    ["PLAN-H11 warning"],
  ],
  [
    "PLAN-H12",
    "long cards",
    html(
      "  <section>\n    <h3>Acceptance",
      `  <section><h3>Key Flows</h3>${[1, 2, 3].map((n) => card(n, `<p>${"Long text. ".repeat(60)}</p>`)).join("")}</section>\n  <section>\n    <h3>Acceptance`,
    ),
    ["PLAN-H12 warning"],
  ],
  ["PLAN-H14", "a stripe", style(".note { border-left: 4px solid red }"), ["PLAN-H14 warning"]],
  [
    "PLAN-H14",
    "a stripe in rem",
    style("aside, blockquote { border-inline-start: .25rem solid var(--tint) }"),
    ["PLAN-H14 warning"],
  ],
  ["PLAN-H15", "no width", html("max-width: 72ch; ", ""), ["PLAN-H15 warning"]],
  [
    "PLAN-H15",
    "a table that does not scroll",
    html(".scroll { overflow-x: auto; }", ""),
    ["PLAN-H15 warning"],
  ],
  ["PLAN-H16", "a framework", inSummary("<script>ReactDOM.render()</script>"), ["PLAN-H16 error"]],
  ["PLAN-H16", "a long script", inSummary(`<script>/*${"x".repeat(9000)}*/</script>`), ["PLAN-H16 warning"]],
  ["PLAN-H17", "a label in an attribute", inSummary('<p data-field="Owner">Kim</p>'), ["PLAN-H17 warning"]],
  [
    "PLAN-H17",
    "a label in the style",
    style('dt::before { content: "Step " counter(step) }'),
    ["PLAN-H17 warning"],
  ],
  [
    "PLAN-I01",
    "bold marks left from Markdown",
    html("<strong>R2.</strong> The", "**R2.** The"),
    expect.arrayContaining(["PLAN-I01 error"]) as never,
  ],
  [
    "PLAN-M10",
    "a status chip",
    html("<dt>type</dt>", "<dt>Status</dt><dd>draft</dd><dt>type</dt>"),
    ["PLAN-M10 error"],
  ],
  ["PLAN-S11", "no role", html(' data-ce-section="work-relationships"', ""), ["PLAN-S11 error"]],
  ["PLAN-S12", "no class", html("<h4>Deferred to Planning</h4>", "<h4>Later</h4>"), ["PLAN-S12 warning"]],
  ["PLAN-C01", "a placeholder", inSummary("<p><strong>Owner:</strong> TBD</p>"), ["PLAN-C01 error"]],
  [
    "PLAN-C03",
    "a placeholder with entities",
    inSummary("<p>&lt;absolute path to x&gt;</p>"),
    ["PLAN-C03 error"],
  ],
  ["PLAN-C04", "a note in italics", inSummary("<p><em>Captured 2026-09-24</em></p>"), ["PLAN-C04 warning"]],
];

describe("every rule has a failing example", () => {
  test.each(MARKDOWN)("%s %s", async (rule, _what, text, expected) => {
    const found = await rulesOf(text);
    expect(found).toEqual(expected);
    expect(found.some((line) => line.startsWith(`${rule} `))).toBe(true);
  });

  test.each(HTML)("%s in HTML: %s", async (rule, _what, text, expected) => {
    const found = await rulesOf(text, { name: GOOD_HTML_NAME });
    expect([...found].sort()).toEqual(Array.isArray(expected) ? [...expected].sort() : expected);
    expect(found.some((line) => line.startsWith(`${rule} `))).toBe(true);
  });

  test("in one list or the other", () => {
    // These need more than one file, flags, or a planned HTML document, and have tests of their own.
    const elsewhere = ["PLAN-M09", "PLAN-M13", "PLAN-S01", "PLAN-S04", "PLAN-H13", "PLAN-H18"];
    const covered = new Set([...MARKDOWN, ...HTML].map(([rule]) => rule));
    expect([...RULES.keys()].filter((rule) => !covered.has(rule))).toEqual(elsewhere);
  });
});

test("a paper size is no actor, although the document has actors", async () => {
  expect(await rulesOf(add("Covers A4 paper. Covers U2 concerts."))).toEqual([]);
});

describe("rules that look beyond the text", () => {
  test("PLAN-M09 another form of file name", async () => {
    expect(await rulesOf(GOOD, { name: "mute.md" })).toEqual(["PLAN-M09 warning"]);
    expect(await rulesOf(GOOD, { name: "2026-09-24-001-feat-mute-alerts-plan.md" })).toEqual([
      "PLAN-M09 warning",
    ]);
    expect(await rulesOf(GOOD, { name: "2026-09-24-0952-feat-mute-alerts-plan-2.md" })).toEqual([]);
  });

  test("PLAN-S04 and S05 by what the caller demands", async () => {
    expect(await rulesOf(PLANNED)).toEqual([]);
    expect(await rulesOf(PLANNED, { stage: "requirements" })).toEqual(["PLAN-S04 error"]);
    expect(await rulesOf(GOOD, { stage: "planned" })).toEqual(["PLAN-S05 error"]);
    expect(await rulesOf(GOOD, { stage: "requirements" })).toEqual([]);
  });

  test("PLAN-M01 another producer", async () => {
    expect(await rulesOf(GOOD, { producer: "ce-brainstorm" })).toEqual([]);
    expect(await rulesOf(GOOD, { producer: "ce-plan" })).toEqual(["PLAN-M01 error"]);
  });

  test("PLAN-H18 a wireframe caption in a planned document", async () => {
    const caption = inSummary("<p>Directional only: the list.</p>");
    expect(await rulesOf(caption, { name: GOOD_HTML_NAME })).toEqual([]);
    const planned = change(
      caption,
      "</main>",
      '<section id="planning-contract"><h2>Planning Contract</h2><p>x</p></section></main>',
    );
    expect(await rulesOf(planned, { name: GOOD_HTML_NAME })).toContain("PLAN-H18 warning");
  });

  test("invalid bytes are reported at their line, and the rest is still checked", async () => {
    const bytes = Buffer.from(GOOD.replace("### Summary\n", ""));
    const at = bytes.indexOf("Scope Boundaries");
    bytes[at] = 0xff;
    const report = await check(bytes);
    const rules = report.findings.map(({ line, rule }) => `${rule}:${rule === "PLAN-C15" ? line : ""}`);
    expect(rules).toContain("PLAN-S02:");
    const line = GOOD.slice(0, GOOD.indexOf("Scope Boundaries")).split("\n").length - 1;
    expect(rules).toContain(`PLAN-C15:${line}`);
  });

  test("findings carry the line, the excerpt and the part of the audit", async () => {
    const long = `${"x".repeat(200)} TODO`;
    const report = await check(add(long));
    expect(report.findings).toHaveLength(1);
    const [finding] = report.findings;
    expect(finding).toMatchObject({ rule: "PLAN-C02", line: 24, check: "complete" });
    expect(finding!.excerpt).toHaveLength(120);
    const compose = await check(inSummary("<p>(pack: x)</p>"), { name: GOOD_HTML_NAME });
    expect(compose.findings[0]).toMatchObject({ rule: "PLAN-C06", check: "post-compose" });
    expect(report.judgement.length).toBeGreaterThan(5);
  });
});

describe("HTML: what is written in another form is not passed over", () => {
  const requirement = /<li id="r1">/;

  test("PLAN-H09 a requirement without an anchor, in every form", async () => {
    expect(GOOD_HTML).toMatch(requirement);
    for (const item of ["<li>R88. text</li>", "<li><b>R88.</b> text</li>", "<li>R88: text</li>"]) {
      const html = GOOD_HTML.replace(requirement, `${item}$&`);
      const { findings } = await check(html, { name: GOOD_HTML_NAME });
      expect(findings.map(({ rule, message }) => `${rule} ${message}`)).toEqual([
        "PLAN-H09 R88 is defined here, but no element has the id 'r88'",
      ]);
    }
  });

  test("PLAN-M05 and the others show the form that is read", async () => {
    const header = "<p>artifact_contract ce-unified-plan/v1</p>\n<p>type: feat</p>\n<p>topic: a-b</p>";
    const { findings } = await check(
      `<!doctype html><html><body><h1>x - Plan</h1>\n${header}</body></html>`,
      {
        name: "x.html",
      },
    );
    const of = (rule: string) => findings.find((finding) => finding.rule === rule);
    expect(of("PLAN-M05")).toMatchObject({
      line: 3,
      message: "type is missing or empty; expected <dt>type</dt><dd>feat</dd>",
    });
    expect(of("PLAN-M01")?.message).toContain("<dt>product_contract_source</dt><dd>ce-brainstorm</dd>");
    expect(
      findings
        .filter(({ rule }) => rule === "PLAN-H05")
        .map(({ message }) => message)
        .join(),
    ).toContain("<dt>type</dt><dd>feat</dd>");
  });
});
