import type { SiteConfig } from "../config.ts";

/** The client is this machine (docs/spec/web.md 5.2, 8.4). */
export function isLoopbackAddress(address: string): boolean {
  const plain = address.startsWith("::ffff:") ? address.slice(7) : address;
  return plain === "::1" || /^127(\.\d{1,3}){3}$/.test(plain);
}

/** A Host name that can only lead to this machine. */
export function isLoopbackName(name: string): boolean {
  return name === "localhost" || name.endsWith(".localhost") || name === "[::1]" || isLoopbackAddress(name);
}

/** Whether binding to this `--host` value keeps the server on this machine. */
export function isLoopbackBind(host: string): boolean {
  return isLoopbackName(host.toLowerCase()) || isLoopbackAddress(host.replace(/^\[|\]$/g, ""));
}

/** Every interface at once. */
export function isWildcardBind(host: string): boolean {
  return host === "0.0.0.0" || host === "::" || host === "[::]";
}

/** A Host header taken apart; `name` is lower case, IPv6 in brackets. */
export interface HostName {
  name: string;
  port: string | undefined;
  /** In the only shape that is ever reflected (docs/spec/web.md 8.2). */
  plain: boolean;
}

/** Undefined for a Host no browser sends: missing, or with characters a URL's host cannot hold. */
export function parseHost(header: string | null): HostName | undefined {
  if (header === null) return undefined;
  const plain = /^([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::(\d{1,5}))?$/.exec(header);
  const match = plain ?? /^([^\s\u0000-\u001f\u007f#/:<>?@[\\\]^|%]+)(?::(\d*))?$/.exec(header);
  if (match === null) return undefined;
  return { name: match[1]!.toLowerCase(), port: match[2], plain: plain !== null };
}

export type HostVerdict = { kind: "served" } | { kind: "bad-request" } | { kind: "blocked"; name: string };

const SERVED: HostVerdict = { kind: "served" };

/** The Host check (docs/spec/web.md 5.2): a rebinding page always presents a name, so a foreign name is refused on loopback. */
export function makeHostCheck(
  config: SiteConfig,
): (header: string | null, address: () => string) => HostVerdict {
  const loopback = isLoopbackBind(config.host);
  const refusing = loopback || config.auth === "open";
  const isKnown = knownHosts(config, loopback);
  // One name serves nearly every request; no need to judge it again.
  let lastServed: string | undefined;
  return (header, address) => {
    if (header !== null && header === lastServed) return SERVED;
    const host = parseHost(header);
    if (host === undefined) return isLoopbackAddress(address()) ? SERVED : { kind: "bad-request" };
    if (isKnown(host.name) || !refusing) {
      lastServed = header ?? undefined;
      return SERVED;
    }
    return { kind: "blocked", name: host.name };
  };
}

function knownHosts(config: SiteConfig, loopback: boolean): (name: string) => boolean {
  const exact = new Set<string>([config.host.toLowerCase(), `[${config.host.toLowerCase()}]`]);
  const suffixes: string[] = [];
  for (const entry of config.allowHosts) {
    exact.add(entry.startsWith(".") ? entry.slice(1) : entry);
    if (entry.startsWith(".")) suffixes.push(entry);
  }
  if (config.publicUrl !== undefined) exact.add(config.publicUrl.hostname);
  if (!loopback && config.machineName !== "") {
    const machine = config.machineName.toLowerCase();
    exact.add(machine).add(`${machine}.local`);
  }
  return (name) =>
    isLoopbackName(name) ||
    isIpLiteral(name) ||
    exact.has(name) ||
    suffixes.some((suffix) => name.length > suffix.length && name.endsWith(suffix));
}

function isIpLiteral(name: string): boolean {
  return name.startsWith("[") || /^\d{1,3}(\.\d{1,3}){3}$/.test(name);
}

/**
 * The origin a document names the server by (docs/spec/web.md 8.2): the Host as it came when it has the one reflected
 * shape, the public URL when that is what was asked for, `localhost` otherwise.
 */
export function originOf(
  header: string | null,
  forwardedProtocol: string | null,
  fromLoopback: boolean,
  publicUrl: URL | undefined,
  port: number,
): string {
  const host = parseHost(header);
  if (host === undefined || !host.plain) return `http://localhost:${port}`;
  if (publicUrl !== undefined && matchesPublicUrl(host, publicUrl)) return publicUrl.origin;
  const scheme = fromLoopback && forwardedProtocol === "https" ? "https" : "http";
  return `${scheme}://${header}`;
}

function matchesPublicUrl(host: HostName, url: URL): boolean {
  if (host.name !== url.hostname) return false;
  const standard = url.protocol === "https:" ? "443" : "80";
  // A proxy often hands the name on without its port.
  return host.port === undefined || host.port === (url.port || standard);
}
