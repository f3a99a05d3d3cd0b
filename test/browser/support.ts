import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from "playwright-core";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { runJig } from "../support/run.ts";
import { makeTempDir, removeDir } from "../support/temp.ts";

const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  existsSync,
);

const FLAGS = [
  ...["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
];

/** Whether there is a Chromium to drive; `npm test` installs one where it can. */
export const hasBrowser: boolean = CHROMIUM !== undefined;

/** One browser for the tests of a file; call it at the file's top level. */
export function useBrowser(): () => Browser {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM!, args: FLAGS });
  });
  afterAll(() => browser?.close());
  return () => browser!;
}

/** The text of a fixture page. */
export const fixture = (name: string): string =>
  readFileSync(join(import.meta.dirname, "fixtures", name), "utf8");

export interface Record {
  id: string;
  screen: string;
  comment: string;
  selector: string;
  textSnippet: string | null;
  variant: string[] | null;
  rect: { x: number; y: number; width: number; height: number } | null;
  point: { x: number; y: number; scrollX: number; scrollY: number } | null;
  context?: {
    kind?: string;
    label?: string;
    html?: string;
    quote?: { exact: string; prefix: string; suffix: string };
    covers?: string[];
    shadow?: string[];
    frame?: { selector: string; page: string; outer?: string };
    follow_up_of?: string;
    [name: string]: unknown;
  };
  number?: number;
}

/** A running `jig web` of its own directory. */
export interface Preview {
  root: string;
  url: string;
  port: number;
  token: string;
  pid: number;
  session: string;
  /** Put a file under `screens/`, whole. */
  write(name: string, text: string): void;
  /** `jig web wait`, as the agent runs it. */
  wait(...words: string[]): Promise<{ code: number | null; records: Record[]; stdout: string }>;
  /** What is queued now, taken over HTTP as another program would. */
  take(): Promise<Record[]>;
  /** All notes the server knows, with their states. */
  notes(): Promise<(Record & { state: string })[]>;
  post(path: string, body?: unknown): Promise<Response>;
  stop(): Promise<void>;
  /** Start again on the same port after `stop` or a kill. */
  restart(): Promise<void>;
}

export interface PreviewOptions {
  env?: { [name: string]: string };
  args?: string[];
  annotate?: boolean;
}

/** Start the compiled binary's server on an empty directory; stopped and removed with the test. */
export async function startPreview(options: PreviewOptions = {}): Promise<Preview> {
  const preview = await launchPreview(options);
  onTestFinished(async () => {
    await preview.stop();
    removeDir(preview.root);
  });
  return preview;
}

async function launchPreview(options: PreviewOptions): Promise<Preview> {
  const root = makeTempDir("jig-browser-");
  const screens = join(root, "screens");
  mkdirSync(screens, { recursive: true });
  const start = async (port: number) => {
    const mode = options.annotate === false ? [] : ["--annotate"];
    const words = ["web", "start", "--root", root, "--owner-pid", "none", "--port", String(port), ...mode];
    const run = await runJig(
      [...words, ...(options.args ?? [])],
      options.env === undefined ? {} : { env: options.env },
    );
    if (run.code !== 0) throw new Error(`jig web start: ${run.stderr}`);
    const { url, token, port: bound, pid } = JSON.parse(run.stdout) as Preview;
    Object.assign(preview, { url, token, port: bound, pid });
  };
  const headers = () => ({ "X-Session-Token": preview.token });
  const preview = {
    root,
    write(name, text) {
      const path = join(screens, name);
      mkdirSync(join(path, ".."), { recursive: true });
      // Renamed into place, as the agents' instructions ask.
      writeFileSync(`${path}.tmp`, text);
      renameSync(`${path}.tmp`, path);
    },
    async wait(...words) {
      const run = await runJig(["web", "wait", "--root", root, ...words]);
      const data: unknown = run.stdout.trim() === "" ? null : JSON.parse(run.stdout);
      return { code: run.code, stdout: run.stdout, records: Array.isArray(data) ? (data as Record[]) : [] };
    },
    async take() {
      const response = await fetch(`http://127.0.0.1:${preview.port}/wait`, { headers: headers() });
      return response.status === 200 ? ((await response.json()) as Record[]) : [];
    },
    async notes() {
      const path = `http://127.0.0.1:${preview.port}/__ce-annotate/annotations`;
      const list = (await (await fetch(path, { headers: headers() })).json()) as {
        records: (Record & { state: string })[];
      };
      return list.records;
    },
    post: (path, body) =>
      fetch(`http://127.0.0.1:${preview.port}${path}`, {
        method: "POST",
        headers: headers(),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    async stop() {
      await runJig(["web", "stop", "--root", root]);
    },
    restart: () => start(preview.port),
  } as Preview;
  await start(0);
  return preview;
}

/** One server for the tests of a file that can share it: each uses a screen of its own name. */
export function usePreview(options: PreviewOptions = {}): () => Preview {
  let preview: Preview | undefined;
  beforeAll(async () => {
    preview = await launchPreview(options);
  });
  afterAll(async () => {
    await preview?.stop();
    if (preview !== undefined) removeDir(preview.root);
  });
  return () => preview!;
}

/** What a test does with the overlay of a page, by the names a person reads. */
export interface Overlay {
  page: Page;
  host: Locator;
  button(name: string | RegExp): Locator;
  composer: Locator;
  field: Locator;
  list: Locator;
  pins: Locator;
  pin(number: number): Locator;
  /** What the live region said since the page loaded. */
  said(): Promise<string[]>;
  /** The highlight's words. */
  chip: Locator;
  /** An element of the page itself: plain selectors would look into the overlay too. */
  on(selector: string): Locator;
  /** Press an item of the … menu. */
  fromMenu(item: string): Promise<void>;
  /** Comment on an element with the mouse. */
  comment(target: Locator, text: string, at?: { x: number; y: number }): Promise<void>;
}

export function overlayOf(page: Page): Overlay {
  const host = page.locator("ce-annotate-host");
  const button = (name: string | RegExp) =>
    host.getByRole("button", { name, exact: typeof name === "string" });
  const field = host.getByRole("textbox", { name: "Your comment" });
  const overlay: Overlay = {
    page,
    host,
    button,
    composer: host.getByRole("dialog"),
    field,
    list: host.getByRole("region", { name: "Notes" }),
    pins: host.getByRole("button", { name: /^Note/ }).and(host.locator(".pin")),
    pin: (number) =>
      host.locator(".pin").and(host.getByRole("button", { name: new RegExp(`^Note ${number},`) })),
    said: () => page.evaluate(() => (window as unknown as { said?: string[] }).said ?? []),
    chip: host.locator(".chip"),
    async fromMenu(item) {
      await button("More").click();
      await host.locator("#ce-menu").getByRole("button", { name: item }).click();
    },
    on: (selector) => page.locator(`css:light=${selector}`),
    async comment(target, text, at) {
      // A page that was reached by a click may not have its overlay yet.
      await host.getByRole("button").first().waitFor();
      if ((await button("Annotate").count()) > 0) await button("Annotate").click();
      const box = (await target.boundingBox())!;
      await page.mouse.click(box.x + (at?.x ?? box.width / 2), box.y + (at?.y ?? box.height / 2));
      await field.waitFor();
      await page.keyboard.type(text);
      await page.keyboard.press("Control+Enter");
      await field.waitFor({ state: "hidden" });
    },
  };
  return overlay;
}

/** Records every text of the overlay's live region. Runs in the page, before anything else does. */
function recordSpeech() {
  const said: string[] = [];
  (window as unknown as { said: string[] }).said = said;
  const look = () => {
    const region = document
      .querySelector("ce-annotate-host")
      ?.shadowRoot?.querySelector("[aria-live=polite].unseen");
    if (region === null || region === undefined) return void setTimeout(look, 10);
    new MutationObserver(() => said.push(region.textContent ?? "")).observe(region, {
      childList: true,
      subtree: true,
      characterData: true,
    });
  };
  look();
}

export interface OpenOptions {
  path?: string;
  context?: BrowserContext;
}

/** Open a screen and wait for the overlay; errors of the page fail the test. */
export async function openPage(
  browser: Browser,
  preview: Preview,
  options: OpenOptions = {},
): Promise<Overlay> {
  const context = options.context ?? (await newContext(browser));
  const page = await context.newPage();
  await page.addInitScript(recordSpeech);
  await page.goto(preview.url + (options.path ?? "/"));
  const overlay = overlayOf(page);
  // In small windows the bar begins as its button.
  const button = overlay.button(/^Show toolbar/);
  await overlay.host.getByRole("toolbar").or(button).waitFor();
  if (await button.isVisible()) await button.click();
  return overlay;
}

/** As `newContext`, with a clock a hundred times slow: what the overlay gives up after some time, it does not give up. */
export async function unhurried(browser: Browser): Promise<BrowserContext> {
  const context = await newContext(browser);
  await context.addInitScript(() => {
    const real = performance.now.bind(performance);
    performance.now = () => real() / 100;
  });
  return context;
}

/** A browser profile of its own, closed with the test. */
export async function newContext(
  browser: Browser,
  options: Parameters<Browser["newContext"]>[0] = {},
): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1100, height: 760 }, ...options });
  context.setDefaultTimeout(20_000);
  // Chromium was seen not to answer this in two minutes, once in some thousand tests; its own end closes the rest.
  onTestFinished(() => Promise.race([context.close(), sleep(10_000, undefined, { ref: false })]));
  return context;
}
