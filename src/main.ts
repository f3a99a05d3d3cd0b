// The front door. The supervisor's mode comes first and loads nothing else (docs/spec/jobs.md section 6).
const words = process.argv.slice(2);
if (words[0] === "__supervise") {
  const { supervise } = await import("./job/supervise/supervisor.ts");
  process.exitCode = await supervise(words[1] ?? "");
} else {
  const { main } = await import("./cli/main.ts");
  process.exit(await main(process.argv0, words));
}

export {};
