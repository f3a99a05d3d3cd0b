import { createHash } from "node:crypto";

const LC_SEGMENT_64 = 0x19;
const LC_CODE_SIGNATURE = 0x1d;
const PAGE_SHIFT = 12;
const SUPERBLOB = 0xfade0cc0;
const CODE_DIRECTORY = 0xfade0c02;
const HASH_SHA256 = 2;

/**
 * What is wrong with the code signature of a 64-bit Mach-O file: empty when every page hash matches. macOS kills a
 * binary whose pages do not, and compiling appends to a signed runtime, so this is checked on every system
 * (docs/spec/cli.md section 7).
 */
export function verifyMachO(file: Uint8Array): string[] {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (file.length < 32 || view.getUint32(0, true) !== 0xfeedfacf) return ["not a 64-bit Mach-O file"];
  const signature = findSignature(view);
  if (signature === undefined) return ["has no code signature"];
  const { offset, size } = signature;
  if (offset + size > file.length) return ["the code signature lies outside the file"];
  if (view.getUint32(offset) !== SUPERBLOB) return ["the code signature is not a SuperBlob"];
  const count = view.getUint32(offset + 8);
  let directories = 0;
  for (let index = 0; index < count; index++) {
    const blob = offset + view.getUint32(offset + 12 + index * 8 + 4);
    if (view.getUint32(blob) !== CODE_DIRECTORY) continue;
    directories++;
    const problem = verifyDirectory(file, view, blob);
    if (problem !== undefined) return [problem];
  }
  return directories === 0 ? ["the code signature has no code directory"] : [];
}

/**
 * The file with a fresh ad hoc signature in place of the one it has, whose pages no longer match. Enough for macOS to
 * run it; a release is signed again on a macOS runner. Throws when the file has no signature at its end to replace.
 */
export function signAdHoc(file: Uint8Array, identifier: string): Uint8Array {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const signature = findSignature(view);
  const linkedit = findSegment(view, "__LINKEDIT");
  const text = findSegment(view, "__TEXT");
  if (signature === undefined || linkedit === undefined || text === undefined) {
    throw new Error("cannot sign: no code signature, __LINKEDIT or __TEXT in the file");
  }
  const codeLimit = signature.offset;
  const identifierBytes = new TextEncoder().encode(`${identifier}\0`);
  const slots = Math.ceil(codeLimit / (1 << PAGE_SHIFT));
  const hashOffset = DIRECTORY_HEADER + identifierBytes.length;
  const directoryLength = hashOffset + slots * 32;
  const length = SUPERBLOB_HEADER + directoryLength;

  const signed = new Uint8Array(codeLimit + length);
  signed.set(file.subarray(0, codeLimit));
  const out = new DataView(signed.buffer);
  // The load commands lie in the first pages: they change before those are hashed.
  out.setUint32(signature.command + 12, length, true);
  const fileSize = BigInt(signed.length) - linkedit.fileOffset;
  out.setBigUint64(linkedit.command + 48, fileSize, true);
  out.setBigUint64(linkedit.command + 32, ((fileSize + 0x3fffn) >> 14n) << 14n, true);

  out.setUint32(codeLimit, SUPERBLOB);
  out.setUint32(codeLimit + 4, length);
  out.setUint32(codeLimit + 8, 1);
  out.setUint32(codeLimit + 16, SUPERBLOB_HEADER);
  const directory = codeLimit + SUPERBLOB_HEADER;
  const words = [
    CODE_DIRECTORY,
    directoryLength,
    0x20400,
    AD_HOC,
    hashOffset,
    DIRECTORY_HEADER,
    0,
    slots,
    codeLimit,
  ];
  words.forEach((word, index) => void out.setUint32(directory + index * 4, word));
  signed.set([32, HASH_SHA256, 0, PAGE_SHIFT], directory + 36);
  out.setBigUint64(directory + 64, text.fileOffset);
  out.setBigUint64(directory + 72, text.fileSize);
  out.setBigUint64(directory + 80, MAIN_BINARY);
  signed.set(identifierBytes, directory + DIRECTORY_HEADER);
  for (let slot = 0; slot < slots; slot++) {
    const page = signed.subarray(slot << PAGE_SHIFT, Math.min((slot + 1) << PAGE_SHIFT, codeLimit));
    signed.set(createHash("sha256").update(page).digest(), directory + hashOffset + slot * 32);
  }
  return signed;
}

const SUPERBLOB_HEADER = 20;
const DIRECTORY_HEADER = 88;
/** Ad hoc, and made by a linker: `codesign` may replace it without force. */
const AD_HOC = 0x20002;
const MAIN_BINARY = 1n;

function* loadCommands(view: DataView): Generator<{ kind: number; at: number }> {
  const count = view.getUint32(16, true);
  let at = 32;
  for (let index = 0; index < count; index++) {
    yield { kind: view.getUint32(at, true), at };
    at += view.getUint32(at + 4, true);
  }
}

function findSignature(view: DataView): { command: number; offset: number; size: number } | undefined {
  for (const { kind, at } of loadCommands(view)) {
    if (kind !== LC_CODE_SIGNATURE) continue;
    return { command: at, offset: view.getUint32(at + 8, true), size: view.getUint32(at + 12, true) };
  }
  return undefined;
}

function findSegment(view: DataView, name: string) {
  for (const { kind, at } of loadCommands(view)) {
    if (kind !== LC_SEGMENT_64) continue;
    const bytes = new Uint8Array(view.buffer, view.byteOffset + at + 8, 16);
    if (new TextDecoder().decode(bytes).replace(/\0+$/, "") !== name) continue;
    return {
      command: at,
      fileOffset: view.getBigUint64(at + 40, true),
      fileSize: view.getBigUint64(at + 48, true),
    };
  }
  return undefined;
}

function verifyDirectory(file: Uint8Array, view: DataView, blob: number): string | undefined {
  const hashOffset = view.getUint32(blob + 16);
  const slots = view.getUint32(blob + 28);
  const codeLimit = view.getUint32(blob + 32);
  const hashSize = view.getUint8(blob + 36);
  const hashType = view.getUint8(blob + 37);
  const pageSize = 1 << view.getUint8(blob + 39);
  if (hashType !== HASH_SHA256) return undefined;
  if (codeLimit > file.length) return "the signed length is more than the file's";
  if (slots !== Math.ceil(codeLimit / pageSize)) return `${slots} page hashes for ${codeLimit} bytes`;
  for (let slot = 0; slot < slots; slot++) {
    const page = file.subarray(slot * pageSize, Math.min((slot + 1) * pageSize, codeLimit));
    const hash = createHash("sha256").update(page).digest().subarray(0, hashSize);
    const at = blob + hashOffset + slot * hashSize;
    if (!hash.equals(file.subarray(at, at + hashSize))) {
      return `page ${slot} does not match its hash; macOS would refuse to run it`;
    }
  }
  return undefined;
}
