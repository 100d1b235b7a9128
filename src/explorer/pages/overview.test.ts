/** Overview and forgers pages, rendered from the answers of a whole node. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ExampleNode, exampleNode } from "../../../test/support/example-node.ts";
import type { PageFetch } from "../data/node-api.ts";
import type { LiveTransaction, RecentBlock } from "../page.ts";
import { chosenPeriod } from "../parts/charts/day-plot.tsx";
import { renderPage, testContext } from "../testing/page-context.ts";
import { earningsRows } from "./forgers/earnings.tsx";
import { blockIntervals, forgersPage, loadHeaders } from "./forgers/page.tsx";
import { chartsPage } from "./overview/charts.tsx";
import { mergeOlder } from "./overview/live-transactions.tsx";
import { overviewPage } from "./overview.tsx";

let node: ExampleNode;

/** Returns a `fetch` that calls the node, except for the paths in `scripted`, which are matched by prefix. */
function nodeFetch(
  scripted: Readonly<Record<string, { readonly status: number; readonly json: unknown }>>,
  asked: string[] = [],
): PageFetch {
  return async (url) => {
    const { pathname, search } = new URL(url);
    asked.push(pathname);
    const found = Object.entries(scripted).find(([path]) => pathname.startsWith(path))?.[1];
    const type = { "content-type": "application/json" };
    if (found !== undefined)
      return new Response(JSON.stringify(found.json), { status: found.status, headers: type });
    const answer = await node.server.inject({ url: pathname + search, headers: { host: "localhost" } });
    return new Response(Uint8Array.from(answer.rawPayload), { status: answer.statusCode, headers: type });
  };
}

const block = (height: number, more: Partial<RecentBlock> = {}): RecentBlock => ({
  height,
  id: `id-${height}`,
  generator: "3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt",
  timestamp: 1_700_000_000_000n,
  transactionCount: 0,
  microBlocks: [],
  liquid: false,
  ...more,
});

beforeAll(async () => {
  node = await exampleNode();
  node.clock.advance(60_000);
});

afterAll(() => node.node.stop());

describe("the overview", () => {
  test("shows figures of the chain", async () => {
    const context = await testContext(nodeFetch({}));
    context.live.tip.value = { height: 4, sequence: 0, id: "a", timestamp: BigInt(node.clock.now()) };
    const { text } = await renderPage(overviewPage, {}, context);
    for (const words of ["Transactions per day", "100 % 100 %", "Total supply 1,000,000", "Fee price 0 .001"])
      expect(text).toContain(words);
  });

  test("shows liquid, confirmed and reverted blocks", async () => {
    const context = await testContext(nodeFetch({}));
    context.live.blocks.value = [
      block(7, { reverted: { by: "id-new" }, transactionCount: 2 }),
      block(7, {
        liquid: true,
        transactionCount: 3,
        microBlocks: [
          { id: "a", transactionCount: 1 },
          { id: "b", transactionCount: 1 },
        ],
      }),
      block(6, { transactionCount: 1 }),
    ];
    const { html, text } = await renderPage(overviewPage, {}, context);
    expect(text).toContain("7 reverted 2 transactions replacement");
    expect(text).toMatch(/7 liquid 3 transactions .*, 2 micro blocks/);
    expect(text).toContain("6 1 transaction");
    // The reverted block is linked by id, its replacement by height.
    expect(html).toContain('href="block/id-7"');
    expect(html).toContain('href="block/id-new"');
    expect(html.match(/<rect/g)).toHaveLength(1 + 3 + 1);
  });

  test("shows pending, confirmed and reverted transactions", async () => {
    const context = await testContext(nodeFetch({}));
    const transaction = (id: string): LiveTransaction["transaction"] => ({
      type: 15,
      version: 3,
      id,
      sender: "3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt",
      senderKeyType: "ed25519",
      senderPublicKey: "HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ",
      fee: 35_000_000n,
      timestamp: 1_700_000_000_000n,
      anchors: ["4YjyCyYoeTbAtpJ7Qh8GfmStHVc5ABpLZoW2RFxbfvWr"],
      proofs: [],
    });
    context.live.transactions.value = [
      { transaction: transaction("one"), height: undefined, reverted: false },
      { transaction: transaction("two"), height: 5, reverted: false },
      { transaction: transaction("three"), height: 6, reverted: true, replacedBy: "id-new" },
    ];
    context.live.missed.value = 12;
    const { html, text } = await renderPage(overviewPage, {}, context);
    expect(html).toContain('<option value="anchor"');
    expect(text).toMatch(/in the pool .* 5 .* reverted by another block/);
    expect(text).toContain("12 transactions arrived too fast to be shown.");
  });

  test("explains a chain that has only its first block", async () => {
    const context = await testContext(nodeFetch({}));
    context.live.blocks.value = [block(1)];
    const { text } = await renderPage(overviewPage, {}, context);
    expect(text).toContain("The chain has only its first block.");
  });

  test("shows the progress of a syncing node", async () => {
    const context = await testContext(nodeFetch({}));
    const network = {
      name: "dev",
      displayName: "LTO Development",
      tokenSymbol: "LTO",
      accountNames: {},
      chainId: 90,
    };
    const speed = { blocksPerSecond: 1, transactionsPerSecond: 0 };
    const sync = { height: 60, peers: 2, behind: true, ...speed, network };
    context.live.connection.value = {
      state: "behind",
      sinceMs: 0,
      sync: { ...sync, targetHeight: 240, secondsLeft: 180 },
    };
    const { text } = await renderPage(overviewPage, {}, context);
    expect(text).toContain("block 60 of about 240 (25 %), 3 min left");
    context.live.connection.value = { state: "behind", sinceMs: 0, sync };
    expect((await renderPage(overviewPage, {}, context)).text).toContain("The node is syncing: block 60.");
  });

  test("renders without routes that are missing or not ready", async () => {
    const building = { status: 503, json: { message: "x", index: "statistics", height: 5, of: 60 } };
    const unknown = { status: 404, json: { error: 404, message: "not found" } };
    const context = await testContext(
      nodeFetch({ "/stats": building, "/generators": unknown, "/supply": unknown }),
    );
    context.live.tip.value = { height: 4, sequence: 0, id: "a", timestamp: BigInt(node.clock.now()) };
    const { text } = await renderPage(overviewPage, {}, context);
    expect(text).toContain("building its index “statistics”, block 5 of 60");
    expect(text).toContain("Forgers Not available from this node.");
    expect(text).toContain("Supply Not available from this node.");
    expect(text).toContain("Fee price");
  });

  test("requests nothing that is not shown, and nothing twice", async () => {
    const asked: string[] = [];
    const context = await testContext(nodeFetch({}, asked));
    asked.length = 0;
    const tip = { height: 4, sequence: 0, id: "a", timestamp: BigInt(node.clock.now()) };
    await renderPage(overviewPage, {}, context);
    // The first tip is known after the page was opened.
    context.live.tip.value = tip;
    await renderPage(overviewPage, {}, context);
    context.live.tip.value = { ...tip, sequence: 1 };
    await renderPage(overviewPage, {}, context);
    expect(asked.sort()).toEqual([
      "/fees/status",
      "/generators",
      "/stats/days",
      "/supply",
      "/transactions/newest",
    ]);
  });
});

describe("the charts", () => {
  test("show days of all series, as many as the URL says", async () => {
    const asked: string[] = [];
    const context = await testContext(nodeFetch({}, asked));
    const page = await renderPage(chartsPage, {}, context, new URLSearchParams("days=365"));
    for (const words of [
      "Transactions per day",
      "Fees per day",
      "Active accounts per day",
      "Anchored hashes per day",
      "supply 1,000,000",
    ])
      expect(page.text).toContain(words);
    expect(page.html).toMatch(/href="charts\?days=365" aria-current="page"/);
    expect(page.html).toContain('role="slider"');
    expect(asked.filter((path) => path === "/stats/days")).toHaveLength(1);
    expect(chosenPeriod(new URLSearchParams("days=__proto__"))).toBe("90");
  });
});

describe("the forgers", () => {
  test("are listed with shares, the next block and block times", async () => {
    const { text } = await renderPage(forgersPage, {}, await testContext(nodeFetch({})));
    expect(text).toContain("Next block Recent forgers");
    expect(text).toContain("1.00×");
    expect(text).toMatch(/Average block time \d+ s/);
  });

  test("are marked as late or not eligible", async () => {
    const one = { blocks: 2, blockShare: 0.5, balance: 100_000_000, stakeShare: 0.25 };
    const due = (generators: readonly object[]) => ({
      "/generators/due": {
        status: 200,
        json: { height: 4, timestamp: 1_700_000_000_000, window: 4, generators },
      },
    });
    const late = { generator: "3Qlate", due: 1_700_000_000_000, ...one };
    const notEligible = { generator: "3Qnone", due: null, ...one, stakeShare: 0 };
    const some = await renderPage(forgersPage, {}, await testContext(nodeFetch(due([late, notEligible]))));
    expect(some.text).toMatch(/3Qlate overdue by \d/);
    expect(some.text).toContain("2.00×");
    expect(some.text).toContain("not eligible");
    const ineligible = await renderPage(forgersPage, {}, await testContext(nodeFetch(due([notEligible]))));
    expect(ineligible.text).toContain("No recent forger can make the next block");
    const empty = await renderPage(forgersPage, {}, await testContext(nodeFetch(due([]))));
    expect(empty.text).toContain("No blocks forged yet");
  });

  const ROOT = "3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt";

  test("have a page each, with earnings, expected blocks and leases", async () => {
    const context = await testContext(nodeFetch({}));
    const { text, html } = await renderPage(forgersPage, { forger: ROOT }, context);
    expect(text).toMatch(/Earned \d[^B]* Per day \d[^B]* Blocks [1-9]\d* Expected blocks [1-9]/);
    expect(text).toMatch(/Lease in tokens Share of the lease, last 1 day: \d/);
    for (const words of ["Earnings per day", "Blocks per day", "No block was missed.", "Lease history"])
      expect(text).toContain(words);
    expect(html).toContain(`href="forgers/${ROOT}?days=365"`);
    const list = await renderPage(forgersPage, {}, await testContext(nodeFetch({})));
    expect(list.html).toContain(`href="forgers/${ROOT}"`);
    const page = renderPage(forgersPage, { forger: "nonsense" }, await testContext(nodeFetch({})));
    await expect(page).rejects.toMatchObject({ kind: "malformed" });
  });

  test("earn per day of a chain that is younger than the period", async () => {
    const { text } = await renderPage(forgersPage, {}, await testContext(nodeFetch({})));
    expect(text).toContain("Earnings, last 1 day ");
    const [, earned, perDay] = /Earned Per day .*? \d+ \d+ (\S+) .*?(\S+) /.exec(text) ?? [];
    expect(earned).toBe(perDay);
  });

  test("missed blocks that they could have made earlier", async () => {
    const second = "3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE";
    const missed = (height: number, shortest: string) => ({
      ...{ height, shortest, generator: "3Qother", timestamp: 1_700_000_065_000, due: 1_700_000_000_000 },
    });
    const json = { height: 9, window: 7, blocks: [missed(8, "3Qone"), missed(5, second)] };
    const scripted = { "/generators/missed": { status: 200, json } };
    const all = await renderPage(forgersPage, {}, await testContext(nodeFetch(scripted)));
    expect(all.text).toMatch(/Missed blocks .*7 blocks.* 8 3Qone 1 min 5 s 3Qother .* 5 3QV4x\w+ 1 min 5 s/);
    const one = await renderPage(forgersPage, { forger: second }, await testContext(nodeFetch(scripted)));
    expect(one.text).toContain(`5 ${second}`);
    expect(one.text).not.toContain("3Qone");
  });

  test("earned a reward, of which a lease gets its share", () => {
    const forger = { generator: "a", due: null, blocks: 1, blockShare: 0.5, balance: 300n, stakeShare: 0.25 };
    const rows = earningsRows(
      {
        blocks: 40,
        reward: 1_000n,
        total: 2,
        generators: [
          { generator: "a", blocks: 12, reward: 800n, share: 0.3 },
          { generator: "b", blocks: 28, reward: 200n, share: 0.7 },
        ],
      },
      [forger],
      4,
      "0.000001",
    );
    expect(rows).toEqual([
      { generator: "a", blocks: 12, expected: 10, reward: 800n, perDay: 200n, estimate: 200n },
      { generator: "b", blocks: 28, expected: undefined, reward: 200n, perDay: 50n, estimate: undefined },
    ]);
  });

  test("have block times, except for the first blocks", async () => {
    const intervals = blockIntervals(await loadHeaders(await testContext(nodeFetch({}))));
    expect(intervals.at(-1)?.delay).toBeUndefined();
    expect(intervals.at(-2)?.delay).toBeUndefined();
    expect(intervals.slice(0, -2).every(({ delay = -1 }) => delay > 0)).toBe(true);
  });
});

test("appends older transactions to the live ones, each once", async () => {
  const context = await testContext(nodeFetch({}));
  const { text } = await renderPage(overviewPage, {}, context);
  const older = await context.node.client.call("GET /transactions/newest", { query: { limit: 30 } });
  // The first block contains genesis transactions.
  expect(older.length).toBeGreaterThan(0);
  expect(text).toContain("genesis");
  const [first] = older;
  const reverted = { transaction: first, height: 5, reverted: true };
  expect(mergeOlder([reverted], older)[0]).toEqual(reverted);
  // This transaction was confirmed while the event stream was disconnected.
  const waiting = { ...reverted, height: undefined, reverted: false };
  expect(mergeOlder([waiting], older)[0].height).toBe(older[0].height);
  expect(mergeOlder([reverted], older)).toHaveLength(older.length);
});
