import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomic } from "../../kernel/files/atomic.ts";
import { isOwnDirectory, readOwnedFile } from "../../kernel/files/owned-file.ts";
import { makeDirectory } from "../../kernel/files/private-dir.ts";
import type { NoteImage } from "../../kernel/shared/annotate-wire.ts";
import { insideState } from "./state-directory.ts";
import { removeFile } from "./state-files.ts";

/** What the file of an image is called after its id, by media type. */
export const IMAGE_EXTENSIONS: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/webp": "webp",
  "image/gif": "gif",
};

const NAME = /^([0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})\.(png|jpg|webp|gif)$/;

/** A file of `state/images`. */
export interface ImageFile extends NoteImage {
  modifiedMs: number;
}

const directoryOf = (stateDir: string): string => join(stateDir, "images");

/** The absolute path of an image, as agents are told it (docs/spec/web.md 11.4). */
export function imagePath(stateDir: string, image: Pick<NoteImage, "id" | "type">): string {
  return join(directoryOf(stateDir), `${image.id}.${IMAGE_EXTENSIONS[image.type] ?? "bin"}`);
}

/** Every image there is, in a directory that is ours; what else lies there counts by its bytes alone. */
export function imageFiles(
  stateDir: string,
  uid: number | undefined,
): { images: ImageFile[]; bytes: number } {
  const images: ImageFile[] = [];
  let bytes = 0;
  const directory = directoryOf(stateDir);
  if (!isOwnDirectory(directory, uid)) return { images, bytes };
  for (const name of readdirSync(directory)) {
    const stat = lstatSync(join(directory, name), { throwIfNoEntry: false });
    if (stat?.isFile() !== true) continue;
    bytes += stat.size;
    const [, id, extension] = NAME.exec(name) ?? [];
    const type = Object.keys(IMAGE_EXTENSIONS).find((one) => IMAGE_EXTENSIONS[one] === extension);
    if (id !== undefined && type !== undefined)
      images.push({ id, type, bytes: stat.size, modifiedMs: stat.mtimeMs });
  }
  return { images, bytes };
}

/** Keep an image, flushed, 0600 in 0700. Throws what the system says, `ENOSPC` above all. */
export function writeImage(
  stateDir: string,
  uid: number | undefined,
  image: Pick<NoteImage, "id" | "type">,
  bytes: Uint8Array,
): void {
  makeDirectory(directoryOf(stateDir));
  if (!isOwnDirectory(directoryOf(stateDir), uid)) throw new Error("state/images is not ours");
  writeFileAtomic(imagePath(stateDir, image), bytes, { mode: 0o600 });
}

/** The bytes of an image, read without following links; undefined when they are gone. */
export function readImage(
  stateDir: string,
  uid: number | undefined,
  image: Pick<NoteImage, "id" | "type">,
  maxBytes: number,
): Uint8Array | undefined {
  try {
    return insideState(stateDir, uid, (at) =>
      isOwnDirectory(directoryOf(at), uid)
        ? readOwnedFile(imagePath(at, image), { uid, maxBytes })
        : undefined,
    );
  } catch {
    return undefined;
  }
}

/** Windows keeps a file that the agent has open: it goes at the next start. */
export function removeImage(stateDir: string, image: Pick<NoteImage, "id" | "type">): void {
  try {
    removeFile(imagePath(stateDir, image));
  } catch {
    // Unnamed now, so the next start takes it away.
  }
}
