import type { Engine } from "./engine.ts";

const ENGINES: Readonly<Record<string, () => Promise<Engine>>> = {
  slurm: async () => (await import("./slurm.ts")).slurm,
  ssh: async () => (await import("./ssh.ts")).ssh,
};

/** What `--on` takes. */
export const ENGINE_FORMS = "local, slurm, slurm:PARTITION, ssh:DEST";

/** The engine of this kind; undefined for a word that is none. */
export async function engineOf(kind: string): Promise<Engine | undefined> {
  return Object.hasOwn(ENGINES, kind) ? ENGINES[kind]!() : undefined;
}
