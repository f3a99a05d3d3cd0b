import { readdirSync, readFileSync, statSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ROOT } from "../../support/paths.ts";
import { source } from "./reading.ts";

const FOLDER = `${ROOT}/skills/jig-brainstorm`;
const of = (file: string) => source("brainstorm", file === "SKILL.md" ? file : `references/${file}`);

/** Every file in the order of the flow, with the most bytes it may have. */
const FILES: Record<string, number> = {
  "interaction-rules.md": 6000,
  "settled-decisions.md": 4200,
  "output-mode.md": 3000,
  "phase-0.md": 9000,
  "verdict-routing.md": 2500,
  "universal-brainstorming.md": 4500,
  "dialogue.md": 10000,
  "product-pressure-test.md": 2600,
  "blindspot-pass.md": 5000,
  "visual-probes.md": 6500,
  "model-tiers.md": 1700,
  "slack-researcher.md": 5500,
  "approaches.md": 5000,
  "bakeoff.md": 1600,
  "reasoning-elevation.md": 9000,
  "synthesis-summary.md": 8500,
  "plan-write.md": 4500,
  "brainstorm-sections.md": 14500,
  "markdown-rendering.md": 4500,
  "html-rendering.md": 8000,
  "handoff.md": 8500,
  "publishing.md": 2300,
};

const TOKENS: Record<string, string[]> = {
  "SKILL.md": [
    "mode:return-to-caller",
    "artifact_contract: ce-unified-plan/v1",
    "product_contract_source: ce-brainstorm",
    "YYYY-MM-DD-HHMM-<type>-<topic>-plan.<md|html>",
    "docs_root",
    "brainstorm_output",
    "brainstorm_model",
    ".compound-engineering/config.yaml",
    "config.local.yaml",
    "ce-plan",
    "ce-pov",
    "lfg",
  ],
  "interaction-rules.md": ["ce-prototype"],
  "settled-decisions.md": [
    "session-settled:",
    "chosen over",
    "user-directed",
    "user-approved",
    "Carrying forward:",
  ],
  "output-mode.md": [
    "output:",
    "mode:",
    "brainstorm_model:<alias>",
    "delegate:",
    "feat:",
    "Ignored unknown output: value '<value>' — using <resolved_format> instead.",
  ],
  "phase-0.md": [
    "Check what already exists",
    "Ask scoping questions",
    "Weigh approaches and recommend",
    "Confirm scope before writing",
    "Write the requirements plan",
    "Skipped: no doc warranted",
    "ce-unified-plan/v1",
    "docs/brainstorms/",
    "How This Work Fits Together",
  ],
  "verdict-routing.md": ["ce-pov"],
  "universal-brainstorming.md": ["Create a plan", "Save summary to disk", "Save and publish a copy", "Done"],
  "dialogue.md": [
    "STRATEGY.md",
    "PRODUCT.md",
    "VISION.md",
    "CONCEPTS.md",
    "(pack: <id>, <path within the pack>)",
    "pack:<id>",
    "grounding.md",
    "file:line",
    "ce-explain",
  ],
  "blindspot-pass.md": [
    "Map the territory first",
    "Proceed with questions",
    "Unverified — from model knowledge, not checked against current sources",
    "ce-explain",
  ],
  "visual-probes.md": [
    "Visual sketch",
    "Text description",
    "screens/001-<decision>.html",
    ".context/compound-engineering/ce-brainstorm-visual/<run-id>/",
  ],
  "slack-researcher.md": [
    "slack_search_public",
    "slack_search_public_and_private",
    "slack_read_thread",
    "slack_read_channel",
    "channel_types",
    "public_channel,private_channel",
    'content_types="files"',
    "in:",
    "-in:",
    "from:",
    "from:<@U123456>",
    "is:thread",
    "has:pin",
    "has:link",
    "has:file",
    "has::emoji:",
    "after:",
    "before:",
    "on:",
    "during:",
    "-word",
    "wild*",
    "Slack research unavailable: Slack MCP server not connected. Install and authenticate the Slack plugin to enable organizational context search.",
    "No search context provided -- skipping Slack research.",
    "**Workspace: <sub>.slack.com**",
    "**Research value: high|moderate|low** -- <why>",
    "#channel, ~date",
    "**Research value: none** -- No relevant Slack discussions found for [topic].",
  ],
  "approaches.md": ["confirmed", "refuted", "unverifiable", "file:line"],
  "bakeoff.md": ["ce-bakeoff"],
  "reasoning-elevation.md": [
    "brainstorm_model:<alias>",
    "^[A-Za-z0-9._-]{1,64}$",
    "CODEX_SANDBOX_NETWORK_DISABLED",
    "sandbox_permissions",
    "require_escalated",
    "justification",
    "never-started",
    "unreadable",
    "mismatch",
    "unverified",
    "`wait`",
    "`use`",
    "`retry`",
    "`degrade`",
  ],
  "synthesis-summary.md": [
    "The problem",
    "What we're building",
    "Call outs",
    "Carrying forward: <decision> over <rejected alternative> — <one-line reason>.",
    "Proceed and write the requirements-only plan",
    "Hold off — keep discussing before the doc",
  ],
  "plan-write.md": ["CONCEPTS.md", "session-settled:", "(pack: <id>, <path within the pack>)"],
  "brainstorm-sections.md": [
    ...[
      "Summary",
      "Requirements",
      "Problem Frame",
      "Key Decisions",
      "How This Work Fits Together",
      "Actors",
      "Key Flows",
    ],
    ...[
      "Visualizations",
      "Acceptance Examples",
      "Success Criteria",
      "Scope Boundaries",
      "Dependencies / Assumptions",
    ],
    ...[
      "Outstanding Questions",
      "Sources / Research",
      "`title`",
      "`type`",
      "`date`",
      "`topic`",
      "`artifact_contract`",
    ],
    ...[
      "`product_contract_source`",
      "ce-unified-plan/v1",
      "ce-brainstorm",
      "execution",
      "Resolve Before Planning",
    ],
    ...[
      "Deferred to Planning",
      "Deferred for later",
      "Outside this product's identity",
      "Depends on",
      "Enables",
      "Shares",
    ],
    ...["Can proceed independently of", "Still to decide", "<!-- ce-section: work-relationships -->"],
    ...['data-ce-section="work-relationships"', "Governs R5, R7", "Covers R4", " - Plan", "decisions.md"],
  ],
  "markdown-rendering.md": [
    ...[
      "Goal Capsule",
      "Product Contract",
      "Planning Contract",
      "Implementation Units",
      "Verification Contract",
    ].map((name) => `## ${name}`),
    "## Definition of Done",
    "## Appendix",
    "TB",
    "Waits on:",
  ],
  "html-rendering.md": [
    ...[
      "goal-capsule",
      "product-contract",
      "product-requirements",
      "planning-contract",
      "implementation-units",
    ],
    ...[
      "verification-contract",
      "definition-of-done",
      "appendix",
      "Document metadata",
      "data-ce-section",
      "composition-signal",
    ],
  ],
  "handoff.md": [
    "Create the implementation plan",
    "Ship it autonomously with `lfg`",
    "Pressure-test the requirements",
    "Prototype a remaining feel-question",
    "Open in browser",
    "Publish a copy to <destination>",
    "More clarifying questions to sharpen the scope",
    "Brainstorm complete.",
    "Brainstorm paused.",
    "Brainstorm complete!",
    "Plan artifact:",
    "Key decisions:",
    "Recommended next step:",
    "Planning is held on:",
    ...[
      "`status`",
      "`complete`",
      "`blocked`",
      "`result_kind`",
      "`artifact`",
      "`brief`",
      "`artifact_path`",
      "`null`",
    ],
    ...["`resolve_before_planning`", "`key_decisions`", "`grounding_path`", "Review complete"],
  ],
  "publishing.md": ["ce-proof"],
};

/** The fenced lines of each file, in their order. */
const LINES: Record<string, string[]> = {
  "SKILL.md": [
    "{{JIG}} skills preflight jig-brainstorm --api 1 --text {{JIG_VERSION}}",
    "{{JIG}} config docs-root",
    "{{JIG}} config get brainstorm_output",
    "{{JIG}} config get brainstorm_output --override <format>",
    "{{JIG}} config get brainstorm_model",
  ],
  "phase-0.md": ["{{JIG}} plan find --topic <slug> --json", "{{JIG}} plan find --match <text> --json"],
  "dialogue.md": ["{{JIG}} packs resolve", "{{JIG}} scratch ce-brainstorm <run-id>"],
  "visual-probes.md": [
    "{{JIG}} scratch ce-brainstorm-visual <run-id>",
    "{{JIG}} web start --root <abs-path>",
    "{{JIG}} web start --root <abs-path> --foreground",
    "{{JIG}} web status --root <abs-path>",
    "{{JIG}} web stop --root <abs-path>",
  ],
  "reasoning-elevation.md": [
    "{{JIG}} elevate --resolve --key brainstorm_model --session-model <model>",
    "{{JIG}} elevate --resolve --key brainstorm_model --intent <model> --session-model <model>",
    "{{JIG}} elevate --resolve --key brainstorm_model --intent none",
    "{{JIG}} elevate --resolve --key brainstorm_model --carrier <carrier-token> --headless",
    "{{JIG}} scratch ce-elevation <fresh-run-id>",
    "{{JIG}} elevate --start --skill ce-brainstorm --run-id <run-id> <model> <prompt-file> <result-path>",
    "{{JIG}} job wait --max-secs 30 <job-id>",
    "{{JIG}} elevate --verdict <job-id>",
    "{{JIG}} elevate --verdict <job-id> --retried",
    "{{JIG}} job result <job-id>",
    "{{JIG}} job result <job-id> --path <result-path>",
  ],
  "plan-write.md": [
    "{{JIG}} plan reserve --type <type> --topic <slug> --format <format>",
    "{{JIG}} plan reserve --convert <abs-path> --format <format>",
    "{{JIG}} plan check <abs-path> --stage requirements --producer ce-brainstorm",
    "{{JIG}} plan check <abs-path> --stage requirements --producer ce-brainstorm --split",
    "{{JIG}} plan check <abs-path> --stage requirements --producer ce-brainstorm --json",
    "{{JIG}} plan release <abs-path>",
  ],
};

describe("the files", () => {
  test("skills-brainstorm-1 text: exactly these files, each in the read table", () => {
    expect(readdirSync(`${FOLDER}/references`).sort()).toEqual(Object.keys(FILES).sort());
    const table = of("SKILL.md")
      .text.split("\n")
      .filter((line) => line.startsWith("|"))
      .join("\n");
    for (const file of Object.keys(FILES)) expect(table).toContain(`references/${file}`);
  });

  test("skills-brainstorm-2 text: no interpreter and no shell preamble anywhere", () => {
    for (const file of ["SKILL.md", ...Object.keys(FILES)]) {
      of(file).lacks("SKILL_DIR=", "python", "node ", "command -v", "mktemp", "umask", "chmod", "id -u");
    }
  });

  test("skills-brainstorm-3 text: every token in its file", () => {
    for (const [file, tokens] of Object.entries(TOKENS)) of(file).has(...tokens);
  });

  test("skills-brainstorm-31 text: every file within its size, a Lightweight run within 60 kB", () => {
    const size = (file: string) => statSync(`${FOLDER}/references/${file}`).size;
    for (const [file, most] of Object.entries(FILES)) expect(size(file), file).toBeLessThanOrEqual(most);
    const light = [
      "interaction-rules.md",
      "settled-decisions.md",
      "output-mode.md",
      "phase-0.md",
      "dialogue.md",
      "product-pressure-test.md",
      "synthesis-summary.md",
      "handoff.md",
    ];
    const sum = light.reduce((total, file) => total + size(file), statSync(`${FOLDER}/SKILL.md`).size);
    expect(sum).toBeLessThanOrEqual(60_000);
  });

  test("skills-brainstorm-32 text: the command lines of each file, and the read table in the order of the flow", () => {
    for (const file of ["SKILL.md", ...Object.keys(FILES)])
      expect(of(file).fenced(), file).toEqual(LINES[file] ?? []);
    const phases = [...of("SKILL.md").text.matchAll(/^\| (0\.0|0\.1-0\.4|1|2-2\.6|3|4) \|/gm)].map(
      ([, phase]) => phase!,
    );
    expect([...new Set(phases)]).toEqual(["0.0", "0.1-0.4", "1", "2-2.6", "3", "4"]);
    expect(phases).toEqual([...phases].sort());
  });

  test("rules of the interaction that other files lean on are where they say", () => {
    const rules = of("interaction-rules.md");
    for (let number = 1; number <= 10; number++)
      expect(rules.text).toMatch(new RegExp(`^${number}\\. \\*\\*`, "m"));
    for (const file of Object.keys(FILES)) {
      for (const [, named] of readFileSync(`${FOLDER}/references/${file}`, "utf8").matchAll(
        /`references\/([a-z0-9-]+\.md)`/g,
      )) {
        expect(Object.keys(FILES)).toContain(named);
      }
    }
  });
});

describe("the flow", () => {
  test("skills-brainstorm-4 text: Lightweight", () => {
    of("phase-0.md").says("neither", "single-step task", "answer directly");
    of("SKILL.md").says(
      "Lightweight",
      "no scout, no approach generation and no verifier",
      "no file unless",
      "stable ID",
      "the user wants one",
    );
    const row = of("synthesis-summary.md").says(
      "| a |",
      "Lightweight",
      "no question was asked",
      "`What we're building`",
      "no confirmation is asked",
      "same turn",
    );
    expect(row).toMatch(/^\| a \|/);
  });

  test("skills-brainstorm-5 text: questions and probes", () => {
    const rules = of("interaction-rules.md");
    rules.says("1. **one question per turn.**");
    rules.says("4. **ask is the default for every question, opening questions too.**");
    const dialogue = of("dialogue.md");
    dialogue.inOrder("Each gap is a separate open-ended probe", "### Exit", "every gap is probed or assumed");
  });

  test("skills-brainstorm-6 text: the full synthesis", () => {
    of("synthesis-summary.md").says(
      "| b |",
      "Standard and Deep",
      "also when nothing was asked",
      "closing confirmation, even with no call-outs",
    );
    of("phase-0.md").says("Path A or B", "decided only by `references/synthesis-summary.md`");
  });

  test("skills-brainstorm-7 skills-brainstorm-8 text: the verdict shape", () => {
    const phase = of("phase-0.md");
    phase.inOrder("adopt, switch to or replace <named thing>", "| Neither |");
    phase.says("adopt, switch to or replace <named thing>", "Software");
    const verdict = of("verdict-routing.md");
    verdict.inOrder("all three conditions", "Offer through ASK", "**Accept**", "**Decline**");
    verdict.says("INVOKE `ce-pov`", "Do not print an invocation");
    verdict.says("Decline", "do not offer again");
    verdict.says("Not installed: drop the offer and continue");
    verdict.says('"Help me pick between X, Y, Z" routes', '"I\'m mulling X, Y, Z" stays');
  });

  test("skills-brainstorm-9 text: the non-software route", () => {
    const universal = of("universal-brainstorming.md");
    universal.lacks("plan reserve", "plan check");
    universal.says("no unified plan", "nothing under `<root>/plans/`");
    universal.inOrder(
      "summary in chat first",
      "**Create a plan**",
      "**Save summary to disk**",
      "**Save and publish a copy**",
      "**Done**",
    );
    universal.says("**Save and publish a copy**", "only when", "publisher");
  });

  test("skills-brainstorm-10 text: revisions", () => {
    const synthesis = of("synthesis-summary.md");
    synthesis.says("A revision is not a confirmation", "shown again", "nothing is written");
    synthesis.says("Only when the same underlying decision is revised twice", "by decision, not by wording");
  });

  test("skills-brainstorm-11 skills-brainstorm-12 text: the format", () => {
    const mode = of("output-mode.md");
    mode.says("above the later menu", "the format that is finally resolved");
    mode.inOrder("1. **Request in this prompt**", "2. **Preference", "3. **Config**", "4. `md`");
    mode.says("Commented lines never count");
  });

  test("skills-brainstorm-13 text: the artifact root", () => {
    const skill = of("SKILL.md");
    skill.says("first time a `<root>/` path", "never earlier");
    skill.says("invalid", "stop; never fall back");
  });

  test("skills-brainstorm-15 text: resuming", () => {
    of("phase-0.md").inOrder(
      "confirm first",
      "Keep the file's own format, unless this run has an explicit `output:`",
    );
  });

  test("skills-brainstorm-16 skills-brainstorm-29 text: the blindspot pass", () => {
    const pass = of("blindspot-pass.md");
    pass.inOrder("## Trigger", "## Gate", "## Offer", "## Map", "## Re-entry");
    pass.says("Once per territory", "before the first substantive question into it");
    pass.says("Declined", "no second offer", "defaults, recorded as assumptions");
    pass.says("3-7 items", "at most 4 lines each");
    pass.says("headless run the offer is never made", "treated as declined");
  });

  test("skills-brainstorm-17 text: the visual gate", () => {
    const probes = of("visual-probes.md");
    probes.says(
      "the offer comes before the first shape, behaviour, state, layout, flow or diagram decision in any form",
    );
    probes.says("Text chosen: not offered again for that decision");
    probes.says("text mock-up", "does not satisfy it");
    probes.says("the prototype route stays open");
    of("dialogue.md").inOrder("**Visual.**", "### Guidelines");
  });

  test("skills-brainstorm-18 skills-brainstorm-19 text: elevation", () => {
    const elevation = of("reasoning-elevation.md");
    elevation.inOrder("1. **Native**", "2. **Claude CLI**", "3. **Inline**");
    elevation.says("precondition was unmet", "runs inline", "name the precondition and its remedy");
    elevation.says("mismatch", "discard the output");
    elevation.says("Never another model than the one chosen");
  });

  test("skills-brainstorm-20 text: the verifier", () => {
    const approaches = of("approaches.md");
    approaches.says(
      "exactly one generation-tier verifier",
      "when the Path B question goes up",
      "never delaying",
    );
    approaches.says("corrects refuted", "labels unverifiable", "before the write");
    approaches.says("Dispatch failing", "verify inline before writing");
  });

  test("skills-brainstorm-21 text: the coherent-work gate", () => {
    const phase = of("phase-0.md");
    phase.says("which one area this brainstorm owns");
    phase.says("kept as context", "the boundary is carried into the Goal Capsule");
    phase.says("No parent plan");
  });

  test("skills-brainstorm-22 skills-brainstorm-23 skills-brainstorm-24 text: the handoff", () => {
    const handoff = of("handoff.md");
    for (const label of ["Create the implementation plan", "Ship it autonomously"]) {
      handoff.says(label, "nothing under `Resolve Before Planning` is unresolved");
    }
    handoff.says("Paused", "the user can lift the hold", "recorded as an assumption or deferred");
    handoff.says(
      "host's option cap",
      "numbered list in chat",
      "free text is fine",
      "No option is trimmed",
      "numbering is contiguous",
      "no done or pause option",
    );
    handoff.inOrder(
      "## 4.0",
      "`status`",
      "`result_kind`",
      "`artifact_path`",
      "`brief`",
      "`resolve_before_planning`",
      "`key_decisions`",
      "`grounding_path`",
      "## 4.1",
    );
    handoff.says("nothing else of phase 4 runs");
    handoff.says("ends this skill, not the turn");
  });

  test("skills-brainstorm-25 text: Slack only when asked", () => {
    const dialogue = of("dialogue.md");
    dialogue.says("| yes | yes |", "references/slack-researcher.md");
    dialogue.says("| yes | no |", "on request");
    dialogue.says("| no | yes |", "installed and authenticated");
    dialogue.says("never automatic");
    const naming = of("SKILL.md")
      .text.split("\n")
      .filter((line) => line.includes("slack-researcher.md"));
    expect(naming).toHaveLength(1);
    expect(naming[0]).toContain("when the user asked");
  });

  test("skills-brainstorm-26 text: publishing", () => {
    const publishing = of("publishing.md");
    publishing.says("write the file first");
    publishing.inOrder(
      "The publisher the user asked for",
      "The publisher the host itself provides",
      "The local file",
    );
    publishing.says("Installed is not permission");
    publishing.says("confirmation of this very document", "naming the host earlier is not confirmation");
    publishing.says("Failure: keep the local file", "no other publisher");
    publishing.says("Never in a headless run");
  });

  test("skills-brainstorm-27 text: vocabulary", () => {
    of("plan-write.md").says("Only if `CONCEPTS.md` exists", "after the plan", "Resolved terms only");
    of("dialogue.md").says("Never create `CONCEPTS.md`");
  });

  test("skills-brainstorm-28 skills-brainstorm-30 text: after a compaction, and without jig", () => {
    const skill = of("SKILL.md");
    const last = skill.text.trimEnd().split("\n").at(-1)!;
    expect(last).toMatch(
      /compaction.*`SKILL\.md`, `references\/interaction-rules\.md` and the current phase's file/,
    );
    const without = skill.says(
      "Dialogue, approaches, synthesis and chat results work",
      "say so once",
      "skipped",
      "say both",
    );
    expect(without).not.toMatch(/python|node|bash|shell/);
  });

  test("skills-brainstorm-35 text: settled decisions", () => {
    const settled = of("settled-decisions.md");
    settled.says("Settled", "recorded with provenance");
    settled.says("Directive", "exactly one challenge");
    settled.says("Unlabeled", "ordinary input");
    settled.says("bare assent is never `user-directed`");
    settled.says("never lowers the severity of a real defect");
    of("reasoning-elevation.md").says("conventions", "the one input that is not untrusted data");
  });
});
