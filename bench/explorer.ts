/**
 * Measures the explorer in a local browser, with a node of 10,000 blocks and 10,000 transactions of one account: size and
 * requests of the first view, time to content on a slow connection and processor, layout shift, requests of a page that
 * stays open, and a list of 10,000 rows.
 * `npm run bench -- explorer`. Requires Chromium. `HOLDFAST_BENCH_TURNS` (5) sets how often a page is opened;
 * `HOLDFAST_BENCH_LIVE_SECONDS` (60) how long the overview stays open; `HOLDFAST_BENCH_BLOCKS` and
 * `HOLDFAST_BENCH_TRANSFERS` (10,000) the size of the chain.
 */
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser, CDPSession, Page } from "playwright-core";
import { startChromium } from "../test/support/chromium.ts";
import { writeDevChain } from "./explorer-chain.ts";
import { report } from "./figures.ts";
import { withNode } from "./route-speed.ts";
import { inHome, median } from "./support.ts";

const BLOCKS = Number(process.env.HOLDFAST_BENCH_BLOCKS ?? 10_000);
const TRANSFERS = Number(process.env.HOLDFAST_BENCH_TRANSFERS ?? 10_000);
const TURNS = Number(process.env.HOLDFAST_BENCH_TURNS ?? 5);
const LIVE_SECONDS = Number(process.env.HOLDFAST_BENCH_LIVE_SECONDS ?? 60);

/** "Slow 4G" of the browser's own tools: bytes per second and ms. */
const SLOW_4G = { downloadThroughput: 180_000, uploadThroughput: 84_375, latency: 562.5, offline: false };
const SLOW_PROCESSOR = 4;
const SLOW = "slow 4G, 4 times slower processor";
/** Parts of a page that load later are there after this time. The event stream never ends. */
const QUIET_MS = 4_000;
const WINDOW = { width: 1_400, height: 900 };

/** Records layout shifts, and when a frame has drawn the parts of the page. @param content selector */
const observers = (content: string): string => `
  window.layoutShift = 0;
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.layoutShift += value;
  }).observe({ type: "layout-shift", buffered: true });
  window.drawn = {};
  const missing = new Map(Object.entries({
    panel: "main .strip .block, main .panel dl, main .panel table",
    content: ${JSON.stringify(content)},
    ready: "#page[data-ready]",
  }));
  const isVisible = (element) => element.checkVisibility();
  new MutationObserver(() => {
    for (const [name, selector] of missing) {
      if (![...document.querySelectorAll(selector)].some(isVisible)) continue;
      missing.delete(name);
      // The frame is drawn before the message arrives.
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => {
          window.drawn[name] = performance.now();
        };
        port2.postMessage(undefined);
      });
    }
  }).observe(document, { childList: true, subtree: true, attributes: true });
`;

/** @param isSlow throttles connection and processor */
async function openPage(browser: Browser, isSlow: boolean): Promise<{ page: Page; session: CDPSession }> {
  const page = await browser.newPage({ viewport: WINDOW });
  const session = await page.context().newCDPSession(page);
  if (isSlow) {
    await session.send("Network.enable");
    await session.send("Network.emulateNetworkConditions", SLOW_4G);
    await session.send("Emulation.setCPUThrottlingRate", { rate: SLOW_PROCESSOR });
  }
  return { page, session };
}

const sinceStart = (page: Page): Promise<number> => page.evaluate("performance.now()");

/** Times in ms. */
interface Drawn {
  readonly panel: number;
  readonly content: number;
  /** When the scripts have rendered the page. */
  readonly ready: number;
}

interface Opening {
  readonly cold: Drawn;
  readonly warm: Drawn;
  readonly shift: number;
}

/** Waits until everything is drawn. */
const drawn = (page: Page): Promise<Drawn> =>
  page.evaluate<Drawn>(`new Promise((resolve) => {
    const look = () => {
      if (Object.keys(window.drawn).length === 3) resolve(window.drawn);
      else setTimeout(look, 100);
    };
    look();
  })`);

/** @param content selector of the last part of the page */
async function opening(browser: Browser, url: string, content: string): Promise<Opening> {
  const { page } = await openPage(browser, true);
  await page.addInitScript(observers(content));
  await page.goto(url);
  const cold = await drawn(page);
  await page.waitForTimeout(QUIET_MS);
  const shift = await page.evaluate<number>("window.layoutShift");
  await page.reload();
  const warm = await drawn(page);
  await page.close();
  return { cold, warm, shift };
}

/** Sizes in bytes, gzipped. */
async function firstView(browser: Browser, explorer: string, path: string) {
  const { page } = await openPage(browser, false);
  // The page in view does not need the code that is loaded when the browser is idle.
  await page.addInitScript("window.requestIdleCallback = undefined");
  const counts = { bytes: 0, files: 0, requests: 0 };
  const waiting: Promise<void>[] = [];
  page.on("response", (answer) => {
    const isStream = answer.headers()["content-type"]?.startsWith("text/event-stream") === true;
    if (answer.url().startsWith(explorer)) counts.files++;
    else counts.requests++;
    if (isStream) return;
    const add = (body: Buffer): void => {
      counts.bytes += gzipSync(body).length;
    };
    // A cancelled request has no body.
    waiting.push(answer.body().then(add, () => {}));
  });
  await page.goto(explorer + path);
  await page.locator('main[aria-busy="false"] h1').waitFor({ state: "attached" });
  await page.waitForTimeout(QUIET_MS);
  await Promise.all(waiting);
  await page.close();
  return counts;
}

/** Requests per minute of a page that stays open. */
async function requestsPerMinute(browser: Browser, url: string): Promise<number> {
  const { page } = await openPage(browser, false);
  await page.goto(url);
  await page.waitForTimeout(QUIET_MS);
  let requests = 0;
  page.on("request", () => requests++);
  await page.waitForTimeout(1_000 * LIVE_SECONDS);
  await page.close();
  return (requests * 60) / LIVE_SECONDS;
}

/** Loads all rows, scrolls to the last one and finds it with the browser's own search in a filtered list. */
async function longList(browser: Browser, url: string) {
  const { page, session } = await openPage(browser, false);
  await page.goto(url);
  const more = page.getByRole("button", { name: "Show up to 10,000" });
  await more.waitFor();
  await session.send("HeapProfiler.collectGarbage");
  const heap = async (): Promise<number> => (await session.send("Runtime.getHeapUsage")).usedSize;
  const heapBefore = await heap();
  const begun = await sinceStart(page);
  await more.click();
  await more.waitFor({ state: "detached", timeout: 300_000 });
  await page.evaluate(`new Promise((resolve) => {
    const look = () => {
      window.scrollTo(0, document.documentElement.scrollHeight);
      const rows = document.querySelectorAll("tr[data-index]");
      if (Number(rows[rows.length - 1]?.dataset.index) >= ${TRANSFERS} - 1) resolve();
      else requestAnimationFrame(look);
    };
    look();
  })`);
  const ms = (await sinceStart(page)) - begun;
  await session.send("HeapProfiler.collectGarbage");
  const heapBytes = (await heap()) - heapBefore;
  const elements = await page.evaluate<number>('document.querySelectorAll("*").length');
  await page.close();
  return { ms, heapBytes, elements };
}

await inHome(async (home) => {
  const blocks = join(home, "blocks.bin");
  const address = writeDevChain(blocks, BLOCKS, TRANSFERS);
  await withNode(home, { blocks }, async (node) => {
    const browser = await startChromium();
    const explorer = `${node.url}/explorer/`;
    // While a part is being loaded, the page is busy.
    const complete = 'main[aria-busy="false"]';
    const tip = `${complete} a[href="block/${BLOCKS + 1}"]`;
    try {
      const overview = await firstView(browser, explorer, "");
      report("overview: first view, gzipped", overview.bytes / 1_000, "kB", { atMost: 130 });
      report("overview: requests to the API", overview.requests, "requests", { atMost: 15 });
      report("overview: files", overview.files, "files", { atMost: 8 });
      const account = await firstView(browser, explorer, `address/${address}`);
      report("address: first view, gzipped", account.bytes / 1_000, "kB", { atMost: 130 });
      for (const [name, path, content] of [
        ["overview", "", tip],
        ["address", `address/${address}`, `${complete} [role="tabpanel"] tbody tr`],
      ] as const) {
        const turns: Opening[] = [];
        for (let turn = 0; turn < TURNS; turn++) turns.push(await opening(browser, explorer + path, content));
        const times: readonly (readonly [string, (one: Opening) => number, number | undefined])[] = [
          ["first panel", ({ cold }) => cold.panel, 1.2],
          ["content, cold", ({ cold }) => cold.content, 2],
          ["content, warm", ({ warm }) => warm.content, 1],
          ["scripts, cold", ({ cold }) => cold.ready, undefined],
          ["scripts, warm", ({ warm }) => warm.ready, undefined],
        ];
        for (const [what, of, atMost] of times) {
          const target = atMost === undefined ? undefined : { atMost };
          report(`${name}: ${what}`, median(turns.map(of)) / 1_000, "s", target, SLOW);
        }
        report(`${name}: layout shift`, Math.max(...turns.map(({ shift }) => shift)), "", { atMost: 0.05 });
      }
      report("open overview: requests", await requestsPerMinute(browser, explorer), "a minute", {
        atMost: 10,
      });
      const list = await longList(browser, `${explorer}address/${address}`);
      report("10,000 rows: to the end", list.ms / 1_000, "s", { atMost: 2 });
      report("10,000 rows: heap", list.heapBytes / 1_000_000, "MB", { atMost: 40 });
      report("10,000 rows: elements", list.elements, "elements", { atMost: 2_000 });
    } finally {
      await browser.close();
    }
  });
});
