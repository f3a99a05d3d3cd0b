/**
 * `ssh`, made of a few lines of shell: it runs the remote shell on this machine, in a home and a jobs root of its own. For
 * another machine that is an enemy, which a real server's cannot easily be made.
 */
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { JIG } from "../../support/paths.ts";
import { until } from "../../support/run.ts";
import { expectNobodyLeft } from "../support.ts";

export interface FakeSsh {
  /** To stand first on `PATH`. */
  bin: string;
  /** The other machine's jobs root. */
  root: string;
  /** Its home. */
  home: string;
  /** The words of every call, one a line. */
  calls(): string[];
  /** Ids of the jobs there. */
  jobs(): string[];
  file(id: string, name: string): string;
  /** Wait until nothing runs there any more, be it on behalf of a caller that is gone. */
  quiet(): Promise<unknown>;
  /** Replace the client itself; the body is a shell script. */
  client(body: string): void;
  /** Replace the jig there; the body is a shell script, `$REAL` the real one. */
  jig(body: string): void;
}

/** The other machine, in a directory. */
export function fakeSsh(directory: string): FakeSsh {
  const [bin, home, path] = [join(directory, "fake-ssh"), join(directory, "home"), join(directory, "there")];
  for (const made of [bin, home, path]) mkdirSync(made);
  const [root, calls, there] = [
    join(directory, "remote-root"),
    join(directory, "ssh-calls"),
    join(path, "jig"),
  ];
  symlinkSync(JIG, there);
  writeFileSync(calls, "");
  const script = (file: string, body: string) => {
    writeFileSync(`${file}.new`, `#!/bin/sh\nREAL=${JIG}\n${body}\n`);
    chmodSync(`${file}.new`, 0o755);
    // A running shell goes on reading the old one.
    renameSync(`${file}.new`, file);
  };
  const log = `printf '%s\\n' "$*" >> ${calls}`;
  const client = (body: string) => script(join(bin, "ssh"), `${log}\n${body}`);
  const clean = `PATH=${path}:/usr/bin:/bin HOME=${home} CE_PEER_JOBS_ROOT=${root} LANG=C.UTF-8`;
  client(`cd ${home}; exec env -i ${clean} /bin/sh`);
  onTestFinished(() => expectNobodyLeft(root));
  return {
    bin,
    root,
    home,
    calls: () => readFileSync(calls, "utf8").split("\n").filter(Boolean),
    jobs: () => readdirSync(join(root, "s/r/jobs")),
    file: (id, name) => readFileSync(join(root, "s/r/jobs", id, name), "utf8"),
    quiet: () => until("nothing to run there", () => !pids().some((pid) => hasHome(pid, home))),
    client,
    jig: (body) => script(there, body),
  };
}

const pids = () => readdirSync("/proc").filter((name) => /^\d+$/.test(name));

function hasHome(pid: string, home: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(`HOME=${home}`);
  } catch {
    return false;
  }
}
