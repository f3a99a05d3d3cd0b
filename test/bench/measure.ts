import type { BenchRow } from "./types.ts";

/** Cost of one run of a program, in milliseconds. */
export interface Cost {
  /** User and system time of the program and the children it waited for. */
  cpu: number;
  wall: number;
}

export interface RunSettings {
  env?: Record<string, string>;
  cwd?: string;
  /** What the program reads; nothing without. */
  stdin?: string;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Run a program once and measure it. Throws when it fails, so that an error is never measured as a fast run. */
export function measureOnce(command: readonly string[], { env, cwd, stdin }: RunSettings = {}): Cost {
  const started = performance.now();
  const run = Bun.spawnSync([...command], {
    stdin: stdin === undefined ? "ignore" : new TextEncoder().encode(stdin),
    stdout: "ignore",
    stderr: "pipe",
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...process.env, ...env },
  });
  const wall = performance.now() - started;
  if (run.exitCode !== 0) throw new Error(`${command.join(" ")} exits ${run.exitCode}: ${run.stderr}`);
  const { cpuTime } = run.resourceUsage!;
  return { cpu: Number(cpuTime.total) / 1000, wall };
}

/** Median cost of programs run in turns, so that a busy moment hits all of them alike. */
export function measureInTurns(
  commands: readonly (readonly string[])[],
  settings: RunSettings = {},
  rounds = 41,
): Cost[] {
  const costs = commands.map((): Cost[] => []);
  for (let round = 0; round < rounds; round++) {
    commands.forEach((command, index) => void costs[index]!.push(measureOnce(command, settings)));
  }
  return costs.map((runs) => ({
    cpu: median(runs.map((run) => run.cpu)),
    wall: median(runs.map((run) => run.wall)),
  }));
}

/** CPU and wall rows of some commands, each beside the empty compiled program in the same pass. */
export function compareWithEmpty(
  empty: string,
  named: readonly (readonly [figure: string, command: readonly string[]])[],
  settings: RunSettings = {},
  rounds = 41,
): BenchRow[] {
  const [base, ...costs] = measureInTurns(
    [[empty], ...named.map(([, command]) => command)],
    settings,
    rounds,
  );
  const baseline = "empty compiled program";
  return costs.flatMap((cost, index) => [
    { figure: `${named[index]![0]}, CPU`, value: cost.cpu, unit: "ms", baseline, baselineValue: base!.cpu },
    {
      figure: `${named[index]![0]}, wall`,
      value: cost.wall,
      unit: "ms",
      baseline,
      baselineValue: base!.wall,
    },
  ]);
}
