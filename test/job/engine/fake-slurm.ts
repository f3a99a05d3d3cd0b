/**
 * Slurm's programs, made of a few lines of shell: for what a real controller cannot be brought to do, or takes too long to.
 * A queue is a file of `squeue`'s lines.
 */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface FakeSlurm {
  /** To stand first on `PATH`. */
  bin: string;
  /** Lines of `ID|NAME|STATE|NODE|REASON`. */
  queue: string;
  /** Each call of `squeue` leaves a line. */
  calls: string;
  /** Replace a program. */
  program(name: string, body: string): void;
}

/** The programs in a directory; a submitted job is queued and never runs. */
export function fakeSlurm(directory: string): FakeSlurm {
  const bin = join(directory, "fake-slurm");
  mkdirSync(bin);
  const [queue, calls] = [join(directory, "queue"), join(directory, "calls")];
  writeFileSync(queue, "");
  const program = (name: string, body: string) => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${body}\n`);
    chmodSync(join(bin, name), 0o755);
  };
  program(
    "sbatch",
    `cat >/dev/null; id=$(($(wc -l < ${queue}) + 1))
for word; do case $word in --job-name=*) name=\${word#--job-name=};; esac; done
echo "$id|$name|PENDING||Priority" >> ${queue}; echo $id`,
  );
  program("squeue", `echo call >> ${calls}; cat ${queue}`);
  program(
    "scontrol",
    'case "$*" in *config*) echo "ClusterName = jig";; *) echo "Invalid job id specified" >&2; exit 1;; esac',
  );
  program("scancel", "exit 0");
  program("sacct", "exit 1");
  return { bin, queue, calls, program };
}
