/**
 * Measures the explorer in a local browser, with a node of 10,000 blocks and 10,000 transactions of one account: time
 * to first content, size of the first view, and the longest task of the main thread, also while the whole list is
 * loaded.
 * `npm run bench -- explorer`. `HOLDFAST_BENCH_TURNS` (5) sets how often each page is opened. Requires Chromium.
 */
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { startChromium } from "../test/support/chromium.ts";
import { writeDevChain } from "./explorer-chain.ts";
import { withNode } from "./route-speed.ts";
import { inHome, median, whole } from "./support.ts";

const BLOCKS = 10_000;
const TRANSFERS = 10_000;
/** A list shows at most this many rows. */
const MAX_ROWS = 2_000;
const TURNS = Number(process.env.HOLDFAST_BENCH_TURNS ?? 5);

/** Targets: ms, ms, bytes. */
const MAX_FIRST_CONTENT_MS = 1_000;
const MAX_TASK_MS = 200;
const MAX_FIRST_VIEW_BYTES = 150_000;

let isWell = true;

function row(what: string, figure: number, unit: string, target?: number): void {
  const isFine = target === undefined || figure <= target;
  if (!isFine) isWell = false;
  const limit = target === undefined ? "" : `${whole(target)} at most${isFine ? "" : " !"}`;
  console.log(`${what.padEnd(52)} ${whole(figure).padStart(9)} ${unit.padEnd(6)} ${limit}`);
}

/** Opens a new window with an empty cache that records the duration of the page's tasks. */
async function open(browser: Browser): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1_400, height: 900 } });
  await page.addInitScript(`
    window.longTasks = [];
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) window.longTasks.push(duration);
    }).observe({ type: "longtask", buffered: true });
  `);
  return page;
}

/** Longest task so far, ms; 0 if none took 50 ms. */
const longestTask = (page: Page): Promise<number> => page.evaluate("Math.max(0, ...window.longTasks)");

/** Time since navigation, ms. */
const sinceAsked = (page: Page): Promise<number> => page.evaluate("performance.now()");

interface Opening {
  readonly painted: number;
  readonly content: number;
  readonly longest: number;
}

/** Opens a page and waits for its main content. */
async function opening(browser: Browser, url: string, content: string): Promise<Opening> {
  const page = await open(browser);
  await page.goto(url);
  await page.locator(content).first().waitFor();
  const content_ = await sinceAsked(page);
  const painted = await page.evaluate<number>(
    `performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? performance.now()`,
  );
  // Include what loads after the content.
  await page.evaluate("new Promise((resolve) => requestIdleCallback(resolve, { timeout: 5_000 }))");
  const longest = await longestTask(page);
  await page.close();
  return { painted, content: content_, longest };
}

interface LongList {
  readonly shown: number;
  readonly longest: number;
  /** Measures while a user browses. */
  readonly longestScrolled: number;
  readonly rows: number;
  readonly isFound: boolean;
}

/** Loads all transactions of an account into one list, then searches for the last one with the browser's search. */
async function longList(browser: Browser, url: string): Promise<LongList> {
  const page = await open(browser);
  await page.goto(url);
  await page.getByRole("button", { name: /^Show (all )?[0-9,]+$/ }).click();
  const begun = await sinceAsked(page);
  const rows = '[role="tabpanel"] tbody tr';
  await page.waitForFunction(
    ([selector, count]) => {
      const { querySelectorAll } = Reflect.get(globalThis, "document") as {
        querySelectorAll(selector: string): { readonly length: number };
      };
      return querySelectorAll.call(Reflect.get(globalThis, "document"), selector).length >= Number(count);
    },
    [rows, MAX_ROWS] as const,
    { timeout: 300_000, polling: 500 },
  );
  const shown = (await sinceAsked(page)) - begun;
  const longest = await longestTask(page);
  await page.evaluate("window.longTasks = []");
  // The browser lays out rows only when they are scrolled into view.
  for (const part of [0.25, 0.5, 0.75, 1])
    await page.evaluate(`new Promise((resolve) => {
      window.scrollTo(0, document.documentElement.scrollHeight * ${part});
      requestAnimationFrame(() => requestAnimationFrame(resolve));
    })`);
  const longestScrolled = await longestTask(page);
  const last = page.locator(rows).last().locator('a[href^="transaction/"]').last();
  const id = (await last.getAttribute("href"))?.slice("transaction/".length) ?? "nothing";
  await page.evaluate("window.scrollTo(0, 0); getSelection().removeAllRanges()");
  const isFound = await page.evaluate<boolean>(`window.find(${JSON.stringify(id)})`);
  const count = await page.locator(rows).count();
  await page.close();
  return { shown, longest, longestScrolled, rows: count, isFound };
}

/** Gzipped size of the first view: the page's files and the API's answers. */
async function firstView(
  browser: Browser,
  url: string,
  content: string,
): Promise<Record<"page" | "api", number>> {
  const page = await open(browser);
  const sizes = { page: 0, api: 0 };
  const waiting: Promise<void>[] = [];
  page.on("response", (answer) => {
    if (answer.headers()["content-type"]?.startsWith("text/event-stream")) return;
    const of = answer.url().startsWith(url) ? "page" : "api";
    waiting.push(
      answer.body().then(
        (body) => {
          sizes[of] += gzipSync(body).length;
        },
        // A cancelled request.
        () => {},
      ),
    );
  });
  await page.goto(url);
  await page.locator(content).first().waitFor();
  await Promise.all(waiting);
  await page.close();
  return sizes;
}

await inHome(async (home) => {
  const blocks = join(home, "blocks.bin");
  const address = writeDevChain(blocks, BLOCKS, TRANSFERS);
  await withNode(home, { blocks }, async (node) => {
    const browser = await startChromium();
    const explorer = `${node.url}/explorer/`;
    const tip = `main a[href="block/${BLOCKS + 1}"]`;
    try {
      const size = await firstView(browser, explorer, tip);
      row("first view, the page's own files, gzipped", size.page, "bytes", MAX_FIRST_VIEW_BYTES);
      row("first view, answers of the interface, gzipped", size.api, "bytes");
      for (const [name, path, content] of [
        ["overview", "", tip],
        ["block", `block/${BLOCKS}`, "main h1"],
        ["address", `address/${address}`, "main h1"],
        ["forgers", "forgers", "main h1"],
      ] as const) {
        const turns: Opening[] = [];
        for (let turn = 0; turn < TURNS; turn++) turns.push(await opening(browser, explorer + path, content));
        const middle = (of: (one: Opening) => number): number => median(turns.map(of));
        row(
          `${name}: something is painted`,
          middle(({ painted }) => painted),
          "ms",
        );
        row(
          `${name}: its content is there`,
          middle(({ content }) => content),
          "ms",
          MAX_FIRST_CONTENT_MS,
        );
        row(`${name}: longest task`, Math.max(...turns.map(({ longest }) => longest)), "ms", MAX_TASK_MS);
      }
      const list = await longList(browser, `${explorer}address/${address}`);
      row(`list of ${whole(list.rows)}: all is there`, list.shown, "ms");
      row(`list of ${whole(list.rows)}: longest task`, list.longest, "ms", MAX_TASK_MS);
      row(`list of ${whole(list.rows)}: longest task of scrolling`, list.longestScrolled, "ms", MAX_TASK_MS);
      console.log(`the browser finds the last of them: ${list.isFound ? "yes" : "no !"}`);
      if (!list.isFound) isWell = false;
    } finally {
      await browser.close();
    }
  });
});
if (!isWell) process.exitCode = 1;
