/** The JSON a nested command printed. */
export function decodeJson<T>(stdout: Uint8Array): T {
  return JSON.parse(new TextDecoder().decode(stdout)) as T;
}
