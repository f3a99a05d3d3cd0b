import { printable } from "../../../kernel/text/printable.ts";
import { type Bullet, identityOf, isPointer, makeBullet, makePointer } from "./bullet.ts";
import type { DroppedNote, Note } from "./notes.ts";

/** What is to become of a section's bullets or entries. */
export interface Change {
  /** Texts whose bullets go. */
  retractions: readonly string[];
  notes: readonly (Note | DroppedNote)[];
  /** Most that are kept, pointers to archives not counted; undefined keeps all. */
  cap: number | undefined;
  /** Where evicted ones go; a pointer to it is left. */
  archivePath: string | undefined;
}

/** A section's text after a change, and what it cost. */
export interface Merged {
  text: string;
  /** Whole lines (or entries) over the cap, in file order. */
  evicted: string[];
  /** The identities of the bullets that were retracted. */
  retracted: string[];
  warnings: string[];
}

export interface Combined {
  bullets: Bullet[];
  /** Those over the cap, in file order. */
  evicted: Bullet[];
  /** Those that went because a retraction names them. */
  retracted: Bullet[];
  warnings: string[];
}

/** The bullets of a section after a change: retractions, then notes in order, then the cap (docs/spec/flow.md 9.5). */
export function combine(bullets: readonly Bullet[], change: Change): Combined {
  const warnings: string[] = [];
  const { kept, retracted } = retract(bullets, change.retractions, warnings);
  const noted = addNotes(kept, change.notes, warnings);
  const { bullets: rest, evicted } = capped(noted, change.cap, warnings);
  if (evicted.length > 0 && change.archivePath !== undefined) addPointer(rest, change.archivePath);
  return { bullets: rest, evicted, retracted, warnings };
}

function retract(
  bullets: readonly Bullet[],
  texts: readonly string[],
  warnings: string[],
): { kept: Bullet[]; retracted: Bullet[] } {
  const gone = new Set(texts.map(identityOf).filter((identity) => identity !== ""));
  const retracted = bullets.filter(({ identity }) => gone.has(identity));
  for (const bullet of retracted)
    if (bullet.organic) warnings.push(warning("retracting organic-marked bullet", bullet));
  return { kept: bullets.filter(({ identity }) => !gone.has(identity)), retracted };
}

function addNotes(
  bullets: readonly Bullet[],
  notes: readonly (Note | DroppedNote)[],
  warnings: string[],
): Bullet[] {
  const list = new BulletList(bullets);
  for (const note of notes) {
    if ("warning" in note) warnings.push(note.warning);
    else list.add(makeBullet(note.text, note.confidence, note.organic));
  }
  return list.bullets;
}

/** Bullets with an index, so that a note is placed without looking at all of them. */
class BulletList {
  readonly bullets: Bullet[] = [];
  /** By identity, where the imported ones stand, first to last. */
  readonly #imported = new Map<string, number[]>();
  /** The organic ones, by identity and confidence. */
  readonly #organic = new Set<string>();

  constructor(bullets: readonly Bullet[]) {
    for (const bullet of bullets) this.#append(bullet);
  }

  /** The first imported bullet of the identity gives way to one at least as sure; an organic one never does. */
  add(bullet: Bullet): void {
    // The same organic note again adds nothing: a merge may be repeated.
    if (this.#organic.has(organicKey(bullet))) return;
    const places = this.#imported.get(bullet.identity);
    const place = places?.[0];
    if (place === undefined) {
      this.#append(bullet);
      return;
    }
    if (bullet.confidence < this.bullets[place]!.confidence) return;
    this.bullets[place] = bullet;
    if (bullet.organic) {
      places!.shift();
      this.#organic.add(organicKey(bullet));
    }
  }

  #append(bullet: Bullet): void {
    this.bullets.push(bullet);
    if (bullet.organic) {
      this.#organic.add(organicKey(bullet));
      return;
    }
    const places = this.#imported.get(bullet.identity);
    if (places === undefined) this.#imported.set(bullet.identity, [this.bullets.length - 1]);
    else places.push(this.bullets.length - 1);
  }
}

function organicKey({ confidence, identity, organic }: Bullet): string {
  return `${organic} ${confidence} ${identity}`;
}

/** Oldest first, imported before organic; pointers stay. */
function capped(
  bullets: readonly Bullet[],
  cap: number | undefined,
  warnings: string[],
): { bullets: Bullet[]; evicted: Bullet[] } {
  const counted = bullets.filter((bullet) => !isPointer(bullet));
  let excess = cap === undefined ? 0 : counted.length - cap;
  const gone = new Set<Bullet>();
  for (const organic of [false, true]) {
    for (const bullet of counted) {
      if (excess <= 0) break;
      if (bullet.organic !== organic) continue;
      gone.add(bullet);
      excess--;
      if (organic) warnings.push(warning("cap eviction removed organic-marked bullet", bullet));
    }
  }
  return {
    bullets: bullets.filter((bullet) => !gone.has(bullet)),
    evicted: counted.filter((bullet) => gone.has(bullet)),
  };
}

function addPointer(bullets: Bullet[], path: string): void {
  const pointer = makePointer(path);
  if (!bullets.some((bullet) => bullet.organic && bullet.identity === pointer.identity))
    bullets.push(pointer);
}

function warning(what: string, { line }: Bullet): string {
  return `Warning: ${what}: ${printable(line.trim())}`;
}
