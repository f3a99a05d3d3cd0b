import {
  clock,
  money,
  type Prices,
  plain,
  type RunSummary,
  type Spent,
  short,
  totalOf,
} from "./summarise.ts";

/**
 * A report as one page that needs nothing else: inline SVG, no script, readable in dark and light. Phases keep one colour
 * and one texture-free order throughout; the figures of every bar stand in the table below it.
 */
export function reportPage(runs: readonly RunSummary[], prices: Prices | undefined, ledger: string): string {
  const phases = [...new Set(runs.flatMap((run) => run.phases.map(({ phase }) => phase)))];
  const colours = new Map(phases.map((phase, index) => [phase, index % COLOURS]));
  const total = totalOf(runs);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>craft metrics</title>
<style>${STYLE}</style>
</head>
<body>
<h1>craft metrics</h1>
<p class="from">${runs.length} ${runs.length === 1 ? "run" : "runs"} of <code>${escaped(ledger)}</code></p>
<dl class="figures">${figures(total, prices)}</dl>
<section>
<h2>Cost of each run</h2>
<p>Bars are equivalents, a relative unit: input + 0.1 cache read + 1.25 cache creation + 5 output. Oldest run first.</p>
<ul class="legend">${phases.map((phase) => `<li><i class="c${colours.get(phase)}"></i>${escaped(phase)}</li>`).join("")}</ul>
<div class="scroll">${chart(runs, colours)}</div>
</section>
<section>
<h2>Cost of each phase</h2>
<div class="scroll">${phaseChart(runs, phases, colours)}</div>
</section>
<section>
<h2>Runs</h2>
<div class="scroll">${table(runs, prices)}</div>
</section>
</body>
</html>
`;
}

const COLOURS = 10;

function figures(total: Spent, prices: Prices | undefined): string {
  const pairs: [string, string][] = [
    ["tokens", short(total.tokens)],
    ["equivalent", short(total.equivalent)],
    ["agent time", clock(total.durationMs)],
    ["turns", short(total.turns)],
    ["phases run again", String(total.retries)],
  ];
  if (prices !== undefined) pairs.unshift(["cost", money(total.cost, prices)]);
  return pairs.map(([name, value]) => `<div><dt>${name}</dt><dd>${escaped(value)}</dd></div>`).join("");
}

const HEIGHT = 220;
const LEFT = 56;
const BOTTOM = 84;

/** One stacked bar a run; with many runs the bars get thin and only some are named. */
function chart(runs: readonly RunSummary[], colours: ReadonlyMap<string, number>): string {
  const width = Math.max(4, Math.min(48, Math.floor(1_200 / Math.max(1, runs.length))));
  const gap = width > 10 ? 8 : 1;
  const whole = Math.max(360, LEFT + runs.length * (width + gap) + 12);
  const most = Math.max(1, ...runs.map((run) => run.equivalent ?? 0));
  const every = Math.ceil(30 / (width + gap));
  const scale = (value: number) => (value / most) * HEIGHT;
  const parts: string[] = [axis(whole, most)];
  runs.forEach((run, index) => {
    const x = LEFT + index * (width + gap) + gap;
    let y = HEIGHT + 12;
    const bars = run.phases.map((phase) => {
      const height = scale(phase.equivalent ?? 0);
      y -= height;
      const title = `${run.run} ${phase.phase}: ${short(phase.equivalent)} equiv, ${clock(phase.durationMs)}`;
      return `<rect class="c${colours.get(phase.phase)}" x="${x}" y="${y.toFixed(1)}" width="${width}" height="${height.toFixed(1)}"><title>${escaped(title)}</title></rect>`;
    });
    parts.push(`<g>${bars.join("")}</g>`);
    if (index % every === 0) {
      const at = x + width / 2;
      parts.push(
        `<text class="name" transform="translate(${at.toFixed(1)},${HEIGHT + 24}) rotate(40)">${escaped(cut(run.run))}</text>`,
      );
    }
  });
  return svg(whole, HEIGHT + BOTTOM + 12, "Equivalents of each run, stacked by phase", parts.join(""));
}

function axis(width: number, most: number): string {
  return [0, 0.25, 0.5, 0.75, 1]
    .map((part) => {
      const y = 12 + HEIGHT * (1 - part);
      return `<line class="grid" x1="${LEFT}" x2="${width}" y1="${y}" y2="${y}"/><text class="tick" x="${LEFT - 8}" y="${y + 4}">${short(Math.round(most * part))}</text>`;
    })
    .join("");
}

const ROW = 26;
const NAMES = 150;
const BARS = 520;

/** One bar a phase over all runs. */
function phaseChart(
  runs: readonly RunSummary[],
  phases: readonly string[],
  colours: ReadonlyMap<string, number>,
): string {
  const totals = phases.map((phase) => ({
    phase,
    ...totalOf(runs.flatMap((run) => run.phases.filter((one) => one.phase === phase))),
  }));
  const most = Math.max(1, ...totals.map((one) => one.equivalent ?? 0));
  const rows = totals.map((one, index) => {
    const y = index * ROW + 4;
    const length = ((one.equivalent ?? 0) / most) * BARS;
    const again =
      one.retries === 0 ? "" : `, run again ${one.retries} ${one.retries === 1 ? "time" : "times"}`;
    return `<text class="tick" x="${NAMES - 8}" y="${y + 14}">${escaped(cut(one.phase))}</text><rect class="c${colours.get(one.phase)}" x="${NAMES}" y="${y}" width="${length.toFixed(1)}" height="18"/><text class="value" x="${NAMES + length + 8}" y="${y + 14}">${short(one.equivalent)}, ${clock(one.durationMs)}${again}</text>`;
  });
  return svg(
    NAMES + BARS + 220,
    totals.length * ROW + 8,
    "Equivalents of each phase over all runs",
    rows.join(""),
  );
}

function svg(width: number, height: number, label: string, content: string): string {
  return `<svg role="img" aria-label="${label}" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${content}</svg>`;
}

function table(runs: readonly RunSummary[], prices: Prices | undefined): string {
  const priced = prices === undefined ? "" : "<th>cost</th>";
  const cells = (spent: Spent) =>
    [
      short(spent.tokens),
      short(spent.output),
      short(spent.equivalent),
      ...(prices === undefined ? [] : [money(spent.cost, prices)]),
      clock(spent.durationMs),
      plain(spent.turns),
      plain(spent.toolCalls),
      String(spent.retries),
    ]
      .map((cell) => `<td>${escaped(cell)}</td>`)
      .join("");
  const body = runs
    .map((run) => {
      const phases = run.phases.map(
        (phase) => `<tr><th scope="row">${escaped(phase.phase)}</th>${cells(phase)}</tr>`,
      );
      return `<tbody><tr class="run"><th scope="row">${escaped(run.run)}</th>${cells(run)}</tr>${phases.join("")}</tbody>`;
    })
    .join("");
  return `<table><thead><tr><th>run, phase</th><th>tokens</th><th>output</th><th>equiv</th>${priced}<th>agent time</th><th>turns</th><th>tools</th><th>again</th></tr></thead>${body}</table>`;
}

function cut(text: string): string {
  const characters = [...text];
  return characters.length <= 20 ? text : `${characters.slice(0, 19).join("")}…`;
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

const STYLE = `
:root { color-scheme: light dark; --ink: #1c2024; --soft: #5b6570; --line: #d9dee3; --page: #ffffff; --panel: #f4f6f8;
  --c0: #2f6fb3; --c1: #b3541e; --c2: #2e8b57; --c3: #8457b0; --c4: #b08900; --c5: #c0446b; --c6: #2a8f9d; --c7: #77622f; --c8: #5a6b7b; --c9: #9c3d3d; }
@media (prefers-color-scheme: dark) { :root { --ink: #e7eaee; --soft: #a3adb8; --line: #3a424b; --page: #14181c; --panel: #1e242a;
  --c0: #6ea8e6; --c1: #e58e57; --c2: #63c48e; --c3: #b997e0; --c4: #dcb84a; --c5: #ec86a6; --c6: #62c3d0; --c7: #c1a866; --c8: #9fb0c1; --c9: #de8080; } }
body { margin: 0 auto; max-width: 76rem; padding: 1.5rem; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.1rem; margin: 2rem 0 0.25rem; }
p { color: var(--soft); margin: 0.25rem 0 0.75rem; } code { overflow-wrap: anywhere; }
.figures { display: flex; flex-wrap: wrap; gap: 0.75rem; margin: 1rem 0; }
.figures div { background: var(--panel); border-radius: 8px; padding: 0.5rem 0.9rem; }
dt { color: var(--soft); font-size: 0.8rem; } dd { margin: 0; font-size: 1.25rem; font-variant-numeric: tabular-nums; }
.legend { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; list-style: none; margin: 0 0 0.5rem; padding: 0; font-size: 0.85rem; }
.legend i { display: inline-block; width: 0.8em; height: 0.8em; border-radius: 2px; margin-right: 0.4em; }
.scroll { overflow-x: auto; } svg { display: block; font: 11px system-ui, sans-serif; }
svg text { fill: var(--soft); } svg .tick { text-anchor: end; } .grid { stroke: var(--line); }
table { border-collapse: collapse; font-size: 0.85rem; min-width: 40rem; } th, td { padding: 0.2rem 0.7rem; text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; font-weight: normal; }
th:first-child { text-align: left; padding-left: 1.4rem; color: var(--soft); } thead th { color: var(--soft); border-bottom: 1px solid var(--line); } thead th:first-child, .run th:first-child { padding-left: 0; }
.run th, .run td { font-weight: 600; border-top: 1px solid var(--line); color: var(--ink); }
${Array.from({ length: COLOURS }, (_, index) => `i.c${index} { background: var(--c${index}); } rect.c${index} { fill: var(--c${index}); }`).join("\n")}
`;
