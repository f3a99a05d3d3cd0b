import type { Host } from "../kernel/call/host.ts";
import { AUTHORIZE_PATH } from "../kernel/shared/annotate-wire.ts";
import type { ServeOptions } from "./options.ts";
import type { DisplayInfo } from "./schema.ts";
import { isLoopbackBind, isWildcardBind } from "./server/http/host-header.ts";

/** The addresses worth handing out (docs/spec/web.md 3.1). */
export async function addressesOf(
  options: ServeOptions,
  port: number,
  sixTaken: boolean,
  token: string | undefined,
): Promise<Pick<DisplayInfo, "url" | "authorize_url" | "urls">> {
  const url = `http://${hostInUrl(options.host, sixTaken)}:${port}`;
  const authorize = token === undefined ? {} : { authorize_url: `${url}${AUTHORIZE_PATH}?token=${token}` };
  const wildcard = isWildcardBind(options.host);
  if (!wildcard && options.publicUrl === undefined) return { url, ...authorize };
  const urls = [
    url,
    ...(wildcard ? await interfaceUrls(options.host, port) : []),
    ...(options.publicUrl === undefined ? [] : [options.publicUrl.origin]),
  ];
  return { url, ...authorize, urls };
}

/** `localhost`, unless that cannot reach the one address that is bound. */
function hostInUrl(host: string, sixTaken: boolean): string {
  const bare = host.replace(/^\[(.*)\]$/, "$1");
  if (sixTaken) return "127.0.0.1";
  if (["127.0.0.1", "::1", "localhost"].includes(bare) || isWildcardBind(host)) return "localhost";
  return bare.includes(":") ? `[${bare}]` : bare;
}

async function interfaceUrls(host: string, port: number): Promise<string[]> {
  const { networkInterfaces } = await import("node:os");
  const six = host !== "0.0.0.0";
  return Object.values(networkInterfaces())
    .flat()
    .filter((entry) => entry !== undefined && !entry.internal && !entry.address.startsWith("fe80:"))
    .filter((entry) => six || entry!.family === "IPv4")
    .map((entry) => `http://${entry!.family === "IPv6" ? `[${entry!.address}]` : entry!.address}:${port}`);
}

/** This machine's name, which is an accepted Host only on a bind beyond loopback. */
export async function machineName(host: string): Promise<string> {
  return isLoopbackBind(host) ? "" : (await import("node:os")).hostname();
}

/** What a person has to know about where the server can be reached, one line each. */
export function startNotes(host: Host, options: ServeOptions, info: DisplayInfo): string[] {
  const notes: string[] = [];
  if (isLoopbackBind(options.host)) {
    if (info.url.startsWith("http://127.0.0.1:") && options.host === "127.0.0.1") {
      notes.push(
        `[::1]:${info.port} belongs to another process, which localhost may lead to; use ${info.url}`,
      );
    }
  } else if (options.annotate && options.auth !== "open") {
    notes.push(
      `bound to ${options.host}: from other machines ${info.url} is view-only; to annotate there, hand over authorize_url with its host replaced`,
    );
  } else {
    const what = options.annotate ? "see the screens and annotate them" : "see the screens";
    notes.push(
      `bound to ${options.host}: everybody who can reach port ${info.port} of this machine can ${what}`,
    );
  }
  return notes.map((note) => `${host.prefix}${note}\n`);
}
