import { statSync } from "node:fs";
import { join, posix } from "node:path";
import type { Version } from "../../../kernel/shared/annotate-wire.ts";
import { sleep } from "../../../kernel/text/time.ts";
import { cookieName, isAuthorised } from "../http/guard.ts";
import { isLoopbackAddress, isLoopbackName, originOf, parseHost } from "../http/host-header.ts";
import { toOwnAddress } from "../http/own-address.ts";
import type { OpenFile } from "../http/served-file.ts";
import type { Call, Site } from "../site.ts";
import { bootTag, NO_LONGER, refreshScript, STRIP, STRIP_DEFAULT, WAITING, wrapper } from "./pages.ts";
import {
  assemble,
  type Content,
  page,
  placeOf,
  readScreen,
  textContent,
  wholeFile,
} from "./screen-content.ts";
import { encodePage } from "./screen-files.ts";

/** What a document shows: a screen by its decoded path, the newest one, or that there is none any more. */
export type Shown = { kind: "screen"; path: string } | { kind: "newest" } | { kind: "gone" };

/** Whether a GET is a page the browser goes to, rather than a frame, a fetch or a tool (docs/spec/web.md 8.1). */
export function isNavigation(headers: Headers): boolean {
  const destination = headers.get("sec-fetch-dest");
  if (destination !== null) return destination === "document";
  return headers.get("sec-fetch-mode") === null && (headers.get("accept") ?? "").includes("text/html");
}

/** The version the default mode compares: the newest screen, or none. */
export function versionOf(site: Site): Version {
  const newest = site.newestForVersion();
  return { screen: newest?.name ?? null, mtimeMs: newest?.mtimeMs ?? 0 };
}

/** A file written in place is often half written this long after its last change, and waited for this long. */
const UNSETTLED_MS = 20;
const SETTLES_WITHIN_MS = 200;

/** Wait until what is about to be shown is not being written any more (docs/spec/web.md 12.3). */
async function settled(site: Site, shown: Shown): Promise<void> {
  const { clock } = site;
  const began = clock.monotonic();
  while (clock.monotonic() - began < SETTLES_WITHIN_MS) {
    const age = clock.now() - (modifiedMs(site, shown) ?? 0);
    // A time to come says nothing.
    if (age < 0 || age >= UNSETTLED_MS) return;
    await sleep(UNSETTLED_MS - age);
  }
}

function modifiedMs(site: Site, shown: Shown): number | undefined {
  if (shown.kind === "newest") return site.newest()?.mtimeMs;
  const path = shown.kind === "screen" ? site.files.locate(shown.path) : undefined;
  return path === undefined
    ? undefined
    : statSync(join(site.config.screens, path), { throwIfNoEntry: false })?.mtimeMs;
}

/** `GET /` of the default mode (docs/spec/web.md section 7). */
export async function defaultDocument(site: Site, head: boolean): Promise<Response> {
  await settled(site, { kind: "newest" });
  const { file, version } = openNewest(site);
  const wrap = wrapper(STRIP_DEFAULT, "", refreshScript(version, true));
  if (file === undefined) return page(textContent(wrap.before + WAITING + wrap.after), 200, head);
  const screen = readScreen(file);
  if (!screen.full) return page(assemble(screen, [wrap.before, { start: 0 }, wrap.after]), 200, head);
  const script = refreshScript(version, false);
  // The first literal one; without one, and in a file too large to be searched, the script comes last.
  const at = placeOf("</body>", screen);
  const parts = at < 0 ? [{ start: 0 }, `\n${script}`] : [{ start: 0, end: at }, script, { start: at }];
  return page(assemble(screen, parts), 200, head);
}

/** `GET /` of the annotate mode for anything but a navigation: the newest screen as it is. */
export function rawNewest(site: Site, head: boolean): Response {
  const { file } = openNewest(site);
  const content = file === undefined ? textContent(WAITING) : wholeFile(file);
  return page(content, 200, head, { "cache-control": "no-store" });
}

/** A document with the overlay (docs/spec/web.md 8.2 and 8.3). */
export async function annotateDocument(call: Call, shown: Shown): Promise<Response> {
  const { site, annotate, request } = call;
  const detour = toOwnAddress(call);
  if (detour !== undefined) return detour;
  const { session, changes } = annotate;
  const head = request.method === "HEAD";
  const document = globalThis.crypto.randomUUID();
  const { given, cookie, origin } = credentials(call);
  // From the first moment: the grace must not run out while a large tree is scanned.
  if (given && !head) session.tabs.navigate(document, request.signal);
  else if (!head) session.tabs.show(document);
  await settled(site, shown);
  // The key comes before the content, so a change in between is announced again, never missed.
  const key = await changes.beforeDocument(session.streams);
  changes.rendered(document, key);

  const opened = openShown(site, shown);
  const boot = bootTag(origin, session.id, document, opened.page);
  const headers: Record<string, string> = { "cache-control": "no-store", "referrer-policy": "no-referrer" };
  if (given && !head) headers["set-cookie"] = cookie;
  // A browser that does not say where the document goes may be about to put it into another page's frame.
  if (!request.headers.has("sec-fetch-dest")) {
    headers["content-security-policy"] = "frame-ancestors 'self'";
    headers["x-frame-options"] = "SAMEORIGIN";
  }
  return page(withOverlay(opened, boot), opened.status, head, headers);
}

interface Opened {
  status: number;
  /** What the boot tag's `PAGE_ATTRIBUTE` says. */
  page: string;
  content: OpenFile | { own: string };
}

const GONE: Opened = { status: 404, page: "/", content: { own: NO_LONGER } };

function openShown(site: Site, shown: Shown): Opened {
  if (shown.kind === "gone") return GONE;
  if (shown.kind === "screen") {
    const file = site.files.open(shown.path);
    // Renamed a moment ago: the next change brings the tab back.
    if (file === undefined) return GONE;
    return { status: 200, page: encodePage(posix.normalize(shown.path.replace(/^\/+/, ""))), content: file };
  }
  const { file, entry } = openNewest(site);
  if (file === undefined) return { status: 200, page: "/", content: { own: WAITING } };
  return { status: 200, page: encodePage(entry), content: file };
}

function withOverlay({ content }: Opened, boot: string): Content {
  const wrap = wrapper(STRIP, `${boot}\n`, "");
  if ("own" in content) return textContent(wrap.before + content.own + wrap.after);
  const screen = readScreen(content);
  if (screen.full) return assemble(screen, [`<!doctype html>\n${boot}\n`, { start: screen.mark }]);
  return assemble(screen, [wrap.before, { start: screen.mark }, wrap.after]);
}

/** Whether a navigation has the credential or is given it (docs/spec/web.md 8.4), and the origin it came by. */
export function credentials({ site, annotate, request, query, connection }: Call): {
  given: boolean;
  cookie: string;
  origin: string;
} {
  const { headers } = request;
  const host = headers.get("host");
  const local = isLoopbackAddress(connection.address);
  const { publicUrl, auth } = site.config;
  const origin = originOf(host, headers.get("x-forwarded-proto"), local, publicUrl, site.port);
  // A tunnel or local proxy connects from here too, but under another name.
  const atHome = auth === "auto" && local && isLoopbackName(parseHost(host)?.name ?? "");
  const given = auth === "open" || atHome || isAuthorised(headers, query, site.port, annotate.isToken);
  return { given, cookie: cookieHeader(site.port, annotate.token, origin), origin };
}

function cookieHeader(port: number, token: string, origin: string): string {
  const secure = origin.startsWith("https:") ? "; Secure" : "";
  return `${cookieName(port)}=${token}; HttpOnly; SameSite=Strict; Path=/${secure}`;
}

type Newest =
  | { file: OpenFile; entry: string; version: Version }
  | { file: undefined; entry: undefined; version: Version };

function openNewest(site: Site): Newest {
  // It may vanish between the look and the opening; the next newest is as good.
  for (let attempt = 0; attempt < 3; attempt++) {
    const newest = site.newest();
    if (newest === undefined) break;
    const file = site.files.open(newest.entry);
    if (file !== undefined) {
      return { file, entry: newest.entry, version: { screen: newest.name, mtimeMs: newest.mtimeMs } };
    }
  }
  return { file: undefined, entry: undefined, version: { screen: null, mtimeMs: 0 } };
}
