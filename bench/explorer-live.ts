/**
 * Measures an overview that stays open while a forging dev node commits 50 transactions per second: processor time of the
 * page's main thread, its heap, and its requests. `npm run bench -- explorer-live`. Requires Chromium and Linux.
 * `HOLDFAST_BENCH_MINUTES` (10) sets how long it stays open.
 */
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { Browser, CDPSession } from "playwright-core";
import { startChromium } from "../test/support/chromium.ts";
import { signedRequest, walletKeys } from "../test/support/sign-request.ts";
import { CHAIN_ID } from "./attack-setup.ts";
import { report } from "./figures.ts";
import { endProcess, inHome, serveNode } from "./support.ts";

const MINUTES = Number(process.env.HOLDFAST_BENCH_MINUTES ?? 10);
const TRANSACTIONS_PER_SECOND = 50;
const TICK_MS = 100;
const WINDOW = { width: 1_400, height: 900 };
const TRANSFER = { type: 4, version: 2, amount: 1, fee: 100_000_000 };
const RECIPIENT = "3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE";

/** Clock ticks per second of `/proc`. */
const TICKS_PER_SECOND = 100;

/** Returns the processor time of the page's main thread: its id is that of the renderer's process. */
async function mainThreadSeconds(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  const ticks = processInfo
    .filter(({ type }) => type === "renderer")
    .map(({ id }) => {
      const afterName = readFileSync(`/proc/${id}/task/${id}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
      return Number(afterName[11]) + Number(afterName[12]);
    });
  return Math.max(...ticks) / TICKS_PER_SECOND;
}

async function heapBytes(session: CDPSession): Promise<number> {
  await session.send("HeapProfiler.collectGarbage");
  return (await session.send("Runtime.getHeapUsage")).usedSize;
}

/** Broadcasts transfers at the fixed rate until `isOver`. @returns how many the node accepted */
async function feed(url: string, isOver: () => boolean): Promise<number> {
  const root = walletKeys("root");
  const start = performance.now();
  let [sent, accepted] = [0, 0];
  const broadcast = async (timestamp: number): Promise<void> => {
    const answer = await fetch(`${url}/transactions/broadcast`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: signedRequest({ ...TRANSFER, recipient: RECIPIENT, timestamp }, root, CHAIN_ID),
    });
    await answer.arrayBuffer();
    if (answer.ok) accepted++;
  };
  while (!isOver()) {
    const pending: Promise<void>[] = [];
    for (; sent < ((performance.now() - start) / 1_000) * TRANSACTIONS_PER_SECOND; sent++)
      pending.push(broadcast(Date.now() + (sent % 1_000)));
    await Promise.all([...pending, delay(TICK_MS)]);
  }
  return accepted;
}

await inHome(async (home) => {
  const node = await serveNode("start", home, ["--network", "dev", "--no-p2p"]);
  const browser = await startChromium();
  try {
    const page = await browser.newPage({ viewport: WINDOW });
    const session = await page.context().newCDPSession(page);
    let isOver = false;
    const fed = feed(node.url, () => isOver);
    await page.goto(`${node.url}/explorer/`);
    await page.locator("main .strip .block").first().waitFor();
    // The first minute fills lists and caches.
    await delay(60_000);
    let requests = 0;
    page.on("request", () => requests++);
    const heapBefore = await heapBytes(session);
    const cpuBefore = await mainThreadSeconds(browser);
    const since = performance.now();
    let [heap, percent] = [heapBefore, 0];
    for (let minute = 1; minute <= MINUTES; minute++) {
      await delay(since + 60_000 * minute - performance.now());
      const cpuSeconds = (await mainThreadSeconds(browser)) - cpuBefore;
      percent = (100_000 * cpuSeconds) / (performance.now() - since);
      heap = await heapBytes(session);
      console.log(
        `minute ${minute}: main thread ${percent.toFixed(2)} %, heap ${(heap / 1e6).toFixed(1)} MB, ${requests} requests`,
      );
    }
    isOver = true;
    const accepted = await fed;
    const seconds = (performance.now() - since) / 1_000;
    const rate = `${(accepted / (seconds + 60)).toFixed(0)} transactions per second`;
    report("live overview: main thread", percent, "%", { atMost: 5 }, rate);
    report("live overview: growth of the heap", (heap - heapBefore) / 1e6, "MB", { atMost: 2 });
    report("live overview: requests", (60 * requests) / seconds, "a minute", { atMost: 10 });
  } finally {
    await browser.close();
    await endProcess(node.process);
  }
});
