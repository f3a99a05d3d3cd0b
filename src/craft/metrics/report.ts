import { JigError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome, Terminal } from "../../kernel/call/outcome.ts";
import { writeFileAtomic } from "../../kernel/files/atomic.ts";
import { absoluteFrom } from "../../kernel/files/contain.ts";
import { table } from "../../kernel/text/table.ts";
import { shown } from "../common/run-words.ts";
import { ledgerPath, metricsRoot, readRows } from "./ledger.ts";
import { readPrices } from "./prices.ts";
import {
  clock,
  money,
  type Prices,
  plain,
  type RunSummary,
  type Spent,
  short,
  summarise,
} from "./summarise.ts";

export interface ReportOptions {
  run: string | undefined;
  ledger: string | undefined;
  /** A JSON table of prices. */
  prices: string | undefined;
  /** Where a page is written instead of printing a table. */
  html: string | undefined;
}

/** What `metrics report --json` prints. */
export interface MetricsReport {
  ledger: string;
  currency: string | null;
  runs: RunSummary[];
}

/** What the runs of a repository took, by run and by phase (docs/spec/craft-run.md 9.7). */
export async function report(host: Host, options: ReportOptions): Promise<Outcome<MetricsReport>> {
  const root = await metricsRoot(host);
  const path = ledgerPath(host, root, options.ledger);
  if (path === undefined) {
    throw new JigError(`--ledger ${shown(options.ledger ?? "")} is not contained within the repo root`);
  }
  const prices = options.prices === undefined ? undefined : readPrices(host, options.prices);
  const read = readRows(path);
  if (read === undefined) {
    throw new JigError(`no metrics ledger at ${shown(path)}`, {
      hint: "jig craft metrics emit --run RUN_ID writes one at the end of a run",
    });
  }
  const notes = read.skipped === 0 ? [] : [`note: ${read.skipped} line(s) of ${shown(path)} are no rows`];
  const rows = options.run === undefined ? read.rows : read.rows.filter(({ run }) => run === options.run);
  if (options.run !== undefined && rows.length === 0)
    throw new JigError(`no rows of run ${shown(options.run)}`);
  const runs = summarise(rows, prices);
  const data: MetricsReport = { ledger: path, currency: prices?.currency ?? null, runs };
  if (options.html === undefined)
    return { data, text: (terminal) => tableText(runs, prices, terminal), notes };
  const target = absoluteFrom(host.cwd, options.html);
  const { reportPage } = await import("./page.ts");
  writeFileAtomic(target, reportPage(runs, prices, path), { keepMode: true });
  return { data, text: target, notes };
}

function tableText(runs: readonly RunSummary[], prices: Prices | undefined, terminal: Terminal): string {
  const head = [
    "RUN",
    "PHASE",
    "TOKENS",
    "EQUIV",
    ...(prices === undefined ? [] : ["COST"]),
    "TIME",
    "TURNS",
    "AGAIN",
  ];
  const cells = (spent: Spent) => [
    short(spent.tokens),
    short(spent.equivalent),
    ...(prices === undefined ? [] : [money(spent.cost, prices)]),
    clock(spent.durationMs),
    plain(spent.turns),
    String(spent.retries),
  ];
  const rows = runs.flatMap((run) => [
    ...run.phases.map((phase) => [run.run, phase.phase, ...cells(phase)]),
    [run.run, "total", ...cells(run)],
  ]);
  return table(head, rows, terminal);
}
