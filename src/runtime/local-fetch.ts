/** `fetch` for a server on this machine: never through a proxy that the environment names. */
export function localFetch(address: string, init: RequestInit): Promise<Response> {
  // Bun obeys HTTP_PROXY for loopback addresses too; `false` is the only value that turns it off.
  return fetch(address, { ...init, proxy: false } as RequestInit);
}
