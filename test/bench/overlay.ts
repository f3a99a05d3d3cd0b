import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Page } from "playwright-core";
import { median } from "./measure.ts";
import type { Bench, BenchRow } from "./types.ts";

const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  existsSync,
);
const ELEMENTS = 5000;
const NOTES = 50;
const ROUNDS = 7;

/** A page of cards, 5,000 elements in all, each with a text of its own. */
function bigPage(): string {
  const cards = Array.from(
    { length: ELEMENTS / 5 },
    (_, at) =>
      `<div class="card"><h3>Item ${at}</h3><p>Text of ${at}</p><span>${at * 7} €</span><button>Buy</button></div>`,
  );
  return `<!doctype html><style>.card{display:inline-block;width:150px}</style><main>${cards.join("")}</main>`;
}

/** Waits for the frame in which all pins have their places; milliseconds since the overlay's script was there. */
function pinsPlaced(page: Page): Promise<number> {
  return page.evaluate(
    (count) =>
      new Promise<number>((resolve) => {
        const look = () => {
          const root = document.querySelector("ce-annotate-host")?.shadowRoot;
          const pins = [...(root?.querySelectorAll<HTMLElement>(".pin") ?? [])];
          const placed = pins.filter((pin) => pin.style.transform !== "" || pin.hidden);
          if (placed.length < count) return void requestAnimationFrame(look);
          const script = performance
            .getEntriesByType("resource")
            .find(({ name }) => name.endsWith("annotate.js"));
          resolve(performance.now() - (script as PerformanceResourceTiming).responseEnd);
        };
        look();
      }),
    NOTES,
  );
}

/** Milliseconds of CPU that the page's main thread spends on a load until `ready`; the median of several. */
async function loadCost(page: Page, ready: () => Promise<unknown>): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const spent: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await page.reload({ waitUntil: "commit" });
    await ready();
    const { metrics } = await session.send("Performance.getMetrics");
    spent.push(1000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0));
  }
  await session.detach();
  return median(spent);
}

/** All of a load but the overlay: the page's own parsing, layout and first frame. */
async function loadCostWithout(page: Page): Promise<number> {
  await page.route("**/annotate.js", (route) => route.abort());
  const drawn = () => new Promise<void>((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  const cost = await loadCost(page, async () => {
    await page.waitForLoadState("load");
    await page.evaluate(drawn);
  });
  await page.unroute("**/annotate.js");
  return cost;
}

/**
 * What a pointer move costs the page's main thread until its frame is drawn (script, style, layout), in milliseconds of
 * its CPU: the median and the 95th of a hundred moves over as many places.
 */
async function hoverCost(page: Page): Promise<{ median: number; p95: number }> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const busy = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    const seconds = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? 0;
    return 1000 * (seconds("ScriptDuration") + seconds("LayoutDuration") + seconds("RecalcStyleDuration"));
  };
  const frame = () =>
    page.evaluate(() => new Promise<void>((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
  const spent: number[] = [];
  for (let move = 0; move < 110; move++) {
    await frame();
    const before = await busy();
    await page.mouse.move(30 + ((move * 37) % 1000), 40 + ((move * 53) % 600));
    await frame();
    if (move >= 10) spent.push((await busy()) - before);
  }
  const sorted = spent.sort((a, b) => a - b);
  return { median: median(sorted), p95: sorted[Math.floor(sorted.length * 0.95)]! };
}

const big: Bench = {
  name: "overlay on a page of 5,000 elements",
  async run({ jig, tempDir }) {
    const script = join(import.meta.dirname, "../../assets/annotate/annotate.js");
    const rows: BenchRow[] = [
      {
        figure: "annotate.js",
        value: statSync(script).size / 1024,
        unit: "KB",
        baseline: "budget",
        baselineValue: 120,
      },
      {
        figure: "annotate.css",
        value: readFileSync(script.replace(/js$/, "css")).length / 1000,
        unit: "KB",
        baseline: "budget",
        baselineValue: 28,
      },
    ];
    if (CHROMIUM === undefined) return rows;
    const root = join(tempDir, "overlay");
    mkdirSync(join(root, "screens"), { recursive: true });
    writeFileSync(join(root, "screens/001.html"), bigPage());
    const words = ["web", "start", "--root", root, "--annotate", "--owner-pid", "none"];
    const { url, port, token } = JSON.parse(spawnSync(jig, words, { encoding: "utf8" }).stdout);
    const browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: ["--headless", "--no-sandbox", "--disable-gpu"],
    });
    try {
      const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
      await page.goto(url);
      const host = page.locator("ce-annotate-host");
      await host.getByRole("toolbar").waitFor();
      await host.getByRole("button", { name: "Annotate", exact: true }).click();
      for (let note = 0; note < NOTES; note++) {
        const box = (await page
          .locator("css:light=.card button")
          .nth(note * 3)
          .boundingBox())!;
        await page.mouse.click(box.x + 6, Math.min(790, box.y + 6));
        await host.getByRole("textbox", { name: "Your comment" }).fill(`note ${note}`);
        await page.keyboard.press("Control+Enter");
        await host.getByRole("textbox", { name: "Your comment" }).waitFor({ state: "hidden" });
        if (box.y > 600) await page.mouse.wheel(0, 200);
      }
      const hover = await hoverCost(page);
      await host.getByRole("button", { name: "Annotating" }).click();
      const list = await fetch(`http://127.0.0.1:${port}/__ce-annotate/annotations`, {
        headers: { "x-session-token": token },
      });
      if (((await list.json()) as { records: object[] }).records.length !== NOTES)
        throw new Error("notes are missing");
      const reloads: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        await page.reload({ waitUntil: "commit" });
        reloads.push(await pinsPlaced(page));
      }
      const added = (await loadCost(page, () => pinsPlaced(page))) - (await loadCostWithout(page));
      rows.push(
        {
          figure: `${NOTES} notes: from the script to all pins`,
          value: median(reloads),
          unit: "ms",
          baseline: "budget",
          baselineValue: 200,
        },
        {
          figure: `${NOTES} notes: what a load costs more, CPU`,
          value: added,
          unit: "ms",
          baseline: "budget",
          baselineValue: 200,
        },
        {
          figure: "hover, a move, median",
          value: hover.median,
          unit: "ms",
          baseline: "budget",
          baselineValue: 4,
        },
        {
          figure: "hover, a move, 95th of 100",
          value: hover.p95,
          unit: "ms",
          baseline: "budget",
          baselineValue: 4,
        },
      );
    } finally {
      await browser.close();
      spawnSync(jig, ["web", "stop", "--root", root]);
    }
    return rows;
  },
};

export const benches: Bench[] = [big];
