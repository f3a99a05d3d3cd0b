/** The token a record starts with: its head and what stands in its brackets; nulls for free text (section 2.13). */
export function tokenOf(record: string): { token: string | null; arg: string | null } {
  const match = /^([A-Z][A-Z-]*|auto-skip|inline)(?:\(([^)]*)\))?(?=[:\s]|$)/.exec(record);
  if (match === null) return { token: null, arg: null };
  const [whole, token, arg] = match;
  // `RULED-OUT` stands alone; every other token has brackets or a colon.
  const marked = arg !== undefined || record[whole.length] === ":" || token === "RULED-OUT";
  return marked ? { token: token!, arg: arg ?? null } : { token: null, arg: null };
}
