/** Data as it came: the names are the contract's, the values anybody's. */
export type Unread<T> = { [Name in keyof T]?: unknown };

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A value that should be text, or what stands for it when it is not. */
export const textOr = <T>(value: unknown, otherwise: T): string | T =>
  typeof value === "string" ? value : otherwise;

/** JSON that a page's `Array.prototype.toJSON` or `Object.prototype.toJSON` cannot change. */
export function toJson(value: unknown): string {
  return JSON.stringify(guarded(value));
}

function guarded(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const copy: unknown[] | Record<string, unknown> = Array.isArray(value) ? [] : Object.create(null);
  if (Array.isArray(copy))
    for (let at = 0; at < (value as unknown[]).length; at++) copy[at] = guarded((value as unknown[])[at]);
  else for (const key of Object.keys(value)) copy[key] = guarded((value as Record<string, unknown>)[key]);
  // An own, undefined `toJSON` shadows an inherited one and is itself left out.
  Object.defineProperty(
    copy,
    "toJSON",
    Object.assign(Object.create(null), { value: undefined, enumerable: false }),
  );
  return copy;
}

export const byteLength = (text: string): number => new TextEncoder().encode(text).length;
