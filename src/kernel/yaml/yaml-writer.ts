/**
 * A plain value as YAML 1.2 text with a final newline: keys in their order, two blanks a level, never an anchor, no line
 * folded. The package is loaded on the first call only.
 */
export async function yamlText(value: unknown): Promise<string> {
  const { stringify } = await import("yaml");
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
}
