// Runs every check of one host, inside the network namespace that main.ts makes, and prints the result as one JSON line.
import { spawnSync } from "node:child_process";
import { type Check, scenariosOf } from "./checks.ts";
import { type HostName, RECIPES } from "./recipes.ts";

/** Sessions of one host at a time: the long one, and the others in turn. */
const SIDE_BY_SIDE = 2;

const [name, bin, base, only] = process.argv.slice(2) as [HostName, string, string, string?];
if (spawnSync("ip", ["link", "set", "lo", "up"]).status !== 0) throw new Error("cannot bring up loopback");

const recipe = RECIPES[name];
const queue = Object.entries(scenariosOf(recipe)).filter(([title]) => only === undefined || title === only);
const checks: Check[] = [];
const troubles: string[] = [];

await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
console.log(JSON.stringify({ checks, troubles }));

async function work(): Promise<void> {
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const [title, scenario] = next;
    const started = Date.now();
    try {
      const found = await scenario({ recipe, bin, base });
      checks.push(...found);
      const said = found.map(({ id, ok, seen }) => `${ok ? "ok " : "BAD"} ${id}: ${seen}`);
      console.error(
        `${recipe.title}, ${title} (${Math.round((Date.now() - started) / 1000)} s)\n  ${said.join("\n  ")}`,
      );
    } catch (error) {
      troubles.push(`${title}: ${error instanceof Error ? error.message : error}`);
      console.error(`${recipe.title}, ${title}: ${error}`);
    }
  }
}
