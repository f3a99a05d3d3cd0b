import { existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { until } from "../support/run.ts";
import { tempDir } from "../support/temp.ts";
import { hasBrowser, type Overlay, openPage, type Preview, startPreview, useBrowser } from "./support.ts";

const browser = useBrowser();

/** A PNG of one colour, as small as one can be. */
function png(width = 4, height = 4): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(data.length);
    head.write(type, 4, "latin1");
    const crc = Buffer.alloc(4);
    crc.writeUInt32BE(crcOf(Buffer.concat([Buffer.from(type, "latin1"), data])));
    return Buffer.concat([head, data, crc]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const row = 1 + width * 3;
  const rows = Buffer.alloc(Math.min(height, 100) * row, 0x40);
  // Each row begins with its filter: none.
  for (let at = 0; at < rows.length; at += row) rows[at] = 0;
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function crcOf(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

const imagesIn = (preview: Preview): string[] => {
  const directory = join(preview.root, "state/images");
  return existsSync(directory) ? readdirSync(directory) : [];
};

const upload = (preview: Preview, bytes: Buffer | string) =>
  fetch(`http://127.0.0.1:${preview.port}/__ce-annotate/images`, {
    method: "POST",
    headers: { "x-session-token": preview.token },
    body: bytes as BodyInit,
  });

async function show(): Promise<{ preview: Preview; overlay: Overlay }> {
  const preview = await startPreview();
  preview.write("001.html", "<!doctype html><h1>Title</h1><p>Words</p>");
  const overlay = await openPage(browser(), preview);
  await overlay.button("Annotate").click();
  const box = (await overlay.on("h1").boundingBox())!;
  await overlay.page.mouse.click(box.x + 5, box.y + 5);
  await overlay.field.waitFor();
  return { preview, overlay };
}

/** Choose a file, as the button's dialog would: from disk, because what a script puts there is not the person's doing. */
async function choose(overlay: Overlay, name: string, bytes: Buffer): Promise<void> {
  const path = join(tempDir(), name);
  writeFileSync(path, bytes);
  const [chooser] = await Promise.all([
    overlay.page.waitForEvent("filechooser"),
    overlay.composer.getByRole("button", { name: "Image", exact: true }).click(),
  ]);
  await chooser.setFiles(path);
}

describe.skipIf(!hasBrowser)("images of notes", () => {
  test("overlay-14 pasted and chosen: on disk before the note, private, named by content; what is refused says why", async () => {
    const { preview, overlay } = await show();
    const { page } = overlay;
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"], {
      origin: new URL(page.url()).origin,
    });
    await page.evaluate(
      async (bytes) => {
        const blob = new Blob([new Uint8Array(bytes)], { type: "image/png" });
        await navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]);
      },
      [...png()],
    );
    await overlay.field.focus();
    await page.keyboard.type("see");
    await page.keyboard.press("Control+v");
    await overlay.composer.getByRole("img", { name: "Image 1" }).waitFor();
    expect(imagesIn(preview)).toHaveLength(1);

    await choose(overlay, "photo.jpg", png());
    await overlay.composer.getByRole("img", { name: "Image 2" }).waitFor();
    expect(imagesIn(preview).every((name) => name.endsWith(".png"))).toBe(true);
    await choose(overlay, "drawing.svg", Buffer.from("<svg/>"));
    await overlay.composer.getByText("Only PNG, JPEG, WebP and GIF").waitFor();
    await choose(overlay, "big.png", Buffer.concat([png(), Buffer.alloc(6 << 20)]));
    await overlay.composer.getByText("larger than 5 MB").waitFor();
    for (const at of [3, 4]) {
      await choose(overlay, `${at}.png`, png());
      await overlay.composer.getByRole("img", { name: `Image ${at}` }).waitFor();
    }
    await choose(overlay, "5.png", png());
    await overlay.composer.getByText("A note holds 4 images").waitFor();

    await overlay.field.focus();
    await page.keyboard.press("Control+Shift+Enter");
    const [record] = (await preview.wait()).records;
    const paths = record!.context!["images"] as string[];
    expect(paths).toHaveLength(4);
    for (const path of paths) {
      expect(path.startsWith(join(preview.root, "state/images/"))).toBe(true);
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(readFileSync(path).subarray(1, 4).toString()).toBe("PNG");
    }
    expect(statSync(join(preview.root, "state/images")).mode & 0o777).toBe(0o700);
    const [listed] = (await preview.notes()) as unknown as { images: object[]; context: object }[];
    expect(listed!.images).toHaveLength(4);
    expect(listed!.context).not.toHaveProperty("images");
  });

  test("overlay-35 typed by content, held to its size, refused without room; a photo's camera data stays behind", async () => {
    const { preview, overlay } = await show();
    const gif = Buffer.concat([
      Buffer.from("GIF89a\x04\x00\x04\x00\x00\x00\x00", "latin1"),
      Buffer.from("<html><script>alert(1)</script>"),
    ]);
    const added = (await (await upload(preview, gif)).json()) as { id: string; type: string };
    expect(added).toMatchObject({ ok: true, type: "image/gif" });
    const sent = await fetch(`http://127.0.0.1:${preview.port}/__ce-annotate/images/${added.id}`, {
      headers: { "x-session-token": preview.token },
    });
    expect(Object.fromEntries(sent.headers)).toMatchObject({
      "content-type": "image/gif",
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; sandbox",
      "cross-origin-resource-policy": "same-origin",
      "cache-control": "no-store",
    });
    expect(Buffer.from(await sent.arrayBuffer()).equals(gif)).toBe(true);
    const wide = await upload(preview, png(60_000, 60_000));
    expect([wide.status, await wide.json()]).toEqual([422, { error: "damaged or over 50 megapixels" }]);
    expect((await upload(preview, "<svg/>")).status).toBe(415);
    expect((await upload(preview, Buffer.alloc((5 << 20) + 1))).status).toBe(413);

    // A real JPEG from the browser, with an EXIF segment put in.
    const plain = await overlay.page.evaluate(async () => {
      const canvas = document.createElement("canvas");
      canvas.width = canvas.height = 8;
      canvas.getContext("2d")!.fillRect(0, 0, 8, 8);
      const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/jpeg"));
      return [...new Uint8Array(await blob!.arrayBuffer())];
    });
    const exif = Buffer.from("Exif\0\0SECRET-PLACE 48.1 11.5", "latin1");
    const head = Buffer.from([0xff, 0xe1, 0, exif.length + 2]);
    const photo = Buffer.concat([Buffer.from(plain.slice(0, 2)), head, exif, Buffer.from(plain.slice(2))]);
    await choose(overlay, "photo.jpg", photo);
    await overlay.composer.getByRole("img", { name: "Image 1" }).waitFor();
    const [name] = imagesIn(preview).filter((one) => one.endsWith(".jpg"));
    const kept = readFileSync(join(preview.root, "state/images", name!));
    expect(kept.includes("SECRET-PLACE")).toBe(false);
    expect(kept.includes("Exif")).toBe(false);

    const filler = join(preview.root, "state/images/filler");
    writeFileSync(filler, "");
    truncateSync(filler, 200 << 20);
    const full = await upload(preview, png());
    expect([full.status, await full.json()]).toEqual([507, { error: "no room for images" }]);
  });

  test("overlay-36 deleted and put back: the same number, place and images", async () => {
    const { preview, overlay } = await show();
    await choose(overlay, "a.png", png());
    await overlay.composer.getByRole("img", { name: "Image 1" }).waitFor();
    await overlay.field.fill("first");
    await overlay.button("Add note").click();
    await overlay.pin(1).waitFor();
    await overlay.comment(overlay.on("p"), "second");
    await overlay.pin(2).waitFor();
    const before = await preview.notes();
    await overlay
      .button(/^Notes/)
      .first()
      .click();
    await overlay.list.getByRole("button", { name: "Delete note 1" }).click();
    await until("the deletion", async () => (await preview.notes()).length === 1);
    expect(imagesIn(preview)).toHaveLength(1);
    await overlay.button("Undo").click();
    await until("the note", async () => (await preview.notes()).length === 2);
    const after = await preview.notes();
    expect(after).toEqual(before);
    await overlay.list.getByRole("img", { name: "Image 1" }).waitFor();
  });

  test("overlay-18 discarded text comes back with Undo; Esc keeps text and images over a reload", async () => {
    const { overlay } = await show();
    const { page } = overlay;
    await page.keyboard.type("precious words");
    await overlay.button("Cancel").click();
    await overlay.button("Undo").click();
    expect(await overlay.field.inputValue()).toBe("precious words");
    await choose(overlay, "a.png", png());
    await overlay.composer.getByRole("img", { name: "Image 1" }).waitFor();
    await overlay.field.focus();
    await page.keyboard.press("Escape");
    await page.reload();
    await overlay.host.getByRole("button", { name: /^Draft on/ }).click();
    expect(await overlay.field.inputValue()).toBe("precious words");
    await overlay.composer.getByRole("img", { name: "Image 1" }).waitFor();
  });

  test("images of a deleted note go once it can no longer be put back", async () => {
    const { preview } = await show();
    const { id } = (await (await upload(preview, png())).json()) as { id: string };
    const note = { page: "/001.html", comment: "c", selector: "h1", client_id: "c", images: [id] };
    const posted = (await (await preview.post("/annotation", note)).json()) as { id: string };
    const missing = await preview.post("/annotation", { ...note, client_id: "d", images: ["nope"] });
    expect(await missing.json()).toMatchObject({ detail: "an image is no longer there" });
    const at = `http://127.0.0.1:${preview.port}/__ce-annotate`;
    const headers = { "x-session-token": preview.token };
    const inUse = await fetch(`${at}/images/${id}`, { method: "DELETE", headers });
    expect([inUse.status, await inUse.json()]).toEqual([409, { error: "in use" }]);
    await fetch(`${at}/annotations/${posted.id}`, { method: "DELETE", headers });
    expect(imagesIn(preview)).toHaveLength(1);
    // The end of the server ends what can be undone.
    await preview.stop();
    await until("the image to be gone", () => imagesIn(preview).length === 0);
  });
});
