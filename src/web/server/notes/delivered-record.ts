import type { NoteImage } from "../../../kernel/shared/annotate-wire.ts";
import type { NoteRecord } from "../../schema.ts";
import { imagePath } from "../../state/images-directory.ts";

/**
 * A note as the agent is handed it: with the paths of its images, and without `context.print`, which is the overlay's
 * own (docs/spec/web.md 10.2). A note that has neither is handed over as it is.
 */
export function recordWithImages(
  record: NoteRecord,
  images: readonly NoteImage[],
  stateDir: string,
): NoteRecord {
  const { print, ...context } = record.context ?? {};
  if (print === undefined && images.length === 0) return record;
  const paths = images.map((image) => imagePath(stateDir, image));
  const { number, ...rest } = record;
  return {
    ...rest,
    context: { ...context, ...(paths.length === 0 ? {} : { images: paths }) },
    ...(number === undefined ? {} : { number }),
  };
}
