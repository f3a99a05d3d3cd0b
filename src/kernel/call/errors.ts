/** Exit codes every command shares (docs/spec/cli.md section 2). A room's spec may give a code another meaning. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  /** A named "not this time" outcome: unset, incompatible, time is up. */
  notThisTime: 3,
  /** Refused for trust reasons: foreign owner, symlink, over a size cap. */
  refused: 4,
  /** A bug in jig. */
  bug: 70,
  interrupted: 130,
  terminated: 143,
} as const;

export interface JigErrorOptions {
  /** Process exit code; 1 unless given. */
  exitCode?: number;
  /** The next step for the person, printed as `hint: …`. */
  hint?: string;
  /** Print the message as it is, without the command's prefix (a spec fixes the whole line). */
  verbatim?: boolean;
  cause?: unknown;
}

/**
 * A failure a person can act on. Thrown where the fact is known, printed once by `cli/`.
 * The message names the thing, the place, the value and what was expected.
 */
export class JigError extends Error {
  readonly exitCode: number;
  readonly hint: string | undefined;
  readonly verbatim: boolean;

  constructor(message: string, options: JigErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "JigError";
    this.exitCode = options.exitCode ?? EXIT.failed;
    this.hint = options.hint;
    this.verbatim = options.verbatim ?? false;
  }
}

/** The words of a call do not fit the command: exit 2, nothing done. A room may throw it for values only it can judge. */
export class UsageError extends JigError {
  constructor(message: string, options: Omit<JigErrorOptions, "exitCode"> = {}) {
    super(message, { ...options, exitCode: EXIT.usage });
    this.name = "UsageError";
  }
}

/** The `code` of an operating-system error (`ENOENT`, `EACCES` …), or undefined for anything else. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const code = (error as { code?: unknown }).code;
  return typeof code === "string" ? code : undefined;
}

const REASONS: Record<string, string> = {
  EACCES: "permission denied",
  EPERM: "operation not permitted",
  ENOENT: "no such file or directory",
  EEXIST: "file exists",
  ENOTDIR: "not a directory",
  EISDIR: "is a directory",
  ENOTEMPTY: "directory not empty",
  ENOSPC: "no space left on device",
  EDQUOT: "disk quota exceeded",
  EROFS: "read-only file system",
  ELOOP: "too many levels of symbolic links",
  ENAMETOOLONG: "file name too long",
  EMFILE: "too many open files",
  EIO: "input/output error",
  ETXTBSY: "text file busy",
  ENOEXEC: "exec format error",
  EFBIG: "file too large",
  EXDEV: "invalid cross-device link",
  ENXIO: "no such device or address",
  EADDRINUSE: "address already in use",
  EADDRNOTAVAIL: "address not available",
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection closed by the other side",
};

/** The operating system's reason in lower-case words (`no space left on device`), the same on every runtime. */
export function osReason(error: unknown): string {
  const code = errorCode(error);
  if (code !== undefined && REASONS[code] !== undefined) return REASONS[code];
  if (error instanceof Error) return error.message;
  return String(error);
}

/** That a result could not be written, and why; said once, also when the writer has said it already. */
export function unwritable(error: unknown): string {
  return error instanceof JigError ? error.message : `cannot write to standard output: ${osReason(error)}`;
}
