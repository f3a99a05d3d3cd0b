#!/usr/bin/env node
// A scripted stand-in for a model server, to drive a real coding-agent CLI without network, key or model.
//
//   node scripted-model.mjs --script steps.json --log requests.jsonl [--port 0] [--skills DIR]
//
// It listens on 127.0.0.1, prints "http://127.0.0.1:PORT" and answers in the wire format of whoever asks:
//
//   POST …/v1/messages                        Anthropic Messages       Claude Code
//   POST …/responses                          OpenAI Responses         Codex
//   POST …/chat/completions                   OpenAI chat completions  opencode
//   POST …/models/M:streamGenerateContent     Gemini                   Gemini CLI
//
// The script is one JSON array for all of them. Each step is one turn of the model:
//
//   {"say": "done"}                                              text; it ends the turn
//   {"tool": "shell", "command": "ls"}                           the host's shell tool
//   {"tool": "shell", "command": "…", "seconds": 20}             with a time limit, where the tool takes one
//   {"tool": "shell", "command": "…", "background": true}        in the host's background, where there is one
//   {"tool": "skill", "name": "jig-jobs"}                        the host's skill tool, else `cat` of the file it listed
//   {"tool": "write_stdin", "input": {"session_id": 1}}          any tool by the host's own name
//   … "after": 40                                                seconds until this answer: the host lives, no tool runs
//                                                                (Gemini CLI repeats a request after 60)
//
// The step to play is the number of turns the request's own history holds. So a repeated request gets the same answer,
// and several sessions can share one server. A request that offers no shell tool (a title, a summary) is told "ok".
//
// The log has one line per request: wire, step, tools (names), results (what the tools printed so far, newest last)
// and, with --skills, what arrived of the skills in DIR/*/SKILL.md: offered (whole description), cut (name only),
// loaded (whole text). JIG_MODEL_RAW=1 adds the request's whole body.

import { appendFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { parseArgs } from "node:util";

const { values: flags } = parseArgs({
  options: {
    script: { type: "string" },
    log: { type: "string" },
    port: { type: "string", default: "0" },
    skills: { type: "string" },
  },
});
const script = JSON.parse(readFileSync(flags.script, "utf8"));
const skills = flags.skills === undefined ? [] : readSkills(flags.skills);

// ── the wire formats ─────────────────────────────────────────────────────────────────────────────────────────────────
// Each one: whose path it is, the tools it offers, the turns and tool results in its history, and an answer as events.
// An answer is {text} or {id, name, input}.

const wires = {
  anthropic: {
    path: /\/messages$/,
    tools: (body) => body.tools ?? [],
    turns: (body) => body.messages.filter((m) => m.role === "assistant").length,
    results: (body) => blocks(body.messages, "tool_result").map((block) => textOf(block.content)),
    events(answer, { model = "m" }) {
      const block =
        answer.text === undefined
          ? { type: "tool_use", id: answer.id, name: answer.name, input: {} }
          : { type: "text", text: "" };
      const delta =
        answer.text === undefined
          ? { type: "input_json_delta", partial_json: JSON.stringify(answer.input) }
          : { type: "text_delta", text: answer.text };
      const usage = { input_tokens: 10, output_tokens: 10 };
      const message = { id: answer.id, type: "message", role: "assistant", model, content: [], usage };
      return [
        { type: "message_start", message: { ...message, stop_reason: null, stop_sequence: null } },
        { type: "content_block_start", index: 0, content_block: block },
        { type: "content_block_delta", index: 0, delta },
        { type: "content_block_stop", index: 0 },
        {
          type: "message_delta",
          delta: { stop_reason: block.type === "text" ? "end_turn" : "tool_use" },
          usage,
        },
        { type: "message_stop" },
      ];
    },
    whole: (answer, { model = "m" }) => ({
      ...{ id: answer.id, type: "message", role: "assistant", model, stop_reason: "end_turn" },
      content: [{ type: "text", text: answer.text ?? "ok" }],
      usage: { input_tokens: 10, output_tokens: 10 },
    }),
  },

  responses: {
    path: /\/responses$/,
    // A namespace is a group of tools.
    tools: (body) => (body.tools ?? []).flatMap((tool) => (tool.type === "namespace" ? tool.tools : [tool])),
    turns: (body) =>
      body.input.filter((i) => /^(function|custom_tool)_call$/.test(i.type) || i.role === "assistant").length,
    results: (body) => body.input.filter((i) => /_call_output$/.test(i.type)).map((i) => textOf(i.output)),
    events(answer) {
      const item =
        answer.text === undefined
          ? {
              type: "function_call",
              call_id: answer.id,
              name: answer.name,
              arguments: JSON.stringify(answer.input),
            }
          : { type: "message", role: "assistant", content: [{ type: "output_text", text: answer.text }] };
      const response = { id: `resp_${answer.id}` };
      const usage = { input_tokens: 10, output_tokens: 10, total_tokens: 20 };
      return [
        { type: "response.created", response },
        { type: "response.output_item.done", output_index: 0, item: { id: `item_${answer.id}`, ...item } },
        { type: "response.completed", response: { ...response, status: "completed", usage } },
      ];
    },
  },

  chat: {
    path: /\/chat\/completions$/,
    tools: (body) => (body.tools ?? []).map((tool) => tool.function),
    turns: (body) => body.messages.filter((m) => m.role === "assistant").length,
    results: (body) => body.messages.filter((m) => m.role === "tool").map((m) => textOf(m.content)),
    events(answer, { model = "m" }) {
      const call = { name: answer.name, arguments: JSON.stringify(answer.input) };
      const delta =
        answer.text === undefined
          ? { role: "assistant", tool_calls: [{ index: 0, id: answer.id, type: "function", function: call }] }
          : { role: "assistant", content: answer.text };
      const chunk = (choice, more) => ({
        ...{ id: answer.id, object: "chat.completion.chunk", created: 1, model },
        choices: [{ index: 0, ...choice }],
        ...more,
      });
      const reason = answer.text === undefined ? "tool_calls" : "stop";
      const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };
      return [
        chunk({ delta, finish_reason: null }),
        chunk({ delta: {}, finish_reason: reason }, { usage }),
        "[DONE]",
      ];
    },
  },

  gemini: {
    path: /:(stream)?[gG]enerateContent$/,
    tools: (body) => (body.tools ?? []).flatMap((tool) => tool.functionDeclarations ?? []),
    turns: (body) => body.contents.filter((c) => c.role === "model").length,
    results: (body) =>
      body.contents
        .flatMap((c) => c.parts)
        .filter((part) => part.functionResponse !== undefined)
        .map((part) => textOf(Object.values(part.functionResponse.response))),
    events(answer) {
      const call = { functionCall: { id: answer.id, name: answer.name, args: answer.input } };
      const parts = [answer.text === undefined ? call : { text: answer.text }];
      const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 10, totalTokenCount: 20 };
      return [
        {
          candidates: [{ index: 0, content: { role: "model", parts }, finishReason: "STOP" }],
          usageMetadata,
        },
      ];
    },
    whole: (answer) => wires.gemini.events(answer)[0],
  },
};

function blocks(messages, type) {
  return messages.flatMap((m) =>
    Array.isArray(m.content) ? m.content.filter((block) => block.type === type) : [],
  );
}

/** Every string inside a value, one a line. */
function textOf(value) {
  if (typeof value === "string") return value;
  if (value === null || typeof value !== "object") return "";
  return Object.values(value).map(textOf).filter(Boolean).join("\n");
}

// ── from a step to a tool call ───────────────────────────────────────────────────────────────────────────────────────

/** The shell tools we know, by name. `input` makes the arguments; times there are milliseconds. */
const shellTools = {
  Bash: ({ command, ms, background }) => ({
    ...{ command, description: "scripted step" },
    ...(ms && { timeout: ms }),
    ...(background && { run_in_background: true }),
  }),
  // Codex: `exec_command` leaves what is still running in the background after yield_time_ms.
  exec_command: ({ command, ms, background }) => ({
    cmd: command,
    yield_time_ms: background ? 250 : (ms ?? 30_000),
  }),
  shell_command: ({ command, ms }) => ({ command, ...(ms && { timeout_ms: ms }) }),
  bash: ({ command, ms }) => ({ command, description: "scripted step", ...(ms && { timeout: ms }) }),
  run_shell_command: ({ command, background }) => ({
    ...{ command, description: "scripted step" },
    ...(background && { is_background: true }),
  }),
};

const skillTools = {
  Skill: (name) => ({ skill: name }),
  skill: (name) => ({ name }),
  activate_skill: (name) => ({ name }),
};

function answerFor(index, tools, seen) {
  const step = script[Math.min(index, script.length - 1)];
  if (step.say !== undefined) return { id: `step_${index}`, text: step.say };
  const offered = tools.map((tool) => tool.name);
  const call = (name, input) => ({ id: `step_${index}`, name, input });
  const shell = (shellStep) => {
    const name = Object.keys(shellTools).find((known) => offered.includes(known));
    const ms = shellStep.seconds && shellStep.seconds * 1000;
    return call(name, shellTools[name]({ ...shellStep, ms }));
  };
  if (step.tool === "shell") return shell(step);
  if (step.tool !== "skill") return call(step.tool, step.input ?? {});
  const name = Object.keys(skillTools).find((known) => offered.includes(known));
  if (name !== undefined) return call(name, skillTools[name](step.name));
  // No skill tool: the model is given the path of the file and reads it with the shell.
  return shell({ command: `cat '${listedPath(seen, step.name)}'` });
}

/** The path of SKILL.md as the host lists it. Codex shortens directories to aliases: `r0` = `/home/me/.agents/skills`. */
function listedPath(seen, name) {
  const path = new RegExp(`\\S*\\b${name}/SKILL\\.md`).exec(seen)?.[0].replace(/^[("'`]+/, "");
  if (path === undefined) return `${name} is not listed`;
  const [first, ...rest] = path.split("/");
  const alias = first === "" ? undefined : new RegExp(`\`${first}\`\\s*=\\s*\`([^\`]+)\``).exec(seen)?.[1];
  return alias === undefined ? path : [alias, ...rest].join("/");
}

// ── what arrived of the skills ───────────────────────────────────────────────────────────────────────────────────────

function readSkills(directory) {
  return readdirSync(directory)
    .filter((name) => existsSync(join(directory, name, "SKILL.md")))
    .map((name) => {
      const [, head, text] = readFileSync(join(directory, name, "SKILL.md"), "utf8").split(/^---$/m);
      const description = /^description: *(.*)$/m.exec(head)?.[1] ?? "";
      return {
        name,
        text: flat(text),
        description: description.startsWith('"') ? JSON.parse(description) : description,
      };
    });
}

/** White space and XML escapes are the host's own business. */
function flat(text) {
  const plain = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };
  return text
    .replace(/&(lt|gt|quot|apos|amp);/g, (_, name) => plain[name])
    .replace(/\s+/g, " ")
    .trim();
}

function arrived(seen) {
  const all = flat(seen);
  const offered = skills.filter((skill) => all.includes(skill.description)).map((skill) => skill.name);
  const cut = skills.filter((s) => all.includes(s.name) && !offered.includes(s.name)).map((s) => s.name);
  return {
    offered,
    cut,
    loaded: skills.filter((skill) => all.includes(skill.text)).map((skill) => skill.name),
  };
}

// ── the server ───────────────────────────────────────────────────────────────────────────────────────────────────────

const server = createServer(async (request, response) => {
  const { pathname } = new URL(request.url, "http://localhost");
  const raw = await bodyOf(request);
  const wire = Object.keys(wires).find((name) => wires[name].path.test(pathname));
  // Lists of models, counted tokens, telemetry: nothing of interest, and no host insists.
  if (request.method !== "POST" || wire === undefined) {
    log({ other: `${request.method} ${request.url}` });
    return sendJson(
      response,
      /count_?tokens/i.test(pathname) ? { input_tokens: 10, totalTokens: 10 } : { data: [], models: [] },
    );
  }
  const body = JSON.parse(raw);
  const { tools: toolsOf, turns, results, events, whole } = wires[wire];
  const tools = toolsOf(body);
  const isAgent = tools.some((tool) => tool.name in shellTools);
  const index = turns(body);
  const seen = textOf(body);
  const answer = isAgent ? answerFor(index, tools, seen) : { id: "side", text: "ok" };
  log({
    ...{
      at: new Date().toISOString(),
      wire,
      step: isAgent ? index : null,
      tools: tools.map((t) => t.name ?? t.type),
    },
    ...{
      ...(skills.length > 0 && arrived(seen)),
      results: results(body),
      ...(flags.log && process.env.JIG_MODEL_RAW && { body }),
    },
  });
  const isStream = body.stream === true || /stream/.test(pathname);
  if (!isStream && whole !== undefined) return sendJson(response, whole(answer, body));
  response.writeHead(200, { "content-type": "text/event-stream" });
  const until = Date.now() + (isAgent ? (script[index]?.after ?? 0) * 1000 : 0);
  while (Date.now() < until && !response.destroyed) {
    // Signs of life, except for Gemini CLI: its reader takes no comments (and asks again after 60 s).
    if (wire !== "gemini") response.write(": not yet\n\n");
    await new Promise((resolve) => setTimeout(resolve, Math.min(5000, until - Date.now())));
  }
  for (const event of events(answer, body)) {
    const name = event.type === undefined ? "" : `event: ${event.type}\n`;
    response.write(`${name}data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`);
  }
  response.end();
});

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

function sendJson(response, value) {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}

function log(line) {
  if (flags.log !== undefined) appendFileSync(flags.log, `${JSON.stringify(line)}\n`);
}

server.listen(Number(flags.port), "127.0.0.1", () =>
  console.log(`http://127.0.0.1:${server.address().port}`),
);
