/** What the first bytes of an image say of it. Nothing is decoded (docs/spec/web.md 11.4). */
export interface ImageHeader {
  type: string;
  width: number;
  height: number;
}

const MOST_PIXELS = 50_000_000;

interface Size {
  width: number;
  height: number;
}

/** `unknown`: not one of the formats. `unusable`: one of them, damaged or of more than 50 megapixels. */
export function readImageHeader(bytes: Uint8Array): ImageHeader | "unknown" | "unusable" {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found = FORMATS.find(({ isIt }) => isIt(data));
  if (found === undefined) return "unknown";
  const size = found.sizeOf(data);
  if (size === undefined || size.width < 1 || size.height < 1) return "unusable";
  if (size.width * size.height > MOST_PIXELS) return "unusable";
  return { type: found.type, ...size };
}

const text = (data: Buffer, from: number, to: number): string => data.toString("latin1", from, to);

const FORMATS: readonly {
  type: string;
  isIt(data: Buffer): boolean;
  sizeOf(data: Buffer): Size | undefined;
}[] = [
  {
    type: "image/png",
    isIt: (data) => text(data, 0, 8) === "\x89PNG\r\n\x1a\n",
    sizeOf: (data) =>
      data.length >= 24 && text(data, 12, 16) === "IHDR"
        ? { width: data.readUInt32BE(16), height: data.readUInt32BE(20) }
        : undefined,
  },
  {
    type: "image/gif",
    isIt: (data) => /^GIF8[79]a$/.test(text(data, 0, 6)),
    sizeOf: (data) =>
      data.length >= 13 ? { width: data.readUInt16LE(6), height: data.readUInt16LE(8) } : undefined,
  },
  {
    type: "image/jpeg",
    isIt: (data) => text(data, 0, 3) === "\xff\xd8\xff",
    sizeOf: jpegSize,
  },
  {
    type: "image/webp",
    isIt: (data) => text(data, 0, 4) === "RIFF" && text(data, 8, 12) === "WEBP",
    sizeOf: webpSize,
  },
];

/** The size stands in the frame header, behind segments of any number; each says how long it is. */
function jpegSize(data: Buffer): Size | undefined {
  let at = 2;
  while (at + 9 <= data.length) {
    if (data[at] !== 0xff) return undefined;
    const marker = data[at + 1]!;
    if (marker === 0xff) at++;
    else if (isFrame(marker)) return { height: data.readUInt16BE(at + 5), width: data.readUInt16BE(at + 7) };
    else at += 2 + data.readUInt16BE(at + 2);
  }
  return undefined;
}

/** SOF0 to SOF15 without the tables that lie between them. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

function webpSize(data: Buffer): Size | undefined {
  if (data.length < 30) return undefined;
  switch (text(data, 12, 16)) {
    case "VP8X":
      return { width: 1 + data.readUIntLE(24, 3), height: 1 + data.readUIntLE(27, 3) };
    case "VP8L": {
      const bits = data.readUInt32LE(21);
      return data[20] === 0x2f
        ? { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) }
        : undefined;
    }
    case "VP8 ":
      return text(data, 23, 26) === "\x9d\x01\x2a"
        ? { width: data.readUInt16LE(26) & 0x3fff, height: data.readUInt16LE(28) & 0x3fff }
        : undefined;
    default:
      return undefined;
  }
}
