/** Programs that only start the one that is meant and wait for it, among them those that make a sandbox for it. */
const WRAPPERS = new Set(
  (
    "timeout env nice ionice chrt taskset setsid nohup stdbuf time xargs script sudo doas su runuser setpriv chroot " +
    "unshare nsenter bwrap firejail nsjail codex-linux-sandbox tini dumb-init docker-init podman-init catatonit"
  ).split(" "),
);

const SHELLS = new Set(
  "sh bash dash ash zsh ksh mksh oksh yash fish csh tcsh nu elvish xonsh busybox".split(" "),
);

/** Options of a shell whose value is a word of its own, and no script. */
const WITH_VALUE = /^(?:[-+][a-zA-Z]*[oO]|--rcfile|--init-file)$/;

/** Whether a process is there for one command only: a wrapper, or a shell that was given a command or a script. */
export function isPassing(words: readonly string[]): boolean {
  const [program = "", ...rest] = words;
  // A login shell's name begins with a dash, and Windows writes names as it likes.
  const name = /[^/\\]*$/.exec(program)![0].replace(/^-/, "");
  const windows = /^(cmd|powershell|pwsh)(\.exe)?$/i.exec(name)?.[1]?.toLowerCase();
  if (windows === "cmd") return isCmdWithCommand(rest);
  if (windows !== undefined) return isPowerShellWithCommand(rest);
  if (WRAPPERS.has(name)) return true;
  return SHELLS.has(name) && isShellWithCommand(rest);
}

function isShellWithCommand(words: readonly string[]): boolean {
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (/^-[a-zA-Z]*c/.test(word) || word === "--command") return true;
    if (WITH_VALUE.test(word)) at++;
    else if (!/^[-+]./.test(word)) return true;
  }
  return false;
}

/** `/k` runs a command and stays. */
function isCmdWithCommand(words: readonly string[]): boolean {
  return words.some((word) => /^\/c/i.test(word)) && !words.some((word) => /^\/k/i.test(word));
}

/** `-Command`, `-File`, `-EncodedCommand` or a part of these words, or a script; with `-NoExit` it stays. */
function isPowerShellWithCommand(words: readonly string[]): boolean {
  if (words.some((word) => /^[-/]noe/i.test(word))) return false;
  return words.some((word) => /^[-/](c[a-z]*|f[a-z]*|e|ec|en[a-z]*)$/i.test(word) || /\.ps1$/i.test(word));
}
