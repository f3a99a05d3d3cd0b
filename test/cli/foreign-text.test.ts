import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { printable, printableBlock, printableJson } from "../../src/kernel/text/printable.ts";
import { hasTerminalProgram, runOnTerminal } from "../support/pty.ts";
import { runJig } from "../support/run.ts";
import { tempDir } from "../support/temp.ts";
import { authed, postNote, screen, startServer, webRoot } from "../web/support.ts";

/** What a terminal obeys or a reader does not see, and none of it a byte below U+0020. */
const NASTY = [
  ..."\u007f\u0080\u0085\u009b\u009d\u00ad\u061c\u200b\u200e\u200f\u2028\u2029\u202a\u202e\u2060\u2066\u2069\ufeff\ufff9",
  "\u{e0041}",
];
/** Those that YAML takes, too. */
const INVISIBLE = NASTY.filter((character) => character > "\u00a0");
const RAW = new RegExp(`[${NASTY.join("")}]|\u001b`, "u");

describe("one function for one line, several lines and JSON", () => {
  const text = `a${NASTY.join("b")}\u001b[31m\n\tc`;

  test("shows each of them, and what is not one stays", () => {
    expect(printable(text)).not.toMatch(RAW);
    expect(printableBlock(text)).not.toMatch(RAW);
    expect(printableBlock(text)).toContain("\n\tc");
    const plain = "grüße 日本 🙂 [ok]";
    expect([printable(plain), printableBlock(plain), printableJson(plain)]).toEqual([plain, plain, plain]);
  });

  test("JSON keeps its values", () => {
    for (const indent of [0, 2]) {
      const json = printableJson(JSON.stringify({ [text]: [text] }, null, indent));
      expect(json).not.toMatch(RAW);
      expect(JSON.parse(json)).toEqual({ [text]: [text] });
    }
  });
});

describe("no command lets a terminal obey what others wrote", () => {
  const N = NASTY.join("");
  const I = INVISIBLE.join("");
  const name = `n${I}`;

  function repository(): { root: string; home: string } {
    const base = tempDir();
    const root = join(base, "repo");
    const home = join(base, "home");
    const files: Record<string, string> = {
      ".compound-engineering/config.yaml": [
        `plan_output: "${I}"`,
        `docs_root: "docs${I}"`,
        `unknown${I}: "${I}"`,
        `work_engine_preferences:\n  - harness: "x${I}"\n    model: "m${I}"`,
        `rule_packs:\n  - id: "p${I}"\n    source: "./packs/one"\n  - source: "./packs/${name}"`,
        "packs:",
        `  - id: one\n    source: ./packs/one\n  - id: "two${I}"\n    source: "./packs/${name}"`,
      ].join("\n"),
      ".compound-engineering/config.local.yaml": `plan_output: "${I}"\nwork_engine: "${I}"\ndocs_root: "d${I}"\n`,
      "packs/one/README.md": `# One\n\nFirst ${N} paragraph.\n`,
      "packs/one/rule.md": `---\ntitle: "T${I}"\napplies_when:\n  - "w${I}"\n---\n\nBody ${N}\n`,
      [`packs/${name}/r${I}.md`]: `---\ntitle: "T${I}"\napplies_when: ["w${I}"]\n---\n\nBody\n`,
      [`docs/plans/2026-01-01-001-feat-${name}-plan.md`]: `---\ntitle: "T${I}"\ntype: "feat${I}"\nstatus: "x${I}"\ndate: "${I}"\n---\n\n# H${N}\n\n## S${N}\n\n- R1. ${N}\n- R1. twice ${N}\n\n[l${N}](./gone${I}.md)\n\n## Open ${N} Questions\n\n- Q ${N}?\n`,
      "docs/plans/2026-01-01-002-feat-b-plan.html": `<html><head><title>${N}</title></head><body><h1>${N}</h1><dl><dt>type${I}</dt><dd>${N}</dd></dl><li id="R1${I}">R1. ${N}</li><p>type: ${N}</p></body></html>`,
      "skill/SKILL.md": `---\nname: "s${I}"\ndescription: "d${N}"\n---\n\nRun \`jig no${N}\` and [x](./gone${I}.md)\n`,
      [`skill/extra${I}.md`]: `text ${N}`,
      "craft.md": `---\nname: "c${I}"\npipeline: "p${I}"\nphases: ["x${I}"]\n"k${I}": "v${I}"\n---\n\n${N}\n`,
      "pipeline.yml": `name: "p${I}"\nphases:\n  - id: "x${I}"\n    agent: "a${I}"\n    "k${I}": 1\n`,
      "prose.md": `In order to ${N} very ${N} really leverage.\n\nTODO${N}: fix\n`,
      "stub.ts": `// TODO ${N}\nthrow new Error("not implemented ${N}");\n`,
      "findings.json": JSON.stringify([{ file: `f${N}`, line: 1, message: N, severity: N }]),
      "package.json": `{"name":"p","scripts":{"test":"vitest ${I}"}}`,
    };
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    mkdirSync(home);
    execFileSync("git", ["init", "-q", root]);
    return { root, home };
  }

  const plan = `docs/plans/2026-01-01-001-feat-${name}-plan.md`;
  const html = "docs/plans/2026-01-01-002-feat-b-plan.html";
  const CALLS: string[][] = [
    ...["plan_output", "docs_root", "work_engine", "work_engine_preferences", `no${N}`].map((key) => [
      "config",
      "get",
      key,
    ]),
    ...[["docs-root"], ["list"], ["list", "--json"], ["check"], ["check", "--json"]].map((words) => [
      "config",
      ...words,
    ]),
    ...[
      ["resolve"],
      ["list"],
      ["list", "--json"],
      ["show", "one"],
      ["show", `x${N}`],
      ["refresh", `x${N}`],
    ].map((words) => ["packs", ...words]),
    ...[
      ["check", plan],
      ["check", plan, "--json"],
      ["check", html],
      ["check", html, "--json"],
      ["check", `no${N}.md`],
      ["find"],
      ["find", "--json"],
      ["sections", plan],
      ["sections", plan, "--json"],
      ["sections", html],
      ["sections", plan, "--get", `no${N}`],
      ["release", `no${N}`],
      ["reserve", "--type", `t${N}`, "--slug", `s${N}`],
    ].map((words) => ["plan", ...words]),
    ...[
      ["check", "--dir", "skill"],
      ["check", "--dir", "skill", "--json"],
      ["show", `no${N}`],
      ["list", "--dir", `no${I}`],
      ["install", `no${N}`, "--dir", `d${I}`],
      ["install", "jig-jobs", "--dir", `d${I}`],
      ["uninstall", "jig-jobs", "--dir", `d${I}`],
      ["preflight", `no${N}`],
    ].map((words) => ["skills", ...words]),
    ...[
      ["explain", "craft.md"],
      ["resolve", `c${N}`],
      ["resolve", "craft.md"],
      ["parse-args", `--no${N}`, N],
      ["gate", `g${N}`],
      ["pipeline-lint", "pipeline.yml"],
      ["pipeline-resolve", "pipeline.yml"],
      ["manifest-lint", "craft.md"],
      ["config-resolve", `c${N}`],
      ["contract-assemble", `x${N}`],
      ["detect"],
      ["detect", "--test-command"],
      ["detect", "--json"],
      ["normalize-findings", "findings.json"],
      ["filter-findings", "findings.json"],
      ["prose-lint", "prose.md"],
      ["prose-lint", "prose.md", "--json"],
      ["stub-lint", "stub.ts"],
      ["stub-lint", "stub.ts", "--json"],
      ["plan-lint", plan],
      ["dod-assert", "craft.md"],
      ["promote-plan", `c${N}`],
    ].map((words) => ["craft", ...words]),
    ...[
      ["start", "--skill", `s${N}`, "--run-id", "r", "--", "true"],
      ["start", "--skill", "s", "--run-id", "r", "--label", `l${N}`, "--", "true"],
      ["start", "--skill", "s", "--run-id", "r", "--", `no${N}`],
      ["start", "--skill", "s", "--run-id", "r", "--result-path", `no${I}/x`, "--", "true"],
      ["status", `r${N}`],
      ["wait", `r${N}`, "--deadline-secs", "1"],
      ["result", `r${N}`],
      ["logs", `r${N}`],
      ["reap", `r${N}`],
      ["list", "--skill", `s${N}`],
      ["list", "--json"],
    ].map((words) => ["job", ...words]),
    ...[
      ["base-dir", `s${N}`],
      ["scratch", `s${N}`, `r${N}`],
      ["link", `no${I}/x${I}`],
      ["schema", `no${N}`],
      ["completions", `no${N}`],
      ["elevate", "--no", N],
      ["doctor"],
      [`no${N}`],
      ["web", "status", "--root", `w${I}`],
      ["web", "stop", "--root", `w${I}`],
      ["web", "annotations", "--root", `w${I}`],
      ["web", "wait", "--root", `w${I}`],
      ["web", "start", "--root", "prose.md"],
      ["web", "start", "--root", `prose.md/${I}`],
      ["web", "start", "--root", "x", "--port", `1${N}`],
      ["web", "start", "--root", "x", "--host", `h${N}`],
    ],
  ];

  /** What a program reads as it is: a pipe gets the value, a terminal does not. */
  const EXACT = ["config get docs_root", "config docs-root"];

  test("whatever it prints of files, names and words", async () => {
    const { root, home } = repository();
    const raw: string[] = [];
    let shown = 0;
    const env = { HOME: home, TMPDIR: home };
    for (let at = 0; at < CALLS.length; at += 4) {
      const calls = CALLS.slice(at, at + 4);
      const runs = await Promise.all(
        calls.map((words) => runJig(words, { cwd: root, env, timeout: 60_000 })),
      );
      for (const [index, { stdout, stderr, code }] of runs.entries()) {
        const call = printable(calls[index]!.join(" "));
        const exact = EXACT.includes(calls[index]!.join(" "));
        if (exact && !RAW.test(stdout)) raw.push(`not as it is: ${call}`);
        if (!exact && RAW.test(stdout)) raw.push(`stdout of ${call}: ${printable(stdout.slice(0, 300))}`);
        if (RAW.test(stderr)) raw.push(`stderr of ${call}: ${printable(stderr.slice(0, 300))}`);
        if (code === 70) raw.push(`exit 70 of ${call}: ${printable(stderr)}`);
        if (/\\u\{?(202e|e0041)|\\x9b|\\u202e/.test(stdout + stderr)) shown++;
      }
    }
    expect(raw).toEqual([]);
    expect(shown).toBeGreaterThan(CALLS.length / 2);
  }, 180_000);

  test("a label, a reason and the output of a job, shown to a person", async () => {
    const { root, home } = repository();
    const env = { HOME: home, TMPDIR: home };
    const run = (...words: string[]) => runJig(["job", ...words], { cwd: root, env });
    const script = `printf 'seen by a person\\n%s' "$1"; exit 3`;
    const started = await run("start", "--skill", "s", "--run-id", "r", "--", "sh", "-c", script, "sh", N);
    const id = started.stdout.trim();
    await run("wait", id);
    for (const words of [
      ["list"],
      ["list", "--json"],
      ["status", id],
      ["wait", id, "--json"],
      ["result", id],
    ]) {
      const { stdout, stderr } = await run(...words);
      expect([words[0], RAW.test(stdout), RAW.test(stderr)]).toEqual([words[0], false, false]);
    }
    // A pipe gets the bytes of a log, a terminal never.
    expect((await run("logs", id)).stdout).toContain(N);
    if (!hasTerminalProgram) return;
    for (const words of [`job logs ${id}`, "job list", ...EXACT, "config list"]) {
      const shown = runOnTerminal(words, env, root).replaceAll(/\u001b\[[0-9;?]*[a-zA-Z]/g, "");
      expect([words, RAW.test(shown)]).toEqual([words, false]);
      expect(shown.length).toBeGreaterThan(10);
    }
  });

  test("a person's comment, handed to the agent by a server and without one", async () => {
    const root = webRoot();
    screen(root, "001.html", "<h1>One</h1>");
    const server = await startServer(root, ["--annotate"]);
    const note = {
      comment: N.slice(1),
      selector: N,
      textSnippet: N,
      context: { label: N },
      rect: { [N]: N },
    };
    const expected = { ...note, comment: note.comment.trim(), selector: N.trim() };
    await postNote(server, note);
    await authed(server, "/session/flush", { method: "POST" });
    const shown = async (...words: string[]) => {
      const { stdout, stderr } = await runJig(["web", ...words, "--root", root]);
      expect([words, RAW.test(stdout), RAW.test(stderr)]).toEqual([words, false, false]);
      return JSON.parse(stdout) as object[];
    };
    expect(await shown("annotations")).toMatchObject([expected]);
    expect(await shown("wait")).toMatchObject([expected]);
    await postNote(server, note);
    await runJig(["web", "stop", "--root", root]);
    expect(await shown("annotations", "--state", "queued")).toMatchObject([expected]);
    expect(await shown("wait")).toMatchObject([expected]);
  });
});
