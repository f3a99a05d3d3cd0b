import type { Archetype, Execution } from "../common/vocabulary.ts";

/** Who works in each archetype (docs/spec/craft-engine.md 7.1). */
export type Profile = Readonly<Record<Archetype, Execution>>;

const INLINE = "inline";
const AGENT = "agent";

/** The built-in profiles; their names win over registered ones. */
export const PROFILES: ReadonlyMap<string, Profile> = new Map([
  [
    "solo",
    {
      setup: INLINE,
      specification: INLINE,
      construction: INLINE,
      harness: AGENT,
      refinement: INLINE,
      delivery: INLINE,
    },
  ],
  [
    "lean",
    {
      setup: INLINE,
      specification: INLINE,
      construction: AGENT,
      harness: AGENT,
      refinement: AGENT,
      delivery: INLINE,
    },
  ],
  [
    "full",
    {
      setup: AGENT,
      specification: AGENT,
      construction: AGENT,
      harness: AGENT,
      refinement: AGENT,
      delivery: AGENT,
    },
  ],
] as const);
