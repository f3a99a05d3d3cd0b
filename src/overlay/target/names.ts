/** Prefixes under which style and component libraries publish generated names. */
const LIBRARY = /^(?:css|sc|jsx|svelte|emotion|chakra|radix|headlessui|mui)-(.+)$/i;

/** Whether a name's tail looks like a hash rather than a word. */
function isHashLike(tail: string): boolean {
  return /\d/.test(tail) || /[a-z][A-Z]/.test(tail) || (tail.length >= 5 && !/[aeiouy]/i.test(tail));
}

/** How often a run of letters and digits changes between the two: `a8f3k` does four times. */
function switches(run: string): number {
  let count = 0;
  for (let at = 1; at < run.length; at++) if (/\d/.test(run[at]!) !== /\d/.test(run[at - 1]!)) count++;
  return count;
}

function isCssModule(name: string): boolean {
  if ((name.match(/_/g) ?? []).length < 2) return false;
  if (/^_[A-Za-z][\w-]*_[\w-]{4,}_\d+$/.test(name)) return true;
  const tail = name.slice(name.lastIndexOf("_") + 1);
  return tail.length >= 5 && isHashLike(tail);
}

/** Whether a build tool or library made this id, class or attribute value, so that it will not survive an edit (15.6). */
export function isGenerated(name: string): boolean {
  if (name.includes(":") || /^\d+$/.test(name)) return true;
  const library = LIBRARY.exec(name);
  if (library !== null && isHashLike(library[1]!)) return true;
  if ((name.match(/[A-Za-z0-9]+/g) ?? []).some((run) => switches(run) >= 3)) return true;
  return isCssModule(name);
}

/** Whether a class says what an element is, rather than its state or one style property of it. */
export function isPlainClass(name: string): boolean {
  if (name === "" || isGenerated(name)) return false;
  if (/^(?:active|hover|open|selected|is-.*|has-.*)$/.test(name)) return false;
  return !/[:[/]|-\d/.test(name);
}

/** An identifier escaped for a selector (CSSOM `CSS.escape`). */
export function escapeIdentifier(name: string): string {
  let out = "";
  for (let at = 0; at < name.length; at++) {
    const char = name[at]!;
    const code = name.charCodeAt(at);
    const leading = at === 0 || (at === 1 && name[0] === "-");
    if (code === 0) out += "\ufffd";
    else if (code < 32 || code === 127 || (leading && /\d/.test(char))) out += `\\${code.toString(16)} `;
    else if (code > 127 || /[\w-]/.test(char)) out += char === "-" && name.length === 1 ? "\\-" : char;
    else out += `\\${char}`;
  }
  return out;
}

/** A value as a quoted CSS string. */
export function quoteValue(value: string): string {
  return `"${value.replace(/["\\]/g, "\\$&").replace(/[\n\r\f]/g, (char) => `\\${char.charCodeAt(0).toString(16)} `)}"`;
}
