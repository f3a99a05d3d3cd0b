import type { Statement } from "./statements.ts";

/** Calls that write, rename or run something, by module (docs/spec/flow.md 15.3). */
const CALLS: Readonly<Record<string, readonly string[]>> = {
  os: ["system", "rename", "replace"],
  subprocess: ["run", "call", "Popen", "check_call"],
  shutil: ["copy", "copyfile", "move"],
};

/** The names under which a program reaches those calls; imports of any place in it add theirs. */
export class CallNames {
  private readonly names = new Set<string>();

  constructor() {
    for (const module of Object.keys(CALLS)) this.addModule(module, module);
  }

  /** Take in what the statement imports. */
  note({ imports }: Statement): void {
    const from = imports.lastIndexOf("from");
    const at = imports.indexOf("import", Math.max(from, 0));
    if (at < 0) return;
    const module = from < 0 ? undefined : imports[from + 1];
    for (let next = at + 1; next < imports.length; ) {
      const name = imports[next]!;
      const renamed = imports[next + 1] === "as" ? imports[next + 2] : undefined;
      if (module === undefined) this.addModule(name, renamed ?? name);
      else this.addCall(module, name, renamed ?? name);
      next += renamed === undefined ? 1 : 3;
    }
  }

  /** Whether the statement calls one of them. */
  calledIn({ calls }: Statement): boolean {
    for (const name of calls) if (this.names.has(name)) return true;
    return false;
  }

  private addModule(module: string, as: string): void {
    if (!Object.hasOwn(CALLS, module)) return;
    for (const call of CALLS[module]!) this.names.add(`${as}.${call}`);
  }

  private addCall(module: string, call: string, as: string): void {
    if (!Object.hasOwn(CALLS, module)) return;
    if (call === "*") for (const one of CALLS[module]!) this.names.add(one);
    else if (CALLS[module]!.includes(call)) this.names.add(as);
  }
}
