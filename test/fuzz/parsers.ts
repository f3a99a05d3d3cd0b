/**
 * Every parser of the program, with pieces that its inputs are made of. A new parser gets a line here; `parsers.test.ts`
 * feeds it and `test/bench/parsers.ts` measures it.
 */
import { electFrom } from "../../src/craft/backlog/elect.ts";
import { backlogEntries } from "../../src/craft/backlog/entries.ts";
import { compileGlob } from "../../src/craft/common/glob.ts";
import { testCommandOf } from "../../src/craft/detect/ecosystem.ts";
import { policyReading, stripPolicy } from "../../src/craft/driver/policy-words.ts";
import { parseFindings } from "../../src/craft/findings/parse.ts";
import { parseScope } from "../../src/craft/findings/scope.ts";
import { cleanText } from "../../src/craft/hooks/clean-text.ts";
import { readImpact, readVerdicts } from "../../src/craft/ledger/impacts/entry.ts";
import { parseStore } from "../../src/craft/ledger/impacts/store.ts";
import { inputLines, prepareRecords } from "../../src/craft/ledger/records.ts";
import { readLesson } from "../../src/craft/lessons/lesson.ts";
import { FILLER, findMarked, STUBS, waivedIn } from "../../src/craft/lints/marked-words.ts";
import { planParts } from "../../src/craft/lints/plan-parts.ts";
import { Findings } from "../../src/craft/manifest/findings.ts";
import { manifestOf } from "../../src/craft/manifest/manifest.ts";
import { parseManifest } from "../../src/craft/manifest/read.ts";
import { contextFor } from "../../src/craft/manifest/rules/context.ts";
import { checkManifest } from "../../src/craft/manifest/rules/top-level.ts";
import { guardObservation } from "../../src/craft/memory/save/guard.ts";
import { parseRow } from "../../src/craft/metrics/usage.ts";
import { classOf } from "../../src/craft/models/classify.ts";
import { parsePipeline } from "../../src/craft/pipeline/parse.ts";
import { splitInput } from "../../src/craft/run/split.ts";
import { RunStateBuilder } from "../../src/craft/run-state/derive.ts";
import { OutputReader } from "../../src/elevate/call/stream.ts";
import { applyAssignments, parseValue, splitAssignment } from "../../src/flow/artifact/change/assignment.ts";
import { type Beginning, firstArtifact } from "../../src/flow/artifact/create.ts";
import { validateArtifact } from "../../src/flow/artifact/look/validate.ts";
import {
  type JsonMap,
  JsonSyntaxError,
  parseLossless,
  writeLossless,
} from "../../src/flow/common/lossless-json.ts";
import { parseTimestamp } from "../../src/flow/common/timestamp.ts";
import { failureStop, phaseExit, planTrust } from "../../src/flow/gates/checks.ts";
import { phaseRows } from "../../src/flow/gates/phase-rows.ts";
import { readPlanPhases } from "../../src/flow/gates/plan-phases.ts";
import { PythonTexts } from "../../src/flow/hooks/python/invocations.ts";
import { pythonTargets } from "../../src/flow/hooks/python/targets.ts";
import { readCommands } from "../../src/flow/hooks/shell/nested.ts";
import { writeTargets } from "../../src/flow/hooks/shell/targets.ts";
import { pythonSpelling } from "../../src/flow/identity/python-spelling.ts";
import { candidateNamed } from "../../src/flow/identity/scan.ts";
import { slugOf, slugSource } from "../../src/flow/identity/slug.ts";
import { debugResultEdit, newestEdit, taskIdEdit } from "../../src/flow/memory/finalize/edits.ts";
import { parseInput } from "../../src/flow/memory/finalize/input.ts";
import { parsePayload } from "../../src/flow/memory/merge/payload.ts";
import { mergeSection, mergeSpan } from "../../src/flow/memory/merge/section.ts";
import { unifiedDiff } from "../../src/flow/memory/repair/diff.ts";
import { repairLines } from "../../src/flow/memory/repair/lines.ts";
import { MissingHeading, repairText } from "../../src/flow/memory/repair/repair-text.ts";
import { scopeOf } from "../../src/flow/memory/scope/answers.ts";
import { scopeMarkers, withoutMarker } from "../../src/flow/memory/scope/markers.ts";
import { sessionSettings } from "../../src/flow/memory/settings.ts";
import { MEMORY_FORMS } from "../../src/flow/memory/text/files.ts";
import { healText } from "../../src/flow/memory/text/heal.ts";
import { artifactTextSummary } from "../../src/flow/report/query/artifact-summary.ts";
import { eventSummary } from "../../src/flow/report/query/event-lines.ts";
import { markdownSummary } from "../../src/flow/report/query/markdown-summary.ts";
import { specificationOf } from "../../src/flow/report/status/specs.ts";
import { checkContract } from "../../src/flow/routing/contract.ts";
import { bakeoffRequested } from "../../src/flow/routing/intent/bakeoff.ts";
import { judgeReadiness } from "../../src/flow/routing/intent/readiness.ts";
import { judgeRisk } from "../../src/flow/routing/risk.ts";
import { checkTask } from "../../src/flow/routing/task-metadata.ts";
import { routeRequest } from "../../src/flow/routing/words.ts";
import { terminalFilter } from "../../src/job/look/terminal-filter.ts";
import { JigError } from "../../src/kernel/call/errors.ts";
import { readPacksBlock, shapeProblem } from "../../src/kernel/config/packs-config.ts";
import { parseStat } from "../../src/kernel/process/linux.ts";
import { parsePsLine } from "../../src/kernel/process/ps.ts";
import { cutToWidth, displayWidth } from "../../src/kernel/text/display-width.ts";
import { printable } from "../../src/kernel/text/printable.ts";
import { asciiJson } from "../../src/kernel/text/python-json.ts";
import { readFrontMatter } from "../../src/kernel/yaml/frontmatter.ts";
import { parseYaml, yamlValue } from "../../src/kernel/yaml/yaml.ts";
import { readCss, stringsIn, urlsIn } from "../../src/plan/read/css.ts";
import { loadPlan } from "../../src/plan/read/load.ts";
import { judge } from "../../src/plan/rules/judge.ts";
import { mapPlan } from "../../src/plan/sections.ts";
import { readMarkdown } from "../../src/skills/lint/markdown.ts";
import { checkReferences } from "../../src/skills/lint/references.ts";
import { shellWords } from "../../src/skills/lint/shell.ts";
import { checkLastLine, checkWords } from "../../src/skills/lint/words.ts";
import { parseHost } from "../../src/web/server/http/host-header.ts";
import { queryValue, requestPath } from "../../src/web/server/http/request-path.ts";
import { readNote } from "../../src/web/server/notes/note-input.ts";
import { isFullDocument } from "../../src/web/server/screens/fragment.ts";

export interface Parser {
  /** As `plan Markdown`. */
  name: string;
  tokens: readonly string[];
  /** Read a text. A `JigError` is a refusal; anything else thrown is a fault. */
  run(text: string): unknown;
}

/** What any text may hold: blanks, line ends, controls, wide and broken characters, marks of every syntax. */
const ANY = [
  "a",
  "word ",
  "1",
  " ",
  "\n",
  "\n\n",
  "\r\n",
  "\r",
  "\t",
  "\0",
  "\x1b[31m",
  "\x9b",
  "\u202e",
  "\u2028",
  "\ufeff",
  "\ud800",
  "é",
  "話",
  "😀",
  "\u0301",
  '"',
  "'",
  "\\",
  "`",
  ":",
  ": ",
  "- ",
  "#",
  "{",
  "}",
  "[",
  "]",
  "(",
  ")",
  ",",
  "<",
  ">",
  "/",
  "..",
  "__proto__",
  "constructor",
];

const MARKDOWN = [
  ..."# |## |### |- |* |1. |2) |> |  |    |```|~~~|``|**|*|_|~~|](|![|<b>|</b>|<!--|-->|<?|<div>|---|===|=|-".split(
    "|",
  ),
  ..."See https://example.com/x for|www.example.com|me@example.com|TBD|(TBD)|TODO |(pack:|(session-settled:|/home/x ".split(
    "|",
  ),
  "|",
  "| R1 | x |\n",
  "|-|-|\n",
  "- R1. x\n",
  "**R2.** ",
  "AE1. ",
  "Covers R1, ",
  "- [ ] ",
  "[a]: b\n",
  "&amp;",
  "## Requirements\n",
  "## Product Contract\n",
  "### Summary\n",
  "## Outstanding Questions\n",
  "**Resolve Before Planning**\n",
  "<!-- ce-section: x -->",
  "---\nartifact_contract: ce-unified-plan/v1\n---\n",
];

const MEMORY = [
  ..."## S\n|## |- |- a\n|- A (conf: 0.9)\n|- a (conf: 0.9, organic)\n|  - b\n|(conf: |)|organic|```\n|````|~~~\n".split(
    "|",
  ),
  "- Older entries archived: see p (conf: 1.0, organic)\n",
];

const HTML = [
  ...'<p>|</p>|<b>|</b>|<i>|<a>|</a>|<a href="#r1">|<div>|</div>|<li>|<li id="R1">|<li id="r1">R1. |<ul>|</ul>|<table>|<tr>|<td>|<th>|</table>'.split(
    "|",
  ),
  ..."<section>|</section>|<article>|<article id=r1>|</article>|<details open>|<summary>|<h1>|<h2>|<h2>Requirements</h2>|<h3>|<svg>|</svg>|<math>".split(
    "|",
  ),
  ..."<template>|<style>|</style>|a{b:|url(|border-left:2px solid red;|<script>|</script>|<!--|-->|<b>R1</b>|<dt>type|<dd>|artifact_contract".split(
    "|",
  ),
  ..."<br>|<img>|<nav>|<footer>|<blockquote>|<code>|<pre>|<select>|<option>|<form>|<nobr>|<span>|<x a=1 |x=|<body>|ce-unified-plan/v1|TBD".split(
    "|",
  ),
];

const YAML = [
  ..."k: |- |? |& a|*a|!!str |!x |<<: |[|]|{|}|,|'|\"|#| #|--- |---\n|...\n|%YAML 1.1\n|key:\n  - |: |\n  |\n    |~|0x1|1e9|.inf".split(
    "|",
  ),
  "|\n  ",
  ">\n  ",
  "&b [*b]",
  "packs:\n",
  "  - source: ",
  "    id: x\n",
];

const JSONS = [
  "{",
  "}",
  "[",
  "]",
  '"a":',
  '"comment":"x",',
  '"selector":"h1",',
  '"rect":',
  "[[",
  "1e999",
  "null",
  ",",
  '"',
  "\\u0000",
  '"__proto__":',
];

async function plan(format: "md" | "html", text: string) {
  const loaded = await loadPlan(format, Buffer.from(text), "x");
  const common = {
    base: "x",
    generation: "current",
    demanded: "auto",
    producer: undefined,
    split: true,
  } as const;
  const rest = { sibling: undefined, repository: "/work/repository", ignored: new Set<never>() };
  judge(loaded.document, loaded.integrity, { ...common, ...rest, stage: "planned" });
  mapPlan("x", loaded, true);
}

const skillLint = (text: string) => {
  const files = new Map([["SKILL.md", text]]);
  const limits = { entryBytes: 8_000, entryBytesWarning: 8_000 };
  const tree = { name: "jig-x", root: "x", files, prefix: "{{JIG}}", source: true, ours: true, limits };
  const sink = { error: () => {}, warning: () => {} };
  const markdown = readMarkdown(text);
  checkWords(tree, "SKILL.md", text, markdown, sink);
  checkReferences(tree, sink);
  checkLastLine(text, sink);
  for (const { text: span } of markdown.spans) shellWords(span);
};

const BEGINNING: Beginning = {
  ...{ id: "wf-a", at: "2026-07-06T12:00:03Z", request: "x", phase: "build", agentHost: "h", taskId: null },
  ...{ taskTools: true, sessionId: null, plan: null, design: null, fallbackReason: null },
  ...{ type: "BUILD", writablePaths: [], dropped: [] },
};

/** What a text is as JSON; undefined when it is none. */
function lossless(text: string) {
  try {
    return parseLossless(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

/** Everything that is judged from an artifact. */
function judgeArtifact(artifact: JsonMap) {
  validateArtifact(artifact, "wf-a");
  phaseRows(artifact);
  return [phaseExit(artifact), failureStop(artifact), planTrust(artifact, { text: "x" })];
}

const OWN: readonly Parser[] = [
  {
    name: "a workflow's slug",
    tokens: ["feature/", "fix", "the ", "_", "/", "-", "--", "ﬁ", "ß", "İ", "./beta", ";"],
    run: (text) => [slugOf(slugSource(text, text)), candidateNamed(["/w/beta", "/w/a"], text)],
  },
  {
    name: "an artifact",
    tokens: [
      ...JSONS,
      '"phase_status":{',
      '"a":"pending",',
      '"normalized_phases":[',
      '{"phase_id":"a"},',
      '"phase_after":{',
      '"status_history":[',
      '"2":1.50,',
      "-0",
    ],
    run(text) {
      for (const json of [
        text,
        `{${text}}`,
        `{"phase_status":{${text}}}`,
        `{"normalized_phases":[${text}]}`,
      ]) {
        const value = lossless(json);
        if (value === undefined) continue;
        lossless(writeLossless(value, 2));
        pythonSpelling(value);
        if (value instanceof Map) judgeArtifact(value);
      }
    },
  },
  {
    name: "an assignment",
    tokens: [
      ...JSONS,
      "intent.",
      "results",
      "telemetry.loop_counts",
      "approved_decisions",
      "+=",
      "=",
      ".0",
      ".",
    ],
    run(text) {
      const { path, how, text: value } = splitAssignment(text);
      const artifact = firstArtifact(BEGINNING);
      applyAssignments(artifact, [{ path, how, value: parseValue(path, value) }], {
        create: true,
        owned: true,
      });
      return judgeArtifact(artifact);
    },
  },
  {
    name: "phases of a plan",
    tokens: [
      ...JSONS,
      '{"phase_id":"a",',
      '"title":"t"',
      '"exit_criteria":["x"]',
      '"checkpoint_type":"none"}',
    ],
    run: (text) => [text, `[${text}]`].map((json) => readPlanPhases(lossless(json) ?? null, "f", true)),
  },
  { name: "plan Markdown", tokens: MARKDOWN, run: (text) => plan("md", text) },
  { name: "plan HTML", tokens: HTML, run: (text) => plan("html", text) },
  {
    name: "style sheet",
    tokens: [
      "a",
      "{",
      "}",
      ";",
      ":",
      "/*",
      "*/",
      "url(",
      "@media",
      "@import",
      "border-left:",
      "content:",
      '\\"',
      "td,",
    ],
    run: (text) => readCss(text, 1).declarations.map(({ value }) => [urlsIn(value), stringsIn(value)]),
  },
  {
    name: "YAML",
    tokens: YAML,
    run: async (text) => {
      const result = await parseYaml(text, { merge: true });
      return result.ok ? yamlValue(result.root) : result.problems;
    },
  },
  { name: "front matter", tokens: ["---\n", ...YAML], run: (text) => readFrontMatter(`---\n${text}`) },
  {
    name: "packs block",
    tokens: YAML,
    run: (text) => readPacksBlock(`packs:\n${text}`, "config.yaml").entries.map(shapeProblem),
  },
  {
    name: "skill text",
    tokens: [...MARKDOWN, "{{JIG}} ", "{{", "references/", "references/a.md", "../", "$", "&&"],
    run: skillLint,
  },
  { name: "craft plan", tokens: [...MARKDOWN, "## Task 1\n", "src/a.ts", "src/b.ts:1"], run: planParts },
  { name: "craft findings", tokens: [...JSONS, '"file":"a","line":1,'], run: parseFindings },
  {
    name: "craft scope",
    tokens: ["+++ b/a\n", "--- a/a\n", "@@ -1,2 +3,4 @@\n", "+x\n", "diff --git a/a b/a\n", '"'],
    run: (text) => parseScope(text, "/r"),
  },
  {
    name: "glob",
    tokens: ["**/", "*", "?", "[", "]", "{", "}", ",", "!", "\\", "-", "/", "."],
    run: (text) => compileGlob(text)(`${text}/a`),
  },
  {
    name: "craft lesson",
    tokens: [...MARKDOWN, ...YAML, "## How to apply\n", "---\n", "trigger: t\n", "phases: [a]\n"],
    run: (text) =>
      Promise.all([readLesson(text), readLesson(`---\ntrigger: t\nphases: [a]\n---\n# T\n${text}`)]),
  },
  {
    name: "craft backlog",
    tokens: [
      ...MARKDOWN,
      "- [ ] ",
      "- [x] ",
      "**P1**",
      " after P1, ",
      "depends on ",
      "<!--",
      "-->",
      "# Parked\n",
      "`",
    ],
    run: (text) => electFrom(backlogEntries(text)),
  },
  {
    name: "craft gate command",
    tokens: ["A=", "env ", "export ", "'", '"', "\\", ";", "&&", "$(", "a"],
    run: (text) => guardObservation("gate-cmd", { phase: "p", command: text }, { root: "/r", home: "/h" }),
  },
  {
    name: "craft manifest",
    tokens: [
      ...YAML,
      "---\n",
      "phases:\n",
      "  review: ",
      "pipeline:\n",
      "  insert:\n",
      "    - { id: a, after: b }\n",
    ],
    run: async (text) => {
      const read = await parseManifest("m.yml", text, "resolve");
      if (read.kind !== "map") return read;
      const found = new Findings("m.yml");
      checkManifest(contextFor(read.map, found, "lint"));
      return [found.errors, found.warnings, manifestOf(read.map)];
    },
  },
  {
    name: "craft run input",
    tokens: ["--skip ", "--skip=", "--config a ", "--profile", "-- ", "`", "``", '"', "'", "it's ", "\n"],
    run: splitInput,
  },
  {
    name: "a run's prompt",
    tokens: [
      "--policy",
      "--policy ",
      "push=always",
      "-",
      "—",
      "pol",
      "icy",
      "\u200b",
      "р",
      "1",
      "\n",
      " ",
      "**",
    ],
    run: (text) => [stripPolicy(text), policyReading(text)],
  },
  {
    name: "ledger records",
    tokens: ["PHASE-START(a):", "PHASE-DONE(", "\x1b[", "\x1b]", "\x9b", "m", "\x07", "\t", "\n", "x"],
    run: (text) => prepareRecords(inputLines(text), "a", 0),
  },
  {
    name: "a discovered impact",
    tokens: [
      "title: ",
      "locus: a.ts:L1\n",
      "reason: out of scope\n",
      "proof:\n",
      "  x\n",
      "expected: e\n",
      "../",
      "\n",
    ],
    run: readImpact,
  },
  {
    name: "verdicts",
    tokens: ["id: I1\n", "verdict: ok\n", "verdict: a:B", "rationale: r\n", "\n", "I", ": "],
    run: (text) => readVerdicts(text, undefined),
  },
  {
    name: "impacts store",
    tokens: [
      "\n## I1 t\n",
      "### I1 verdict ok\n",
      "phase: a\n",
      "proof:\n",
      "  p\n",
      "expected: e\n",
      "at: x\n",
      "## ",
    ],
    run: parseStore,
  },
  {
    name: "run state",
    tokens: [
      "AWAITING(propose): a,b",
      "PHASE-START(a): x",
      "GATE(a): green",
      "NO-OP(a):",
      "auto-skip: a",
      "PART(1): ",
      "(",
      "\n",
    ],
    run: (text) => {
      const builder = new RunStateBuilder("r", { effective: ["a", "b"], awaiting: ["a"] });
      for (const line of text.split("\n")) builder.add(line);
      return builder.end();
    },
  },
  {
    name: "metrics rows",
    tokens: [
      "r p ",
      "turns=1 ",
      "tool_calls=2 ",
      "tokens=na ",
      "cache=na ",
      "transcript=na",
      "=",
      "\n",
      "# ",
    ],
    run: (text) => text.split("\n").map(parseRow),
  },
  {
    name: "marked words",
    tokens: ["TODO", "stub", "robust", "it's important to note", "STUB-WAIVE(", ")", "_", "\n", "é"],
    run: (text) => [findMarked(text, STUBS), findMarked(text, FILLER), waivedIn(text, "STUB", ["a", "b)"])],
  },
  {
    name: "what a repository tests with",
    tokens: [...JSONS, '{"tasks":{"test":"x"}}', "// c\n", "/*", "*/", ",", "test: x\n", ":=", "\t", "#"],
    run: (text) => testCommandOf({ has: () => false, read: () => text }),
  },
  {
    name: "hook text",
    tokens: ["\x1b", "\u202e", "\u0085", "\u2066", "a", "\n", "\t", "é"],
    run: (text) => cleanText(new TextEncoder().encode(text)),
  },
  {
    name: "a model's error",
    tokens: ["529", "model ", "not found", "high load ", "switch to ", "status: ", "no ", "access ", "{"],
    run: classOf,
  },
  {
    name: "craft pipeline",
    tokens: [...YAML, "pipeline:\n", "  - id: a\n", "    needs: [a]\n"],
    run: (text) => parsePipeline("x", text),
  },
  {
    name: "an agent's contract",
    tokens: [
      "### Router Contract (MACHINE-READABLE)\n",
      "```yaml\n",
      "```\n",
      "~~~",
      "STATUS: PASS",
      "GAP_CLASSIFICATION:\n",
      "  - Missing | HIGH | x\n",
      "SUMMARY: ",
      " #",
      "|",
    ],
    run: (text) => [
      checkContract("planner", text),
      checkContract("x", `### Router Contract (MACHINE-READABLE)\n\`\`\`yaml\n${text}\n\`\`\`\n`),
    ],
  },
  {
    name: "a living specification",
    tokens: [...MARKDOWN, "---\n", "status: x\n", "**Owner:** me\n", "## Impacted Packages\n", "| a | b |\n"],
    run: (text) => [specificationOf("0001-a.md", text), specificationOf("0001-a.md", `---\n${text}`)],
  },
  {
    name: "a timestamp",
    tokens: ["2026-07-06", "T", "14:03", ":12", ".123456", "+00:00", "Z", "-02"],
    run: parseTimestamp,
  },
  {
    name: "a task's metadata",
    tokens: ["wf:", "kind:agent\n", "kind: memory\n", "phase:build\n", "reason:N/A\n", "origin:router", "\t"],
    run: (text) => [checkTask(text, text, () => false), checkTask(`wf:a\n${text}`, undefined, () => true)],
  },
  {
    name: "a request",
    tokens: [
      "fix ",
      "is this ",
      "good",
      "plan",
      "auth",
      "schema - ",
      "change",
      "drop _",
      "column",
      "3 models ",
      "bake-off ",
    ],
    run: (text) => [
      routeRequest(text),
      judgeRisk(text, {
        host: "cursor",
        added: ["a a a", text.slice(0, 100)].filter((word) => /[^\s_-]/.test(word)),
      }),
      bakeoffRequested(text),
    ],
  },
  {
    name: "an intent",
    tokens: ["no ", "not ", "make it work", "faster ", "AC1: ", "1 ", ". "],
    run: (text) => {
      const lines = text.split("\n");
      const criteria = lines.map((line) => ({ text: line, id: line }));
      const judging = { serialized: 1, budget: 1, sourceFiles: undefined, contradiction: undefined };
      return judgeReadiness(
        { constraints: lines, nonGoals: [text], criteria },
        { ...judging, scenarios: lines },
      );
    },
  },
  {
    name: "a state file in short",
    tokens: [...JSONS, ...MARKDOWN, '{"event":"a"}\n', "- a\n", "## A\n"],
    run: (text) => [
      artifactTextSummary(text),
      artifactTextSummary(`{"phase_status":{${text}}}`),
      eventSummary(text.split("\n"), { tail: 2, eventType: undefined }),
      markdownSummary(text),
      markdownSummary(`## A\n${text}`),
    ],
  },
  {
    name: "a shell command",
    tokens: [
      ..."> >> < << <<- <<< | || & && ; ( ) $( ` ' { } # ~ $PWD $' 2>&1 of= EOF".split(" "),
      ...["bash ", "-c ", "cp ", "-t ", "tee ", "python3 ", "-- ", "sudo ", "\nEOF\n", "\\\n", "${"],
    ],
    run: (text) => {
      const python = new PythonTexts();
      const targets: unknown[] = [];
      const variables = (name: string) => (name === "PWD" ? "/p" : undefined);
      readCommands(text, variables, (command) => {
        python.note(command);
        for (const target of writeTargets(command)) targets.push(target);
      });
      return [targets, python.of(text)];
    },
  },
  {
    name: "Python in a command",
    tokens: [
      ..."''' \"\"\" ; open( open(' Path( ).write_text( os.system( subprocess.run( * r' . $(".split(" "),
      ...["import ", "from ", " as ", "os", "from os import system\n", "\\\n", "# "],
    ],
    run: (text) => pythonTargets(text, () => {}),
  },
  {
    name: "events of a call",
    tokens: [...JSONS, '{"type":"result"}\n', '"modelUsage":{'],
    run: (text) => {
      const reader = new OutputReader();
      for (let at = 0; at < text.length; at += 1_000) reader.stdout(Buffer.from(text.slice(at, at + 1_000)));
      return [reader.event(), reader.evidence()];
    },
  },
  {
    name: "memory file",
    tokens: [...MEMORY, "AUTO_PROCEED: ", "true", "# "],
    run: (text) => {
      healText(text, MEMORY_FORMS["progress.md"].sections);
      sessionSettings(`## Session Settings\n${text}`);
    },
  },
  {
    name: "memory merge",
    tokens: MEMORY,
    run: (text) => {
      const notes = text.split("\n");
      const { change } = parsePayload(
        JSON.stringify({ notes, retractions: notes.slice(0, 3), max_bullets: 9 }),
      );
      mergeSection(`## S\n${text}`, "S", change, "bullets");
      mergeSection(`## S\n${text}`, "S", change, "entries");
      mergeSpan(text, change, "bullets");
    },
  },
  {
    name: "memory repair",
    tokens: [...MEMORY, "API Patterns\n", "## Common Gotchas\n", "## Last Updated\n", "(conf: 0.8) "],
    run: (text) => {
      const original = `## Common Gotchas\n${text}\n## Last Updated\n${text}`;
      try {
        const { lines } = repairText("patterns.md", original);
        unifiedDiff(
          "patterns.md",
          repairLines(original).map((line) => line.text),
          lines,
        );
        repairText("activeContext.md", `## References\n${text}`);
      } catch (error) {
        // A heading inside a fence is none; the verb says so in words of its own.
        if (!(error instanceof MissingHeading)) throw error;
      }
    },
  },
  {
    name: "scope markers",
    tokens: [
      ...MEMORY,
      "[SCOPE-DECISION-PENDING: wf:a reason:",
      "]\n",
      "[DEBUG-RESET: wf:a]\n",
      "memory_task_id: a",
    ],
    run: (text) => {
      const decisions = `## Decisions\n${text}`;
      scopeMarkers(decisions);
      withoutMarker(decisions, "a");
      taskIdEdit("a")(`## References\n${text}`);
      debugResultEdit("a", "x")(`## Recent Changes\n${text}`);
      newestEdit("S", 10, () => {})(`## S\n${text}`);
    },
  },
  { name: "scope reply", tokens: ["critical only", "fix ", '"', "“", "”", ".", "'"], run: scopeOf },
  {
    name: "what a workflow learned",
    tokens: [...JSONS, '"tasks":["a"]', '"patterns":["a"]'],
    run: parseInput,
  },
  {
    name: "merge payload",
    tokens: [...JSONS, '"notes":', '"section":"A"', "NaN"],
    run: (text) => parsePayload(text),
  },
  {
    name: "terminal filter",
    tokens: ["\x1b", "\x1b[", "\x1b]0;", "\x07", "\x1b\\", "\x9b", "0", ";", "m", "\x18"],
    run: (text) => terminalFilter()(Buffer.from(text)),
  },
  {
    name: "a note as posted",
    tokens: JSONS,
    run: (text) => readNote(text, { files: { locate: () => undefined }, newest: () => undefined }),
  },
  {
    name: "a request's address",
    tokens: ["/", "..", "%2e", "%", "?", "&", "a=b", "#", "http://", ":", "@", "\\"],
    run: (text) => [requestPath(text), queryValue(requestPath(text).query, "a")],
  },
  {
    name: "Host header",
    tokens: ["localhost", ":", "[::1]", "1", ".", "[", "]", "@", "127.0.0.1"],
    run: parseHost,
  },
  { name: "screen", tokens: [...HTML, "<!doctype html>", "<html", "<head"], run: isFullDocument },
  {
    name: "process table",
    tokens: ["1 ", "(a) ", "S ", "Mon ", "Jan ", "00:00:00 ", "2026 ", ") "],
    run: (text) => [parsePsLine(text, "1"), parseStat(text)],
  },
  {
    name: "text for a terminal",
    tokens: ["\u200d", "️", "👩", "‏"],
    run: (text) => [printable(text), displayWidth(text), cutToWidth(text, 40), asciiJson(text)],
  },
];

export const PARSERS: readonly Parser[] = OWN.map((parser) => ({
  ...parser,
  tokens: [...parser.tokens, ...ANY],
}));

/** Run a parser. True when it refused; throws for anything that is no refusal. */
export async function refuses(parser: Parser, text: string): Promise<boolean> {
  try {
    await parser.run(text);
    return false;
  } catch (error) {
    if (error instanceof JigError) return true;
    throw error;
  }
}
