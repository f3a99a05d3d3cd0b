/** A regular file inside `screens/`, open for reading and checked after it was opened. */
export interface OpenFile {
  /** Whoever takes the file over closes it. */
  descriptor: number;
  /** Relative to the real `screens/`, `/`-separated, symlinks resolved. */
  real: string;
  size: number;
  /** Strong: size and nanosecond modification time (docs/spec/web.md 6.4). */
  etag: string;
  /** Header fields of a whole answer, made once for an unchanged file. */
  prepared: { headers?: Headers };
  /** Offer all the content of a small file for the next time. */
  keep(bytes: Uint8Array<ArrayBuffer>): void;
}

/** The content of a small file whose path still leads to it, unchanged. */
export type KeptFile = Pick<OpenFile, "size" | "etag" | "prepared"> & { bytes: Uint8Array<ArrayBuffer> };
