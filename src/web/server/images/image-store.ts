import { IMAGE_BYTES, type ImageAnswer, type NoteImage } from "../../../kernel/shared/annotate-wire.ts";
import { imageFiles, readImage, removeImage, writeImage } from "../../state/images-directory.ts";
import { LIMITS } from "../config.ts";
import { readImageHeader } from "./image-header.ts";

/** Why an image is refused, with the status that says so (docs/spec/web.md section 9). */
export interface ImageRefusal {
  status: number;
  error: string;
}

/** The images of a root's notes, on disk before the note that names them (docs/spec/web.md 11.4). */
export interface ImageStore {
  add(bytes: Uint8Array): ImageAnswer | ImageRefusal;
  /** One that is on disk. */
  find(id: string): NoteImage | undefined;
  read(image: NoteImage): Uint8Array | undefined;
  remove(image: NoteImage): void;
  /** Take away what no note has named for a day. */
  sweep(): void;
}

/** What the store has to know of the notes. */
export interface ImageHolders {
  isNamed(id: string): boolean;
  /** Take the images from the oldest done note that has any; none: there is none. */
  releaseOldest(): readonly NoteImage[];
}

const UNNAMED_MS = 24 * 3600 * 1000;

export function makeImageStore(
  stateDir: string,
  uid: number | undefined,
  now: () => number,
  holders: () => ImageHolders,
): ImageStore {
  /** Room for so many bytes more: the images of old done notes make way. */
  function hasRoom(more: number): boolean {
    let { bytes } = imageFiles(stateDir, uid);
    while (bytes + more > LIMITS.imagesBytes) {
      const released = holders().releaseOldest();
      if (released.length === 0) return false;
      for (const image of released) {
        removeImage(stateDir, image);
        bytes -= image.bytes;
      }
    }
    return true;
  }

  function sweep() {
    for (const image of imageFiles(stateDir, uid).images)
      if (!holders().isNamed(image.id) && now() - image.modifiedMs > UNNAMED_MS) removeImage(stateDir, image);
  }

  return {
    sweep,
    add(bytes) {
      const header = readImageHeader(bytes);
      if (header === "unknown") return { status: 415, error: "not a png, jpeg, webp or gif" };
      if (header === "unusable") return { status: 422, error: "damaged or over 50 megapixels" };
      sweep();
      const id = globalThis.crypto.randomUUID();
      const { type, width, height } = header;
      try {
        if (!hasRoom(bytes.length)) return NO_ROOM;
        writeImage(stateDir, uid, { id, type }, bytes);
      } catch {
        return NO_ROOM;
      }
      return { ok: true, id, type, width, height };
    },
    find(id) {
      const found = imageFiles(stateDir, uid).images.find((image) => image.id === id);
      return found === undefined ? undefined : { id: found.id, type: found.type, bytes: found.bytes };
    },
    read: (image) => readImage(stateDir, uid, image, IMAGE_BYTES),
    remove: (image) => removeImage(stateDir, image),
  };
}

const NO_ROOM: ImageRefusal = { status: 507, error: "no room for images" };
