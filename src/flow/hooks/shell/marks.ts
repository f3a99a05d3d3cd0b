/** What single marks of a shell text are, by themselves. */

/** The operator of a redirection that begins here, without its descriptor; undefined for a process substitution. */
export function redirectionAt(text: string, at: number): string | undefined {
  const start = text[at] === "&" ? at + 1 : at;
  const direction = text[start]!;
  if (start === at && text[at + 1] === "(") return undefined;
  const most = direction === "<" ? 3 : 2;
  let end = start + 1;
  while (text[end] === direction && end - start < most) end++;
  const more = text[end];
  const goesOn: Readonly<Record<string, string>> = { "<": ">&", "<<": "-", ">": "|&" };
  if (more !== undefined && (goesOn[text.slice(at, end)] ?? "").includes(more)) end++;
  return text.slice(at, end);
}

/** The body of a here-document that begins here: where it ends, and where its delimiter's line does. */
export function hereDocumentAt(
  text: string,
  at: number,
  delimiter: string,
  tabs: boolean,
): { bodyEnd: number; next: number } {
  let line = at;
  while (line < text.length) {
    const newline = text.indexOf("\n", line);
    const end = newline < 0 ? text.length : newline;
    let start = line;
    while (tabs && text[start] === "\t") start++;
    if (end - start === delimiter.length && text.startsWith(delimiter, start)) {
      return { bodyEnd: line, next: Math.min(end + 1, text.length) };
    }
    line = end + 1;
  }
  return { bodyEnd: text.length, next: text.length };
}

/** A variable that begins at a `$`: its name, and where it ends; undefined for anything else that a `$` begins. */
export function variableAt(text: string, at: number): { name: string; end: number } | undefined {
  const braced = text[at + 1] === "{";
  const start = at + (braced ? 2 : 1);
  const end = nameEnd(text, start);
  if (end === start || (braced && text[end] !== "}")) return undefined;
  return { name: text.slice(start, end), end: braced ? end + 1 : end };
}

/** Where the name that begins here ends. */
function nameEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && isNameCode(text.charCodeAt(at), at === from)) at++;
  return at;
}

/** Whether a character may stand in the name of a variable; a digit only behind the first. */
export function isNameCode(code: number, first: boolean): boolean {
  if ((code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a) || code === 0x5f) return true;
  return !first && code >= 0x30 && code <= 0x39;
}

export function isDigits(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x30 || code > 0x39) return false;
  }
  return text !== "";
}
