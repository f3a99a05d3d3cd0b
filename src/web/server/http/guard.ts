import { createHash, timingSafeEqual } from "node:crypto";
import { queryValue } from "./request-path.ts";

/**
 * The same-origin guard (docs/spec/web.md 5.3). `SameSite=Strict` takes every port of `localhost` for one site, so a page of
 * another dev server could otherwise act with this server's cookie. Command-line clients send neither header.
 */
export function isSameOrigin(headers: Headers, publicUrl: URL | undefined): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin" || site === "none";
  const origin = headers.get("origin");
  if (origin === null) return true;
  const host = headers.get("host")?.toLowerCase();
  const own = host !== undefined && (origin === `http://${host}` || origin === `https://${host}`);
  return own || (publicUrl !== undefined && origin === publicUrl.origin);
}

/** Comparison with one secret that takes the same time whatever is presented. */
export function secretCheck(secret: string): (presented: string) => boolean {
  const expected = digest(secret);
  return (presented) => timingSafeEqual(digest(presented), expected);
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** The name of the credential's cookie: one per port, so that two servers on a machine keep apart. */
export function cookieName(port: number): string {
  return `ce-light-web-${port}`;
}

/** How a request shows the token: by naming it, or by the cookie, which a browser adds to what any page asks of us. */
export type Credential = "named" | "cookie";

/** Any place a token may stand in; none hides another (docs/spec/web.md 8.4). Undefined when none holds this session's. */
export function credentialOf(
  headers: Headers,
  query: string,
  port: number,
  isToken: (presented: string) => boolean,
): Credential | undefined {
  const parameter = queryValue(query, "token");
  if (parameter !== null && isToken(parameter)) return "named";
  const header = headers.get("x-session-token");
  if (header !== null && isToken(header)) return "named";
  const bearer = /^Bearer +(\S+) *$/i.exec(headers.get("authorization") ?? "");
  if (bearer !== null && isToken(bearer[1]!)) return "named";
  return cookieValues(headers.get("cookie"), cookieName(port)).some(isToken) ? "cookie" : undefined;
}

export function isAuthorised(...request: Parameters<typeof credentialOf>): boolean {
  return credentialOf(...request) !== undefined;
}

function cookieValues(header: string | null, name: string): string[] {
  if (header === null) return [];
  const values: string[] = [];
  for (const part of header.split(";")) {
    const equals = part.indexOf("=");
    if (equals > 0 && part.slice(0, equals).trim() === name) values.push(part.slice(equals + 1).trim());
  }
  return values;
}
