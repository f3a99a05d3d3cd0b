/** Whether a text can be a skill, run id, label or job id: a safe path component of any length (docs/spec/jobs.md section 1, docs/spec/config.md section 7). */
export function isToken(text: string): boolean {
  let onlyDots = true;
  // A loop, since every short verb asks this once and a pattern costs more to compile than the rest of the lookup.
  for (const character of text) {
    if (!ALLOWED.includes(character)) return false;
    if (character !== ".") onlyDots = false;
  }
  return !onlyDots;
}

const ALLOWED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
