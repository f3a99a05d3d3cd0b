/** The id of a workflow and the names of its worktree (docs/spec/flow.md 3). */
import { JigError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import { randomHex } from "../../kernel/text/random.ts";
import { isoSeconds } from "../../kernel/text/time.ts";
import type { MintedId } from "./schema.ts";
import { slugOf, slugSource } from "./slug.ts";

const HEX_BYTES = 4;
const MOST_ROLLS = 8;

export interface MintOptions {
  request: string;
  /** The branch the work is on; undefined when there is none. */
  branch: string | undefined;
  /** Whether a workflow of this id is there already. */
  isTaken?: (id: string) => boolean;
  /** Gives hexadecimal digits; the system's random source unless a test says otherwise. */
  roll?: (bytes: number) => string;
}

/** Make an id of the request and the moment. Throws `JigError` when eight in a row are taken. */
export function mintId(host: Pick<Host, "now">, options: MintOptions): MintedId {
  const { request, branch, isTaken = () => false, roll = randomHex } = options;
  const iso = isoSeconds(host.now());
  const timestamp = iso.slice(0, 19).replaceAll("-", "").replaceAll(":", "").replace("T", "-");
  const slug = slugOf(slugSource(branch, request));
  for (let left = MOST_ROLLS; left > 0; left--) {
    const hex = roll(HEX_BYTES);
    const uuid = `wf-${slug}-${timestamp}-${hex}`;
    if (isTaken(uuid)) continue;
    return {
      workflow_uuid: uuid,
      slug,
      short_hex: hex,
      timestamp,
      iso_timestamp: iso,
      worktree_dir: `${slug}-${hex}`,
      worktree_branch: `wf-${slug}-${hex}`,
    };
  }
  throw new JigError(`no free workflow id for wf-${slug}-${timestamp} after ${MOST_ROLLS} tries`, {
    hint: "try again in a second",
  });
}
