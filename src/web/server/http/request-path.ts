/** A request's path as the URL standard makes of it, still percent-encoded, and its query without the `?`. */
export interface RequestPath {
  path: string;
  query: string;
}

/**
 * Cut a request URL. It is absolute with a well-formed Host and a bare path without (docs/spec/web.md 5.1); dot segments,
 * encoded ones included, are resolved in both.
 */
export function requestPath(url: string): RequestPath {
  let start = 0;
  if (url.startsWith("http://") || url.startsWith("https://")) {
    start = url.indexOf("/", url.indexOf("//") + 2);
    if (start < 0) return { path: "/", query: "" };
  }
  const hash = url.indexOf("#", start);
  const end = hash < 0 ? url.length : hash;
  const mark = url.indexOf("?", start);
  const cut = mark < 0 || mark > end ? end : mark;
  let path = url.slice(start, cut);
  if (MAY_HAVE_DOTS.test(path)) path = new URL(`http://localhost/${path.replace(/^\//, "")}`).pathname;
  else if (!path.startsWith("/")) path = `/${path}`;
  return { path, query: cut < end ? url.slice(cut + 1, end) : "" };
}

// `/.`, `/%2e` and the backslash that the standard reads as a slash.
const MAY_HAVE_DOTS = /\/\.|\/%2e|\\/i;

/** The first value of a query parameter; null without one. */
export function queryValue(query: string, name: string): string | null {
  return query === "" ? null : new URLSearchParams(query).get(name);
}
