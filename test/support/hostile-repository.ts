import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Every setting by which git runs a program, as `git help config` documents them, with `<name>` filled in. A test
 * compares the list with what the git at hand documents.
 */
export const PROGRAM_KEYS = [
  "alias.status",
  "alias.x",
  "browser.trap.cmd",
  "core.alternateRefsCommand",
  "core.askPass",
  "core.editor",
  "core.fsmonitor",
  "core.gitProxy",
  "core.pager",
  "core.sshCommand",
  "credential.helper",
  "credential.http://127.0.0.1.helper",
  "diff.external",
  "diff.trap.command",
  "diff.trap.textconv",
  "difftool.trap.cmd",
  "filter.trap.clean",
  "filter.trap.process",
  "filter.trap.smudge",
  "gc.recentObjectsHook",
  "gpg.openpgp.program",
  "gpg.program",
  "gpg.ssh.defaultKeyCommand",
  "gpg.ssh.program",
  "gpg.x509.program",
  "guitool.trap.cmd",
  "hook.trap.command",
  "imap.tunnel",
  "interactive.diffFilter",
  "man.trap.cmd",
  "merge.trap.driver",
  "mergetool.trap.cmd",
  "pager.log",
  "pager.status",
  "remote.origin.receivepack",
  "remote.origin.uploadpack",
  "remote.origin.vcs",
  "sendemail.ccCmd",
  "sendemail.headerCmd",
  "sendemail.sendmailCmd",
  "sendemail.smtpServer",
  "sendemail.tocmd",
  "sequence.editor",
  "submodule.trap.update",
  "tar.trap.command",
  "trailer.trap.cmd",
  "trailer.trap.command",
  "uploadpack.packObjectsHook",
  "web.browser",
] as const;

const HOOKS = [
  "applypatch-msg",
  "commit-msg",
  "fsmonitor-watchman",
  "post-applypatch",
  "post-checkout",
  "post-commit",
  "post-index-change",
  "post-merge",
  "post-rewrite",
  "pre-applypatch",
  "pre-auto-gc",
  "pre-commit",
  "pre-merge-commit",
  "pre-push",
  "pre-rebase",
  "prepare-commit-msg",
  "reference-transaction",
];

/** A filter that printed nothing would empty the files. */
const PASSES_ON = /^filter\.trap\.(clean|smudge)$/;

export interface Traps {
  /** Names of the keys and hooks whose program ran so far. */
  sprung(): string[];
}

/**
 * Make a repository's configuration name a program for every key, some of them in an included file, and every hook one
 * that notes its name. `gitDirectory` holds the `config` file, which may exist. `without` leaves keys out.
 */
export function plantPrograms(gitDirectory: string, base: string, without: readonly string[] = []): Traps {
  const keys = PROGRAM_KEYS.filter((key) => !without.includes(key));
  const log = join(base, "sprung");
  const programs = join(base, "programs");
  mkdirSync(programs, { recursive: true });
  const program = (name: string) => {
    const path = join(programs, name.replace(/[^A-Za-z0-9.-]/g, "_"));
    writeFileSync(
      path,
      `#!/bin/sh\necho '${name}' >>'${log}'\n${PASSES_ON.test(name) ? "exec cat" : "exit 0"}\n`,
    );
    chmodSync(path, 0o755);
    return path;
  };
  const setting = (key: string) => {
    const [section, ...rest] = key.split(".");
    const variable = rest.pop();
    const header = rest.length === 0 ? `[${section}]` : `[${section} "${rest.join(".")}"]`;
    const prefix = /^(alias|submodule)\./.test(key) ? "!" : "";
    // A vcs is a name that git completes to a program on PATH; `ext` runs the address.
    const value = key.endsWith(".vcs") ? "ext" : prefix + program(key);
    return `${header}\n\t${variable} = "${value}"\n`;
  };
  const filter = keys.some((key) => key.startsWith("filter.")) ? '[filter "trap"]\n\trequired = true\n' : "";
  const flags = `[commit]\n\tgpgSign = true\n[tag]\n\tgpgSign = true\n[log]\n\tshowSignature = true\n${filter}[hook "trap"]\n\tevent = pre-commit\n\tevent = post-checkout\n[remote "origin"]\n\turl = ext::${program("remote.url")}
[url "ext::${program("url.insteadOf")} "]\n\tinsteadOf = http://trap.invalid/\n[protocol "ext"]\n\tallow = always
[core]\n\thooksPath = ${join(base, "hooks")}\n\tuntrackedCache = true\n[include]\n\tpath = ${join(base, "included")}\n`;
  const half = Math.floor(keys.length / 2);
  const config = join(gitDirectory, "config");
  const before = existsSync(config) ? readFileSync(config, "utf8") : "";
  writeFileSync(config, before + keys.slice(0, half).map(setting).join("") + flags);
  writeFileSync(join(base, "included"), keys.slice(half).map(setting).join(""));
  for (const directory of [join(base, "hooks"), join(gitDirectory, "hooks")]) {
    mkdirSync(directory, { recursive: true });
    for (const hook of HOOKS) {
      writeFileSync(join(directory, hook), `#!/bin/sh\necho 'hook ${hook}' >>'${log}'\n`, { mode: 0o755 });
    }
  }
  mkdirSync(join(gitDirectory, "info"), { recursive: true });
  writeFileSync(join(gitDirectory, "info/attributes"), "* filter=trap diff=trap merge=trap\n");
  return {
    sprung: () => (existsSync(log) ? [...new Set(readFileSync(log, "utf8").trim().split("\n"))].sort() : []),
  };
}
