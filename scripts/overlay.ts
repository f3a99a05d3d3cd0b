/**
 * Bundle the overlay's source into the one classic script the server hands out (docs/spec/web.md 15.1).
 *
 *   bun scripts/overlay.ts           write assets/annotate/annotate.js
 *   bun scripts/overlay.ts --check   exit 1 when that file is not what the source gives
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { deflateRawSync } from "node:zlib";

const at = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const OUTPUT = "assets/annotate/annotate.js";
const BANNER = `// From src/overlay by scripts/overlay.ts
`;

/** Style rules without comments and indentation: the script carries them for pages that forbid the link. */
function compactCss(css: string): string {
  return css
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/\s+/g, " ")
    .replace(/ ?([{};,]) ?/g, "$1")
    .replace(/: /g, ":")
    .replace(/;\}/g, "}")
    .trim();
}

async function bundle(): Promise<string> {
  const css = compactCss(readFileSync(at("assets/annotate/annotate.css"), "utf8"));
  const result = await Bun.build({
    entrypoints: [at("src/overlay/main.ts")],
    target: "browser",
    format: "iife",
    minify: true,
    define: { ANNOTATE_CSS: JSON.stringify(deflateRawSync(css, { level: 9 }).toString("base64")) },
  });
  return BANNER + (await result.outputs[0]!.text());
}

const made = await bundle();
if (process.argv.includes("--check")) {
  if (readFileSync(at(OUTPUT), "utf8") !== made) {
    console.error(`${OUTPUT} is out of date: run bun scripts/overlay.ts`);
    process.exitCode = 1;
  }
} else {
  writeFileSync(at(OUTPUT), made);
  console.log(`${OUTPUT}: ${made.length} bytes`);
}
