/**
 * The first part of a path that Windows takes for a stream, a device or another name: `a:b`, `nul.txt`, `x.`. Undefined
 * without one; a drive at the beginning is none.
 */
export function windowsTrap(path: string): string | undefined {
  return path.replace(DRIVE, "").split(/[/\\]/).find(isTrap);
}

/** Whether a part of this relative path means something else on Windows than a file of that name (docs/spec/web.md 6.3). */
export function isWindowsTrap(path: string): boolean {
  return path.split(/[/\\]/).some(isTrap);
}

const DRIVE = /^(?:\\\\\?\\)?[A-Za-z]:(?=[/\\]|$)/;

function isTrap(part: string): boolean {
  if (part === "." || part === "..") return false;
  return (
    part.includes(":") ||
    /[. ]$/.test(part) ||
    // Blanks before the extension do not count: `nul .txt` is the device.
    /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³]) *(\..*)?$/i.test(part)
  );
}
