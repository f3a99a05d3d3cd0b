import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { RULES } from "../../src/plan/rules/catalog.ts";
import type { PlanReport, RuleList } from "../../src/plan/schema.ts";
import { ROOT } from "../support/paths.ts";
import { runJig } from "../support/run.ts";
import { tempDir } from "../support/temp.ts";
import { change, GOOD, GOOD_HTML, GOOD_HTML_NAME, GOOD_NAME } from "./support.ts";

/** Check texts with the compiled binary, each in a directory of its own under the good document's name. */
async function checkAll(
  texts: readonly (string | { name: string; text: string })[],
  flags: readonly string[] = [],
): Promise<{ reports: PlanReport[]; code: number | null; stdout: string }> {
  const root = tempDir();
  const files = texts.map((entry, index) => {
    const { name, text } = typeof entry === "string" ? { name: GOOD_NAME, text: entry } : entry;
    mkdirSync(join(root, `${index}`));
    writeFileSync(join(root, `${index}`, name), text);
    return `${index}/${name}`;
  });
  const run = await runJig(["plan", "check", ...files, ...flags, "--json"], { cwd: root });
  const parsed = JSON.parse(run.stdout) as PlanReport | PlanReport[];
  return { reports: Array.isArray(parsed) ? parsed : [parsed], code: run.code, stdout: run.stdout };
}

const found = (report: PlanReport | undefined) =>
  report!.findings.map(({ rule, severity }) => `${rule} ${severity}`);

/** Findings of each text, rule and severity. */
async function findings(
  texts: readonly (string | { name: string; text: string })[],
  flags: readonly string[] = [],
): Promise<string[][]> {
  const { reports } = await checkAll(texts, flags);
  return reports.map(found);
}

const html = (text: string) => ({ name: GOOD_HTML_NAME, text });

/** The good document with the sections of a plan. */
const PLANNED = `${GOOD}
## Planning Contract

### Key Technical Decisions

- KTD1. **Mutes are rows, not flags.** Governs R1, R4.

## Implementation Units

### U1. Store and list mutes

Requirements: R1, R2.

## Verification Contract

- \`make test-mutes\`

## Definition of Done

- R1 to R5 hold.
`;

describe("a requirements document", () => {
  test("plan-12 a good one passes without a finding", async () => {
    const { code, reports } = await checkAll([GOOD]);
    expect(code).toBe(0);
    expect(reports[0]).toMatchObject({ status: "pass", errors: 0, warnings: 0, stage: "requirements-only" });
    expect(reports[0]!.open_questions.deferred_to_planning).toHaveLength(1);
    expect(reports[0]!.open_questions.resolve_before_planning).toEqual([]);
    const text = await runJig(["plan", "check", reports[0]!.file]);
    expect(text.stdout).toBe("pass: 0 errors, 0 warnings (md, requirements-only, current)\n");
  });

  test("plan-13 the capsule may be a table", async () => {
    const start = GOOD.indexOf("- **Objective:**");
    const end = GOOD.indexOf("## Product Contract");
    const table =
      "| Field | Value |\n|---|---|\n| Objective | Known problems are silent. |\n| Product authority | On-call lead |\n| Open blockers | none |\n\n";
    expect(await findings([GOOD.slice(0, start) + table + GOOD.slice(end)])).toEqual([[]]);
  });

  test("plan-14 a title with a colon and no quotes is no YAML; quoted it is a commit prefix", async () => {
    const title = (text: string) =>
      change(
        change(GOOD, "title: Mute alerts - Plan", `title: ${text}`),
        "# Mute alerts - Plan\n",
        "# fix: X - Plan\n",
      );
    const results = await findings([title("fix: X - Plan"), title('"fix: X - Plan"')]);
    expect(results).toEqual([["PLAN-D01 error"], ["PLAN-M03 error"]]);
  });

  test("plan-15 title, heading, date, file name and status", async () => {
    const results = await findings([
      change(
        change(GOOD, "title: Mute alerts - Plan", "title: Mute alerts"),
        "# Mute alerts - Plan\n",
        "# Mute alerts\n",
      ),
      change(GOOD, "# Mute alerts - Plan\n", "# Mute an alert - Plan\n"),
      change(GOOD, "date: 2026-09-24", "date: 2026-9-4"),
      { name: "2026-09-25-0952-feat-mute-alerts-plan.md", text: GOOD },
      change(GOOD, "type: feat\n", "type: feat\nstatus: active\n"),
    ]);
    expect(results).toEqual([
      ["PLAN-M02 error"],
      ["PLAN-M04 error"],
      ["PLAN-M06 error"],
      ["PLAN-M08 error"],
      ["PLAN-M10 error"],
    ]);
  });

  test("plan-16 the capsule first, then the contract with Summary and Requirements", async () => {
    const capsule = GOOD.slice(GOOD.indexOf("## Goal Capsule"), GOOD.indexOf("## Product Contract"));
    const without = GOOD.replace(capsule, "");
    const requirements = GOOD.slice(GOOD.indexOf("### Requirements"), GOOD.indexOf("### Key Flows"));
    const results = await findings([
      without,
      `${without}\n${capsule}`,
      change(GOOD, "### Summary\n", ""),
      GOOD.replace(requirements, "### Requirements\n\n"),
    ]);
    expect(results[0]).toEqual(["PLAN-S01 error"]);
    expect(results[1]).toEqual(["PLAN-S01 error"]);
    expect(results[2]).toEqual(["PLAN-S02 error"]);
    expect(results[3]).toEqual(expect.arrayContaining(["PLAN-S02 error", "PLAN-S07 error"]));
  });

  test("plan-17 empty and foreign sections", async () => {
    const results = await findings([
      `${GOOD}\n## Implementation Units\n`,
      `${GOOD}\n## Next Steps\n\nPlan it.\n`,
      `${GOOD}\n### Synthesis\n\nAll of it.\n`,
    ]);
    expect(results[0]).toContain("PLAN-S04 error");
    expect(results[1]).toEqual(["PLAN-S06 error"]);
    expect(results[2]).toEqual(["PLAN-S06 error"]);
  });

  test("plan-18 bold, doubled and merely mentioned IDs", async () => {
    const bold = (text: string) => change(text, "- R1. A person", "- **R1.** A person");
    const results = await checkAll([
      bold(GOOD),
      change(PLANNED, "- KTD1. **Mutes", "- **KTD1.** **Mutes"),
      change(GOOD, "- R2. The alert", "- R1. The alert"),
      change(PLANNED, "- R1 to R5 hold.", "- R1 to R5 hold.\n- **U1:** done"),
    ]);
    expect(found(results.reports[0])).toEqual(["PLAN-I01 error"]);
    expect(found(results.reports[1])).toEqual(["PLAN-I01 warning"]);
    expect(results.reports[1]!.status).toBe("pass");
    expect(found(results.reports[2])).toContain("PLAN-I02 error");
    expect(found(results.reports[3])).toEqual([]);
  });

  test("plan-19 links to IDs that are not there", async () => {
    const results = await checkAll([
      change(GOOD, "Governs R1, R4.", "Governs R9."),
      change(
        change(GOOD, "- R3. A muted rule still records its alerts.\n", ""),
        "- **Covers R1, R2.**",
        "- **Covers R1–R3.**",
      ),
    ]);
    expect(found(results.reports[0])).toEqual(["PLAN-I04 error"]);
    const messages = results.reports[1]!.findings.filter(({ rule }) => rule === "PLAN-I04");
    expect(messages.map(({ message }) => message).join()).toContain("R3 is not defined");
  });

  test("plan-20 questions need a class", async () => {
    const start = GOOD.indexOf("**Resolve Before Planning**");
    const bare = `${GOOD.slice(0, start)}- How long?\n`;
    const planned = PLANNED.replace(GOOD.slice(start), "- How long?\n");
    const plain = `${GOOD.slice(0, start)}Deferred to planning:\n\n- How long?\n`;
    const { reports } = await checkAll([bare, planned, plain]);
    expect(reports.map(found)).toEqual([["PLAN-S12 error"], ["PLAN-S12 warning"], []]);
    expect(reports[1]!.status).toBe("pass");
    expect(reports[2]!.open_questions.deferred_to_planning).toHaveLength(1);
  });

  test("plan-21 placeholders", async () => {
    const summary =
      "People on call can mute one alert rule for a limited time. Everyone sees what is muted, by whom, and until when.";
    const results = await findings([
      change(GOOD, summary, "TBD"),
      change(GOOD, summary, "Shows `TBD` as it is."),
      change(GOOD, summary, "TODO comments are removed."),
    ]);
    expect(results).toEqual([["PLAN-C01 error"], [], ["PLAN-C02 warning"]]);
  });

  test("plan-22 annotations and citations", async () => {
    const results = await findings([
      change(GOOD, "session-settled: user-directed", "session-settled: agent-chosen"),
      change(GOOD, "(pack: house, rules/alerts.md)", "(pack: x)"),
      change(GOOD, "(pack: house, rules/alerts.md)", "(pack: house, rules/a.md)"),
    ]);
    expect(results).toEqual([["PLAN-C05 error"], ["PLAN-C06 error"], []]);
  });

  test("plan-23 elements and comments", async () => {
    const summary = "until when.";
    const results = await findings(
      ["<div>x</div>", "`<div>x</div>`", "\n\n```html\n<div>x</div>\n```", "<!-- note -->"].map((text) =>
        change(GOOD, summary, `${summary} ${text}`),
      ),
    );
    expect(results).toEqual([["PLAN-D04 error"], [], [], ["PLAN-D05 warning"]]);
  });

  test("plan-24 the marker and its heading", async () => {
    const marker = "<!-- ce-section: work-relationships -->\n";
    const section = GOOD.slice(GOOD.indexOf(marker), GOOD.indexOf("### Actors"));
    const results = await findings([
      change(GOOD, `${marker}### How`, `${marker}\nSome prose.\n\n### How`),
      change(GOOD, marker, ""),
    ]);
    for (const rules of results) expect(new Set(rules)).toEqual(new Set(["PLAN-S11 error"]));
    const split = await checkAll([GOOD.replace(section, "")], ["--split"]);
    expect(found(split.reports[0])).toEqual(["PLAN-S11 error"]);
    expect(split.code).toBe(1);
    expect((await checkAll([GOOD], ["--split"])).code).toBe(0);
  });
});

describe("a document under an earlier wording", () => {
  /** One slip each, and the rule that would report it. */
  const slips: [rule: string, change: (text: string) => string][] = [
    ["PLAN-M02", (text) => text.replaceAll("Mute alerts - Plan", "Mute alerts")],
    [
      "PLAN-M03",
      (text) =>
        text
          .replace("title: Mute alerts - Plan", 'title: "feat: Mute alerts - Plan"')
          .replace("# Mute", "# feat: Mute"),
    ],
    ["PLAN-M05", (text) => change(text, "type: feat\n", "")],
    ["PLAN-M10", (text) => change(text, "type: feat\n", "type: feat\nstatus: completed\n")],
    ["PLAN-S01", (text) => change(text, "## Product Contract\n", "## Requirements Contract\n")],
    ["PLAN-S05", (text) => text.slice(0, text.indexOf("## Verification Contract"))],
    ["PLAN-I01", (text) => text.replaceAll(/^- (R\d)\./gm, "- **$1.**")],
    ["PLAN-S03", (text) => change(text, "**Objective:**", "**Aim:**")],
    ["PLAN-M06", (text) => change(text, "date: 2026-09-24", "date: 2026-9-4")],
  ];
  const base = (rule: string) => (rule === "PLAN-I01" ? GOOD : PLANNED);

  test("plan-25 never fails for its wording", async () => {
    const texts = slips.map(([rule, slip]) =>
      change(slip(base(rule)), "topic: mute-alerts\n", "topic: mute-alerts\nartifact_readiness: ready\n"),
    );
    const { code, reports } = await checkAll(texts);
    expect(code).toBe(0);
    for (const [index, [rule]] of slips.entries()) {
      const report = reports[index]!;
      expect(report).toMatchObject({ status: "pass", generation: "earlier", errors: 0 });
      const severity = rule === "PLAN-M10" ? "info" : "warning";
      expect(found(report)).toContain(`${rule} ${severity}`);
      expect(report.warnings > 0 || rule === "PLAN-M10").toBe(true);
    }
  });

  test("plan-26 the same slips fail under the current wording", async () => {
    const { code, reports } = await checkAll(slips.map(([rule, slip]) => slip(base(rule))));
    expect(code).toBe(1);
    for (const [index, [rule]] of slips.entries()) {
      expect(reports[index]!.status).toBe("fail");
      expect(found(reports[index])).toContain(`${rule} error`);
    }
  });
});

describe("status and exit code", () => {
  test("plan-27 what is not a current unified plan", async () => {
    const root = tempDir();
    const write = (name: string, text: string) => writeFileSync(join(root, name), text);
    write("v2.md", change(GOOD, "ce-unified-plan/v1", "ce-unified-plan/v2"));
    write("plain.md", "# Notes\n");
    write("empty.md", "");
    write("x.txt", GOOD);
    const run = (...words: string[]) => runJig(["plan", "check", ...words], { cwd: root });
    const other = await run("v2.md");
    expect([other.code, other.stdout.startsWith("unsupported")]).toEqual([1, true]);
    const legacy = await run("plain.md");
    expect(legacy.code).toBe(0);
    expect(legacy.stdout).toBe("legacy, not checked: no frontmatter\n");
    for (const demand of [
      ["--producer", "ce-brainstorm"],
      ["--stage", "requirements"],
    ]) {
      const failed = await run("plain.md", ...demand);
      expect([failed.code, failed.stdout]).toEqual([1, "fail: legacy, not checked: no frontmatter\n"]);
    }
    // A host may show no exit code: the last line says what it is, whichever file came last.
    const lastLine = async (...files: string[]) => {
      const { code, stdout } = await run(...files);
      return [code, stdout.trimEnd().split("\n").at(-1)];
    };
    expect(await lastLine("empty.md", "plain.md")).toEqual([1, "fail: 2 files: 1 empty, 1 legacy"]);
    expect(await lastLine("x.txt", "plain.md")).toEqual([2, "fail: 2 files: 1 legacy, 1 not checked"]);
    expect(await lastLine("plain.md", "plain.md")).toEqual([0, "pass: 2 files: 2 legacy"]);
    const empty = await run("empty.md");
    expect([empty.code, empty.stdout.startsWith("empty")]).toEqual([1, true]);
    const text = await run("x.txt");
    expect([text.code, text.stdout]).toEqual([2, ""]);
  });

  test("several files are all reported, and the highest code wins", async () => {
    const root = tempDir();
    writeFileSync(join(root, GOOD_NAME), GOOD);
    writeFileSync(join(root, "bad.md"), change(GOOD, "title: Mute alerts - Plan", "title: X"));
    const files = ["missing.md", GOOD_NAME, "bad.md"];
    const run = await runJig(["plan", "check", ...files, "--json"], { cwd: root });
    expect(run.code).toBe(2);
    expect(run.stderr).toContain("missing.md");
    const reports = JSON.parse(run.stdout) as PlanReport[];
    expect(reports.map(({ status }) => status)).toEqual(["pass", "fail"]);
    const text = await runJig(["plan", "check", GOOD_NAME, "bad.md"], { cwd: root });
    expect(text.code).toBe(1);
    expect(text.stdout).toContain(`${GOOD_NAME}: pass: 0 errors, 0 warnings`);
    expect(text.stdout).toContain("bad.md:2: error PLAN-M02 ");
  });

  test("a file that cannot be read says nothing about its content", async () => {
    const root = tempDir();
    mkdirSync(join(root, "dir.md"));
    writeFileSync(join(root, "large.md"), "x".repeat((16 << 20) + 1));
    for (const file of ["dir.md", "large.md", "missing.md"]) {
      const run = await runJig(["plan", "check", file], { cwd: root });
      expect([file, run.code, run.stdout]).toEqual([file, 2, ""]);
    }
    expect((await runJig(["plan", "check"], { cwd: root })).code).toBe(2);
    expect((await runJig(["plan", "check", "x.md", "--ignore", "PLAN-X1"], { cwd: root })).code).toBe(2);
  });

  test("--strict counts warnings, --ignore drops a rule", async () => {
    const noted = change(GOOD, "until when.", "until when. <!-- note -->");
    expect((await checkAll([noted])).code).toBe(0);
    expect((await checkAll([noted], ["--strict"])).reports[0]!.status).toBe("fail");
    const ignored = await checkAll([noted], ["--strict", "--ignore", "PLAN-D05"]);
    expect([ignored.code, ignored.reports[0]!.warnings]).toEqual([0, 0]);
  });

  test("plan-34 every rule of the page once, with severity and format", async () => {
    const run = await runJig(["plan", "check", "--list-rules", "--json"]);
    const rules = JSON.parse(run.stdout) as RuleList;
    const names = (prefix: string, count: number, extra: string[] = []) => [
      ...Array.from({ length: count }, (_, index) => `PLAN-${prefix}${String(index + 1).padStart(2, "0")}`),
      ...extra.map((name) => `PLAN-${name}`),
    ];
    const expected = [
      ...names("M", 13),
      ...names("S", 12, ["S03b"]),
      ...names("I", 7),
      ...names("C", 7, ["C14", "C15"]),
      ...names("D", 10),
      ...names("H", 18),
    ];
    expect(rules.map(({ rule }) => rule).sort()).toEqual(expected.sort());
    expect(rules).toHaveLength(RULES.size);
    for (const { format, severity } of rules) {
      expect(["error", "warning", "info"]).toContain(severity);
      expect(["both", "md", "html"]).toContain(format);
    }
    const text = (await runJig(["plan", "check", "--list-rules"])).stdout;
    expect(text).toContain("PLAN-H03\twarning\thtml\t");
    expect(text).toContain("PLAN-C05\terror, warning\tboth\t");
    expect(text).toContain("PLAN-M10\terror, info\tboth\t");
    expect(rules.find(({ rule }) => rule === "PLAN-C05")).toMatchObject({
      severity: "error",
      milder: "warning",
    });
    // Where a row of the page has a milder form, the list says so.
    const page = readFileSync(`${ROOT}/docs/spec/plan.md`, "utf8");
    const rows = [...page.matchAll(/^\| (PLAN-\S+) \| E.*\bW\b/gm)].map(([, id]) => id!);
    expect(rules.filter((one) => one.milder === "warning").map(({ rule }) => rule)).toEqual(rows);
  });
});

describe("IDs and renderings", () => {
  test("plan-35 lists and tables side by side, and an index table", async () => {
    const rows = "| ID | Text |\n|---|---|\n| R6 | six |\n| R7 | seven |\n| R8 | eight |\n";
    const mixed = change(
      change(GOOD, "\nThe list keeps", `\n${rows}\nThe list keeps`),
      "AE1. **Covers R1, R4.**",
      "AE1. **Covers R5, R7.**",
    );
    const index = "| ID | Owner |\n|---|---|\n| R1 | x |\n| R2 | x |\n| R3 | x |\n| R4 | x |\n| R5 | x |\n";
    const indexed = change(GOOD, "\nThe list keeps", `\n${index}\nThe list keeps`);
    expect(await findings([mixed, indexed])).toEqual([[], []]);
  });

  test("plan-36 an ID with a letter", async () => {
    const text = change(
      change(GOOD, "- R4. A mute", "- R3a. text\n- R4. A mute"),
      "Governs R2 and R3.",
      "Governs R3a.",
    );
    const anchored = change(
      GOOD_HTML,
      "</ul>\n    <div",
      '<li id="r3a"><strong>R3a.</strong> text</li></ul>\n    <div',
    );
    expect(await findings([text, html(anchored)])).toEqual([[], []]);
  });

  test("plan-37 two renderings side by side are information", async () => {
    const root = tempDir();
    writeFileSync(join(root, GOOD_NAME), GOOD);
    const twin = GOOD_NAME.replace(".md", ".html");
    writeFileSync(join(root, twin), GOOD_HTML.replaceAll("mute-alerts-on-call", "mute-alerts"));
    for (const file of [GOOD_NAME, twin]) {
      const run = await runJig(["plan", "check", file, "--strict", "--json"], { cwd: root });
      const report = JSON.parse(run.stdout) as PlanReport;
      expect([run.code, report.status, found(report)]).toEqual([0, "pass", ["PLAN-M13 info"]]);
    }
  });
});

describe("an HTML document", () => {
  test("plan-28 a correct one passes", async () => {
    const { code, reports } = await checkAll([html(GOOD_HTML)]);
    expect(code).toBe(0);
    expect(reports[0]).toMatchObject({
      status: "pass",
      format: "html",
      errors: 0,
      warnings: 0,
      generation: "current",
    });
  });

  test("plan-29 one change each", async () => {
    const head = (tag: string) => change(GOOD_HTML, "</title>", `</title>${tag}`);
    const card = (number: number, more = "") =>
      `<article id="f${number}"><h4>F${number}. Flow</h4>${more}</article>`;
    const flows = (cards: string) =>
      change(
        GOOD_HTML,
        "  <section>\n    <h3>Acceptance",
        `  <section><h3>Key Flows</h3>${cards}</section>\n  <section>\n    <h3>Acceptance`,
      );
    const details = "<details open><summary>More</summary>x</details>";
    const { reports } = await checkAll(
      [
        head('<script src="app.js"></script>'),
        head('<link rel="stylesheet" href="style.css">'),
        head('<meta name="origin" content="chat">'),
        change(
          GOOD_HTML,
          '<section id="goal-capsule">',
          '<section id="goal-capsule" data-topic="mute-alerts-on-call">',
        ),
        change(GOOD_HTML, "<dt>artifact_contract</dt>", "<dt>Contract</dt>"),
        change(
          GOOD_HTML,
          '<nav aria-label="Contents">',
          '<nav aria-label="Contents"><a href="#planning-contract">Planning</a>',
        ),
        change(
          GOOD_HTML,
          "  <section>\n    <h3>Acceptance",
          '  <article id="u1"><p>A unit.</p></article>\n  <section>\n    <h3>Acceptance',
        ),
        change(change(GOOD_HTML, '<li id="r2">', "<li>"), '<a href="#r2">R2</a>, ', "").replace(
          '<a href="#r2">R2</a>',
          "R2",
        ),
        GOOD_HTML.replace(/<footer.*<\/footer>/s, ""),
        flows(card(1, details) + card(2) + card(3)),
        flows([1, 2, 3, 4, 5, 6].map((number) => card(number)).join("")),
      ].map(html),
    );
    const errors = reports.map((report) =>
      report.findings.filter(({ severity }) => severity === "error").map(({ rule }) => rule),
    );
    expect(errors.map((rules) => [...new Set(rules)])).toEqual([
      ["PLAN-H02"],
      ["PLAN-H02"],
      ["PLAN-H04"],
      ["PLAN-H04"],
      [],
      ["PLAN-H08"],
      [],
      ["PLAN-H09"],
      ["PLAN-H11"],
      ["PLAN-H12"],
      ["PLAN-H13"],
    ]);
    expect(reports[4]).toMatchObject({ generation: "earlier", status: "pass" });
    // A requirements document shows no unit anywhere, so the anchor may be something else.
    expect(found(reports[6])).toEqual(["PLAN-H09 warning"]);
  });
});
