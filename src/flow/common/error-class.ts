import { errorCode } from "../../kernel/call/errors.ts";
import { Refused } from "../../kernel/files/owned-file.ts";
import { JsonSyntaxError } from "./lossless-json.ts";

const CLASSES: Readonly<Record<string, string>> = {
  ENOENT: "FileNotFoundError",
  EACCES: "PermissionError",
  EPERM: "PermissionError",
  EISDIR: "IsADirectoryError",
  ENOTDIR: "NotADirectoryError",
  EEXIST: "FileExistsError",
  ETIMEDOUT: "TimeoutError",
};

const REFUSALS: Readonly<Record<string, string>> = {
  absent: "FileNotFoundError",
  "not-utf8": "UnicodeDecodeError",
  "not-regular": "IsADirectoryError",
  symlink: "OSError",
  "too-large": "OSError",
  "foreign-owner": "PermissionError",
};

/** The class name by which upstream's protocol calls a failure (docs/spec/flow.md 1.6). */
export function errorClass(error: unknown): string {
  for (
    let cause = error;
    cause !== undefined && cause !== null;
    cause = (cause as { cause?: unknown }).cause
  ) {
    if (cause instanceof JsonSyntaxError) return "JSONDecodeError";
    if (cause instanceof Refused && cause.reason in REFUSALS) return REFUSALS[cause.reason]!;
    const code = errorCode(cause);
    if (code === "ERR_INVALID_ARG_VALUE") return "ValueError"; // a NUL byte in a path
    if (code !== undefined) return CLASSES[code] ?? "OSError";
  }
  return "OSError";
}
