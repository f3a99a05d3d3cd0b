/** SHA-256 in hex, of text as UTF-8. */
export async function sha256(content: string | Uint8Array): Promise<string> {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** What a remembered file is recognised by (docs/spec/craft-run.md 5.2). */
export async function fingerprint(content: Uint8Array): Promise<string> {
  return (await sha256(content)).slice(0, 16);
}
