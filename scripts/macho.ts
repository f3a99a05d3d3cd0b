import { createHash } from "node:crypto";

const LC_CODE_SIGNATURE = 0x1d;
const SUPERBLOB = 0xfade0cc0;
const CODE_DIRECTORY = 0xfade0c02;
const HASH_SHA256 = 2;

/**
 * What is wrong with the code signature of a 64-bit Mach-O file: empty when every page hash matches. macOS kills a
 * binary whose pages do not, and compiling appends to a signed runtime, so this is checked on every system
 * (spec/cli.md section 7).
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

function findSignature(view: DataView): { offset: number; size: number } | undefined {
  const commands = view.getUint32(16, true);
  let at = 32;
  for (let index = 0; index < commands; index++) {
    if (view.getUint32(at, true) === LC_CODE_SIGNATURE) {
      return { offset: view.getUint32(at + 8, true), size: view.getUint32(at + 12, true) };
    }
    at += view.getUint32(at + 4, true);
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
