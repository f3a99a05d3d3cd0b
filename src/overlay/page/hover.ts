/** A selector with each `:hover` replaced, outside strings and escapes; null when it has none. */
export function replaceHover(selector: string, replacement: string): string | null {
  let out = "";
  let found = false;
  for (let at = 0; at < selector.length; ) {
    const char = selector[at]!;
    if (char === "\\") {
      out += selector.slice(at, at + 2);
      at += 2;
    } else if (char === '"' || char === "'") {
      const end = stringEnd(selector, at);
      out += selector.slice(at, end);
      at = end;
    } else if (isHoverAt(selector, at)) {
      out += replacement;
      found = true;
      at += ":hover".length;
    } else {
      out += char;
      at++;
    }
  }
  return found ? out : null;
}

function isHoverAt(selector: string, at: number): boolean {
  return (
    selector.slice(at, at + 6).toLowerCase() === ":hover" &&
    selector[at - 1] !== ":" &&
    !/[\w-]/.test(selector[at + 6] ?? "")
  );
}

function stringEnd(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== text[start]) at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}
