/**
 * `fetch` for a server on this machine, over a connection of its own: never through a proxy that the environment names,
 * following no redirect, unpacking nothing, with no time limit but the caller's. Under Deno, which has no such switch,
 * `NO_PROXY` decides about proxies.
 */
export function localFetch(address: string, init: RequestInit): Promise<Response> {
  // Bun obeys HTTP_PROXY for loopback addresses too; `false` is the only value that turns it off.
  const own = { proxy: false, timeout: false, decompress: false, keepalive: false, redirect: "manual" };
  return fetch(address, { ...init, ...own } as RequestInit);
}
