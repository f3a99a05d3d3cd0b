/**
 * Preloaded into the compiled binary (`BUN_OPTIONS=--preload=…`): kills it right before its nth call that changes a file,
 * or counts those calls. `JIG_KILL_AT` is n, or a file that the count is written to when the process ends. With
 * `JIG_KILL_AT_RENAME_TO` it dies before it renames something to that place, with `JIG_FAIL_RENAME_TO` that call fails.
 */
const fs = require("node:fs");

const CHANGES = [
  "renameSync",
  "unlinkSync",
  "rmdirSync",
  "rmSync",
  "mkdirSync",
  "symlinkSync",
  "linkSync",
  "openSync",
  "writeSync",
] as const;

const asked = process.env["JIG_KILL_AT"] ?? "";
const at = /^\d+$/.test(asked) ? Number(asked) : Number.POSITIVE_INFINITY;
let count = 0;

for (const name of CHANGES) {
  const original = fs[name];
  fs[name] = (...words: unknown[]) => {
    // Opening only counts where it makes something.
    const reads =
      name === "openSync" && (words[1] === "r" || (typeof words[1] === "number" && (words[1] & 64) === 0));
    if (!reads && ++count === at) process.kill(process.pid, "SIGKILL");
    if (name === "renameSync") meddle(String(words[1]));
    return original(...words);
  };
}

function meddle(place: string): void {
  if (place === process.env["JIG_KILL_AT_RENAME_TO"]) process.kill(process.pid, "SIGKILL");
  if (place === process.env["JIG_FAIL_RENAME_TO"])
    throw Object.assign(new Error("no space"), { code: "ENOSPC" });
}

if (at === Number.POSITIVE_INFINITY && asked !== "") {
  process.on("exit", () => fs.appendFileSync(asked, `${count}\n`));
}
