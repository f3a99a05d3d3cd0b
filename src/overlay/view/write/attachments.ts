import { NOTE_IMAGES, type NoteImage } from "../../../kernel/shared/annotate-wire.ts";
import type { App } from "../../app.ts";
import { button, h, handle, icon, setHidden } from "../../page/dom.ts";

/** The images of a text being written: pasted, dropped or chosen, shown small, taken out again (15.16). */
export interface Attachments {
  /** The row of small pictures. */
  element: HTMLElement;
  /** Chooses files. */
  button: HTMLButtonElement;
  images(): readonly NoteImage[];
  set(images: readonly NoteImage[]): void;
  isBusy(): boolean;
}

/** `field` takes pasted images, `place` dropped ones; `changed` hears of every change, and of what was refused and why. */
export function createAttachments(
  app: App,
  field: HTMLElement,
  place: () => HTMLElement,
  changed: (refused: string) => void,
): Attachments {
  let images: readonly NoteImage[] = [];
  let busy = 0;
  const row = h("div.attachments", { hidden: true });
  const file = h<HTMLInputElement>("input.unseen", {
    type: "file",
    accept: "image/png,image/jpeg,image/webp,image/gif",
    multiple: true,
    tabindex: -1,
    "aria-hidden": "true",
  });
  const choose = button("button quiet", [icon("image"), h("span", {}, "Image")], () => file.click(), {
    "aria-label": "Image",
  });
  choose.append(file);

  const add = async (files: readonly Blob[]) => {
    for (const one of files) {
      busy++;
      changed("");
      const added = await app.images.upload(one, images.length);
      busy--;
      if (typeof added === "string") changed(added);
      else {
        images = [...images, added];
        draw();
        changed("");
        app.announce(`Image added, ${images.length} of ${NOTE_IMAGES}`);
      }
    }
  };

  const remove = (image: NoteImage) => {
    images = images.filter((one) => one !== image);
    draw();
    changed("");
    app.images.drop(image);
  };

  const draw = () => {
    row.replaceChildren(
      ...images.map((image, at) => {
        const canvas = thumbnail(app, image, at);
        const out = button("thumb-remove", icon("close"), () => remove(image), {
          "aria-label": `Remove image ${at + 1}`,
        });
        return h("div.thumb", {}, canvas, out);
      }),
    );
    setHidden(row, images.length === 0);
  };

  const imagesIn = (list: FileList | undefined): File[] =>
    Array.from(list ?? []).filter(({ type }) => type.startsWith("image/"));
  handle(file, {
    change: () => {
      const chosen = Array.from(file.files ?? []);
      file.value = "";
      void add(chosen);
    },
    click: (event) => event.stopPropagation(),
  });
  handle(field, {
    paste: (event) => {
      const pasted = imagesIn((event as ClipboardEvent).clipboardData?.files);
      if (pasted.length === 0) return;
      event.preventDefault();
      void add(pasted);
    },
  });
  queueMicrotask(() =>
    handle(place(), {
      dragover: (event) => event.preventDefault(),
      drop: (event) => {
        const dropped = Array.from((event as DragEvent).dataTransfer?.files ?? []);
        if (dropped.length === 0) return;
        event.preventDefault();
        void add(dropped);
      },
    }),
  );

  return {
    element: row,
    button: choose,
    images: () => images,
    set(next) {
      images = next;
      draw();
    },
    isBusy: () => busy > 0,
  };
}

const SIDE = 112;

/** A small picture of an image, at twice its size for sharp screens. */
export function thumbnail(app: App, image: NoteImage, at: number): HTMLCanvasElement {
  const canvas = h<HTMLCanvasElement>("canvas.thumbnail", {
    width: SIDE,
    height: SIDE,
    role: "img",
    "aria-label": `Image ${at + 1}`,
  });
  app.images.show(image, canvas);
  return canvas;
}
