import type { Host } from "../../../kernel/call/host.ts";
import { writeFileAtomic } from "../../../kernel/files/atomic.ts";
import { withKernelLock } from "../../../kernel/files/lock.ts";
import { lookAt } from "../../../kernel/files/look.ts";
import { readOwnedText } from "../../../kernel/files/owned-file.ts";
import { isObject, parseObject } from "../../../kernel/text/json.ts";
import type { Layout } from "../../common/layout.ts";

/** Denials of a target by a session are counted this long, in seconds. */
const REMEMBERED_SECONDS = 30 * 60;
/** How long a hook waits for another that counts. */
const LOCK_WAIT_MS = 5_000;
const LARGEST_FILE = 8 << 20;

type Denials = Record<string, unknown>;

interface Denial {
  count: number;
  /** Seconds since 1970. */
  last_ts: number;
}

export interface Attempt {
  host: Pick<Host, "now">;
  layout: Layout;
  session: string | undefined;
  paths: readonly string[];
}

/** Count a denial of each path; whether any was denied before (docs/spec/flow.md 15.3). Throws when it cannot be counted. */
export async function countDenial(attempt: Attempt): Promise<boolean> {
  const { host, layout } = attempt;
  const now = host.now() / 1000;
  let repeated = false;
  await change(layout, (denials) => {
    repeated = false;
    for (const [key, denial] of Object.entries(denials)) {
      if (isDenial(denial) && now - denial.last_ts > REMEMBERED_SECONDS) delete denials[key];
    }
    for (const key of keysOf(attempt)) {
      const before = denials[key];
      const count = isDenial(before) ? before.count + 1 : 1;
      repeated ||= count > 1;
      denials[key] = { count, last_ts: now };
    }
  });
  return repeated;
}

/** Forget the denials of paths that are written now. Most calls find nothing to forget and take no lock. */
export async function forgetDenials(attempt: Attempt): Promise<void> {
  const { layout } = attempt;
  if (lookAt(layout.denials) === undefined) return;
  const known = readDenials(layout);
  const keys = keysOf(attempt).filter((key) => Object.hasOwn(known, key));
  if (keys.length === 0) return;
  await change(layout, (denials) => {
    for (const key of keys) delete denials[key];
  });
}

function keysOf({ paths, session }: Attempt): string[] {
  return [...new Set(paths.map((path) => `${session ?? "nosession"}::${path.toLowerCase()}`))];
}

function isDenial(value: unknown): value is Denial {
  return isObject(value) && typeof value["count"] === "number" && typeof value["last_ts"] === "number";
}

async function change(layout: Layout, edit: (denials: Denials) => void): Promise<void> {
  await withKernelLock(
    layout.denialLock,
    () => {
      const denials = readDenials(layout);
      edit(denials);
      writeFileAtomic(layout.denials, `${JSON.stringify(denials)}\n`, { keepMode: true });
    },
    { timeoutMs: LOCK_WAIT_MS },
  );
}

/** Throws for a file that is no table of denials: it is left as it is. */
function readDenials({ denials }: Layout): Denials {
  if (lookAt(denials) === undefined) return {};
  const table = parseObject(readOwnedText(denials, { uid: undefined, maxBytes: LARGEST_FILE }));
  if (table === undefined) throw new Error(`${denials} is no JSON object`);
  return table;
}
