/** `npm run bench`: every figure beside a plain baseline measured in the same pass. Words choose benches by name. */
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Bench, BenchRow } from "./types.ts";

const ROOT = join(import.meta.dirname, "../..");
const MODULES = [
  "cli",
  "craft",
  "flow-hooks",
  "flow-state",
  "flow-status",
  "job",
  "overlay",
  "packs",
  "parsers",
  "web",
];

/** An empty program compiled the way jig is: what any compiled program costs before its first line. */
function compileEmpty(directory: string): string {
  writeFileSync(join(directory, "empty.ts"), "export {};\n");
  const outfile = join(directory, "empty");
  const switches = ["--no-compile-autoload-dotenv", "--no-compile-autoload-bunfig", "--minify", "--bytecode"];
  const command = [process.execPath, "build", "--compile", ...switches, "--format=esm", "--splitting"];
  const { exitCode, stderr } = Bun.spawnSync([...command, "empty.ts", `--outfile=${outfile}`], {
    cwd: directory,
  });
  if (exitCode !== 0) throw new Error(`cannot compile the empty program: ${stderr}`);
  return outfile;
}

function format(value: number): string {
  if (value >= 1000) return value.toFixed(0);
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

function print(rows: readonly BenchRow[]) {
  const cells = rows.map((row) => [
    row.figure,
    `${format(row.value)} ${row.unit}`,
    row.baselineValue === undefined ? "" : `${format(row.baselineValue)} ${row.unit}`,
    row.baselineValue === undefined ? "" : `${(row.value / row.baselineValue).toFixed(2)} x`,
    row.baseline ?? "",
  ]);
  const all = [["figure", "jig", "baseline", "ratio", "what the baseline is"], ...cells];
  const widths = all[0]!.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  for (const row of all) {
    console.log(
      row
        .map((cell, column) =>
          column >= 1 && column <= 3 ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!),
        )
        .join("  ")
        .trimEnd(),
    );
  }
}

const wanted = process.argv.slice(2);
const tempDir = mkdtempSync(join(tmpdir(), "jig-bench-"));
try {
  // A copy, so that both programs lie in memory the way a file just written does.
  const jig = join(tempDir, "jig");
  copyFileSync(join(ROOT, "dist/jig"), jig);
  const context = { jig, empty: compileEmpty(tempDir), tempDir };
  for (const name of MODULES) {
    const { benches } = (await import(`./${name}.ts`)) as { benches: Bench[] };
    for (const bench of benches) {
      if (wanted.length > 0 && !wanted.some((word) => `${name} ${bench.name}`.includes(word))) continue;
      console.log(`\n${name}: ${bench.name}`);
      print(await bench.run(context));
    }
  }
} finally {
  rmSync(tempDir, { recursive: true, force: true });
}
