import {
  IMAGE_BYTES,
  IMAGES_PATH,
  type ImageAnswer,
  NOTE_IMAGES,
  type NoteImage,
} from "../../kernel/shared/annotate-wire.ts";
import type { App } from "../app.ts";
import { textOr } from "../page/json.ts";
import * as page from "../page/page.ts";

/** Images of notes: uploaded at once, so that they are on disk before the note that names them (15.16). */
export interface Images {
  /** Send a file to the server; why it was not taken otherwise. */
  upload(file: Blob, already: number): Promise<NoteImage | string>;
  /** The person took it out again. */
  drop(image: NoteImage): void;
  /** Draw one into a canvas. Not an `<img>`: the page's policy may forbid those, and it would need an address. */
  show(image: NoteImage, canvas: HTMLCanvasElement): void;
}

const LARGE = "The image is larger than 5 MB.";
const MOST = `A note holds ${NOTE_IMAGES} images.`;
const WRONG = "Only PNG, JPEG, WebP and GIF images can be added.";

export function createImages(app: App): Images {
  const { api } = app;
  /** Thumbnails as they were drawn, by id. */
  const drawn = new Map<string, ImageBitmap | null>();

  const upload = async (file: Blob, already: number): Promise<NoteImage | string> => {
    if (already >= NOTE_IMAGES) return MOST;
    if (file.type === "image/svg+xml" || !file.type.startsWith("image/")) return WRONG;
    const redrawn = await withoutCameraData(file);
    if (redrawn === null) return WRONG;
    if (redrawn.size > IMAGE_BYTES) return LARGE;
    const { status, data } = await api<ImageAnswer & { error: string }>("POST", IMAGES_PATH, redrawn);
    if (status === 200 && typeof data.id === "string")
      return { id: data.id, type: textOr(data.type, redrawn.type), bytes: redrawn.size };
    if (status === 401 || status === 410) app.link.refused(status, textOr(data.reason, null));
    // The server says what is wrong in words of its own: too large, of another kind, damaged, no room.
    return `The image was not added: ${textOr(data.error, "try again")}.`;
  };

  const fetchImage = async ({ id, type }: NoteImage): Promise<ImageBitmap | null> => {
    const bytes = await api.bytes(`${IMAGES_PATH}/${encodeURIComponent(id)}`);
    if (bytes === null) return null;
    try {
      return await createImageBitmap(new Blob([bytes], page.dict({ type })));
    } catch {
      return null;
    }
  };

  return {
    upload,
    drop(image) {
      void api("DELETE", `${IMAGES_PATH}/${encodeURIComponent(image.id)}`);
    },
    show(image, canvas) {
      const draw = (bitmap: ImageBitmap | null) => {
        if (bitmap === null) return;
        const scale = Math.min(1, canvas.width / bitmap.width, canvas.height / bitmap.height);
        const [width, height] = [bitmap.width * scale, bitmap.height * scale];
        canvas
          .getContext("2d")
          ?.drawImage(bitmap, (canvas.width - width) / 2, (canvas.height - height) / 2, width, height);
      };
      const known = drawn.get(image.id);
      if (known !== undefined) return draw(known);
      drawn.set(image.id, null);
      void fetchImage(image).then((bitmap) => {
        if (bitmap === null) drawn.delete(image.id);
        else drawn.set(image.id, bitmap);
        draw(bitmap);
      });
    },
  };
}

/**
 * A photo drawn anew: what its camera wrote into it, the place above all, stays behind. The other formats carry no such
 * thing. Null when the browser cannot read it.
 */
async function withoutCameraData(file: Blob): Promise<Blob | null> {
  if (!(await isPhoto(file))) return file;
  try {
    const bitmap = await createImageBitmap(file);
    const canvas = page.createElement(document, "canvas") as HTMLCanvasElement;
    canvas.width = bitmap.width;
    canvas.height = bitmap.height;
    canvas.getContext("2d")!.drawImage(bitmap, 0, 0);
    bitmap.close();
    const type = file.type === "image/webp" ? "image/webp" : "image/jpeg";
    return await new Promise((resolve) => canvas.toBlob(resolve, type, 0.92));
  } catch {
    return null;
  }
}

/** JPEG and WebP, by their first bytes: names and types are what somebody says. */
async function isPhoto(file: Blob): Promise<boolean> {
  const bytes = new Uint8Array(await file.slice(0, 12).arrayBuffer());
  const text = String.fromCharCode(...bytes);
  return text.startsWith("\u00ff\u00d8\u00ff") || (text.startsWith("RIFF") && text.endsWith("WEBP"));
}
