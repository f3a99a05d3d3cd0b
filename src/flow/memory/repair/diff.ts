import type { RepairLine } from "./lines.ts";

const CONTEXT = 3;

interface Op {
  mark: " " | "-" | "+";
  text: string;
}

/**
 * A unified diff of a file and its repair, without a final newline; empty when nothing changed. Lines that stayed know
 * their place, so nothing is searched for: linear.
 */
export function unifiedDiff(
  name: string,
  original: readonly string[],
  repaired: readonly RepairLine[],
): string {
  const ops = opsOf(original, repaired);
  const hunks = hunksOf(ops);
  if (hunks.length === 0) return "";
  return [`--- ${name} (original)`, `+++ ${name} (repaired)`, ...hunks].join("\n");
}

function opsOf(original: readonly string[], repaired: readonly RepairLine[]): Op[] {
  const ops: Op[] = [];
  let added: Op[] = [];
  let next = 0;
  const remove = (until: number) => {
    for (; next < until; next++) ops.push({ mark: "-", text: original[next]! });
  };
  const add = () => {
    ops.push(...added);
    added = [];
  };
  for (const { from, text } of repaired) {
    if (from === undefined) {
      added.push({ mark: "+", text });
      continue;
    }
    remove(from);
    if (original[from] === text) {
      add();
      ops.push({ mark: " ", text });
      next = from + 1;
    } else {
      remove(from + 1);
      added.push({ mark: "+", text });
    }
  }
  remove(original.length);
  add();
  return ops;
}

function hunksOf(ops: readonly Op[]): string[] {
  const hunks: string[] = [];
  // Lines of each side before the current place.
  let [oldLine, newLine] = [0, 0];
  let at = 0;
  const pass = (until: number) => {
    for (; at < until; at++) {
      if (ops[at]!.mark !== "+") oldLine++;
      if (ops[at]!.mark !== "-") newLine++;
    }
  };
  for (let first = nextChange(ops, 0); first !== -1; first = nextChange(ops, at)) {
    pass(Math.max(at, first - CONTEXT));
    const begin = at;
    let last = first;
    for (
      let change = first;
      change !== -1 && change <= last + 2 * CONTEXT + 1;
      change = nextChange(ops, change + 1)
    ) {
      last = change;
    }
    const end = Math.min(ops.length, last + 1 + CONTEXT);
    const [oldBefore, newBefore] = [oldLine, newLine];
    pass(end);
    const range = (before: number, after: number) => {
      const length = after - before;
      const start = length === 0 ? before : before + 1;
      return length === 1 ? `${start}` : `${start},${length}`;
    };
    hunks.push(`@@ -${range(oldBefore, oldLine)} +${range(newBefore, newLine)} @@`);
    for (const { mark, text } of ops.slice(begin, end)) hunks.push(mark + text);
  }
  return hunks;
}

function nextChange(ops: readonly Op[], from: number): number {
  for (let index = from; index < ops.length; index++) if (ops[index]!.mark !== " ") return index;
  return -1;
}
