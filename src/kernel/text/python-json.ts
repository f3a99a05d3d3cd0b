/**
 * JSON with the bytes Python's `json.dumps` writes: `, ` between items, `: ` after keys, everything but printable ASCII
 * as lower-case `\uXXXX`. For results that callers compare byte for byte with an upstream tool. No final newline.
 */
export function pythonJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([key, member]) => `${asciiJson(key)}: ${pythonJson(member)}`);
    return `{${members.join(", ")}}`;
  }
  return asciiJson(value ?? null);
}

/** `JSON.stringify` with everything outside ASCII escaped. */
export function asciiJson(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, null, indent);
  if (isAscii(text)) return text;
  return text.replaceAll(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** A loop: the first pattern a process runs costs it two milliseconds. */
function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) >= 0x7f) return false;
  return true;
}
