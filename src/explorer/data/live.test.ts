import { expect, test } from "vitest";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { ScriptedNode, settled } from "../testing/scripted-node.ts";
import { followChain } from "./live.ts";
import { RemoteNodeApi } from "./node-api.ts";

const START = 1_795_292_997_921;
const generator = "3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt";

const header = (height: number, signature: string, transactionCount = 0) => ({
  version: 4,
  timestamp: START + height * 1_000,
  reference: "x",
  "nxt-consensus": { "base-target": 1, "generation-signature": "x" },
  feeVote: 0,
  generator,
  signature,
  blocksize: 226,
  transactionCount,
  height,
});
const unit = (change: string, height: number, sequence: number, signature: string, transactionCount = 0) => ({
  change,
  height,
  sequence,
  signature,
  timestamp: START + height * 1_000,
  generator,
  transactionCount,
});
const transaction = (id: string) => ({ type: 4, id, fee: 1, timestamp: START });

/** Follows a scripted node with these blocks. */
async function page(
  headers: readonly ReturnType<typeof header>[],
  began = headers.at(-1)?.signature,
  network?: object,
) {
  const node = new ScriptedNode();
  const clock = new VirtualClock(START);
  const set = (all: readonly ReturnType<typeof header>[]): void => {
    const last = all[all.length - 1];
    node.answers.set("/blocks/headers/at/1", { json: header(1, "g") });
    node.answers.set("/blocks/headers/last", { json: last });
    node.answers.set(`/blocks/headers/seq/${Math.max(1, last.height - 23)}/${last.height}`, { json: all });
  };
  set(headers);
  node.answers.set("/node/sync", { json: { height: 3, peers: 1, behind: false, network } });
  let hidden = false;
  const watchers = new Set<() => void>();
  const stop = new AbortController();
  const api = new RemoteNodeApi({
    location: { url: "http://node/", servesPage: true },
    fetch: node.fetch,
    clock,
  });
  const live = followChain({
    node: api,
    clock,
    signal: stop.signal,
    visibility: {
      isHidden: () => hidden,
      onChange: (told) => {
        watchers.add(told);
        return () => watchers.delete(told);
      },
    },
  });
  const settle = async (ms = 1_000): Promise<void> => {
    await settled();
    clock.advance(ms);
    await settled();
  };
  const hide = async (value: boolean): Promise<void> => {
    hidden = value;
    for (const told of [...watchers]) told();
    await settle();
  };
  await settled();
  const position = (text: string): string => `${text}.0`;
  if (began !== undefined) node.stream.tell(position(`${headers.at(-1)?.height}.0.${began}`));
  await settle();
  return { node, clock, live, api, settle, hide, set, stop };
}

const blocksOf = ({ live }: Awaited<ReturnType<typeof page>>) =>
  live.blocks.value.map(({ height, id, transactionCount, microBlocks, liquid, reverted }) => {
    const micro = microBlocks.map((one) => one.transactionCount);
    return `${height} ${id} ${transactionCount} [${micro}]${liquid ? " liquid" : ""}${
      reverted ? ` reverted by ${reverted.by}` : ""
    }`;
  });

test("loads the chain and adds blocks, micro blocks, transactions and pool transactions", async () => {
  const all = await page([header(1, "g"), header(2, "a", 1)]);
  const { node, live, settle, api } = all;
  expect(live.connection.value).toEqual({ state: "live" });
  expect(api.network.value).toEqual({ chainId: 90, name: "network" });
  expect(blocksOf(all)).toEqual(["2 a 1 [] liquid", "1 g 0 []"]);
  expect(live.tip.value).toMatchObject({ height: 2, id: "a" });
  node.stream.tell("2.1.b.0", "microblock", unit("committed", 2, 1, "b", 2));
  node.stream.tell("2.1.b.1", "transaction", {
    change: "committed",
    height: 2,
    sequence: 1,
    blockSignature: "b",
    position: 1,
    transaction: { ...transaction("t1"), effectiveFee: 1 },
  });
  node.stream.tell(undefined, "pool", { transaction: transaction("t1") });
  node.stream.tell(undefined, "pool", { transaction: transaction("t2") });
  node.stream.tell(undefined, "missed", { pool: 7 });
  await settle();
  expect(blocksOf(all)).toEqual(["2 b 3 [2] liquid", "1 g 0 []"]);
  expect(live.transactions.value.map((one) => [one.transaction.id, one.height])).toEqual([
    ["t2", undefined],
    ["t1", 2],
  ]);
  expect(live.missed.value).toBe(7);
  node.stream.tell("3.0.c.0", "block", unit("committed", 3, 0, "c"));
  await settle();
  expect(blocksOf(all)).toEqual(["3 c 0 [] liquid", "2 b 3 [2]", "1 g 0 []"]);
});

test("updates less often while many events arrive", async () => {
  const { node, live, settle } = await page([header(1, "g")]);
  const addPending = (from: number, to: number): void => {
    for (let n = from; n < to; n++)
      node.stream.tell(undefined, "pool", { transaction: transaction(`t${n}`) });
  };
  addPending(0, 41);
  await settle();
  expect(live.transactions.value).toHaveLength(41);
  addPending(41, 42);
  await settle();
  expect(live.transactions.value).toHaveLength(41);
  await settle();
  expect(live.transactions.value).toHaveLength(42);
  addPending(42, 43);
  await settle();
  expect(live.transactions.value).toHaveLength(43);
});

test("asks once for the state of the sync and the network", async () => {
  const accountNames = { "3N": "Reserve", "3M": 5 };
  const network = { displayName: "dev", tokenSymbol: "LTO", chainId: 90, accountNames };
  const { node, api } = await page([header(1, "g")], "g", network);
  expect(node.asked.filter((path) => path === "/node/sync")).toEqual(["/node/sync"]);
  expect(api.network.value).toEqual({
    name: "dev",
    tokenSymbol: "LTO",
    chainId: 90,
    accountNames: new Map([["3N", "Reserve"]]),
  });
});

test("skips events that the loaded chain already contains", async () => {
  // The stream began after micro block m1; the loaded chain already contains m2.
  const all = await page([header(1, "g"), header(2, "m2", 3)], "m1");
  const { node, settle } = all;
  node.stream.tell("2.2.m2.0", "microblock", unit("committed", 2, 2, "m2", 2));
  node.stream.tell("2.3.m3.0", "microblock", unit("committed", 2, 3, "m3", 1));
  await settle();
  expect(blocksOf(all)).toEqual(["2 m3 4 [1] liquid", "1 g 0 []"]);
});

test("loads the chain again after a fork between stream start and loading", async () => {
  const all = await page([header(1, "g"), header(2, "gone", 3)], "m1");
  const { node, settle, set } = all;
  set([header(1, "g"), header(2, "m1"), header(3, "c", 1)]);
  node.stream.tell("3.0.c.0", "block", unit("committed", 3, 0, "c", 1));
  await settle();
  expect(blocksOf(all)).toEqual(["3 c 1 [] liquid", "2 m1 0 []", "1 g 0 []"]);
});

test("marks reverted blocks and transactions with their replacements", async () => {
  const all = await page([header(1, "g"), header(2, "a")]);
  const { node, live, settle } = all;
  const told = {
    height: 2,
    sequence: 1,
    blockSignature: "b",
    position: 0,
    transaction: { ...transaction("t1"), effectiveFee: 1 },
  };
  node.stream.tell("2.1.b.0", "microblock", unit("committed", 2, 1, "b", 1));
  node.stream.tell("2.1.b.1", "transaction", { change: "committed", ...told });
  node.stream.tell("2.1.b.0", "transaction", { change: "reverted", ...told });
  node.stream.tell("2.0.a.0", "microblock", unit("reverted", 2, 1, "b", 1));
  await settle();
  expect(blocksOf(all)).toEqual(["2 a 0 [] liquid", "1 g 0 []"]);
  expect(live.tip.value).toMatchObject({ height: 2, id: "a" });
  node.stream.tell("1.0.g.0", "block", unit("reverted", 2, 0, "a"));
  await settle();
  expect(blocksOf(all)).toEqual(["2 b 1 [1] reverted by undefined", "1 g 0 []"]);
  node.stream.tell("2.0.z.0", "block", unit("committed", 2, 0, "z"));
  await settle();
  expect(blocksOf(all)).toEqual(["2 b 1 [1] reverted by z", "2 z 0 [] liquid", "1 g 0 []"]);
  expect(live.transactions.value).toMatchObject([{ height: 2, reverted: true, replacedBy: "z" }]);
  node.stream.tell("2.1.y.0", "microblock", unit("committed", 2, 1, "y", 1));
  node.stream.tell("2.1.y.1", "transaction", { change: "committed", ...told, blockSignature: "y" });
  await settle();
  expect(live.transactions.value).toMatchObject([{ height: 2, reverted: false }]);
});

test("reconnects and continues, and reports since when the connection was lost", async () => {
  const all = await page([header(1, "g"), header(2, "a")]);
  const { node, live, settle, clock } = all;
  node.isThere = false;
  const brokenAt = clock.now();
  node.stream.end();
  await settle();
  expect(live.connection.value).toMatchObject({
    state: "lost",
    sinceMs: brokenAt,
    problem: { kind: "unreachable" },
  });
  await settle(10_000);
  expect(live.connection.value).toMatchObject({ state: "lost", sinceMs: brokenAt });
  node.isThere = true;
  const asked = node.asked.length;
  await settle(10_000);
  expect(live.connection.value).toEqual({ state: "live" });
  expect(node.stream.url.searchParams.get("since")).toBe("2.0.a.0");
  // The chain was not loaded again.
  expect(node.asked.slice(asked).filter((path) => path !== "/node/sync")).toEqual([]);
  node.stream.tell("3.0.c.0", "block", unit("committed", 3, 0, "c"));
  await settle();
  expect(blocksOf(all)[0]).toBe("3 c 0 [] liquid");
});

test("loads the chain again after a long absence", async () => {
  const all = await page([header(1, "g"), header(2, "a")]);
  const { node, settle, set } = all;
  node.isThere = false;
  node.stream.end();
  for (let i = 0; i < 20; i++) await settle(10_000);
  set([header(1, "g"), header(2, "b"), header(3, "c")]);
  node.isThere = true;
  for (let i = 0; node.streams.length < 2 && i < 7; i++) await settle(10_000);
  expect(node.stream.url.searchParams.get("since")).toBeNull();
  node.stream.tell("3.0.c.0");
  await settle();
  expect(blocksOf(all)).toEqual(["3 c 0 [] liquid", "2 b 0 []", "1 g 0 []"]);
});

test("loads chain and network again after a gap", async () => {
  const all = await page([header(1, "g"), header(2, "a")]);
  const { node, api, settle, set } = all;
  set([header(1, "h"), header(2, "i"), header(3, "j")]);
  const other = header(1, "h");
  node.answers.set("/blocks/headers/at/1", {
    json: { ...other, generator: "3JuijVBB7NCwCz2Ae5HhCDsqCXzeBLRTyeL" },
  });
  node.stream.tell("3.0.j.0", "gap", { since: "2.0.a.0", message: "gone" });
  await settle();
  expect(blocksOf(all)).toEqual(["3 j 0 [] liquid", "2 i 0 []", "1 h 0 []"]);
  expect(api.network.value).toEqual({ chainId: 76, name: "network" });
});

test("closes the stream while the page is hidden, and continues afterwards", async () => {
  const all = await page([header(1, "g"), header(2, "a")]);
  const { node, hide, settle } = all;
  await hide(true);
  expect(node.stream.isEnded).toBe(true);
  const asked = node.asked.length;
  await settle(60_000);
  expect(node.asked.length).toBe(asked);
  await hide(false);
  expect(node.streams.length).toBe(2);
  expect(node.stream.url.searchParams.get("since")).toBe("2.0.a.0");
  await hide(true);
  await settle(10 * 60_000);
  await hide(false);
  expect(node.stream.url.searchParams.get("since")).toBeNull();
});

test("reports invalid answers and retries", async () => {
  const all = await page([header(1, "g"), header(2, "a")]);
  const { node, live, settle } = all;
  node.eventsStatus = 404;
  node.stream.end();
  await settle(3_000);
  expect(live.connection.value).toMatchObject({ state: "lost", problem: { kind: "unknown" } });
  node.eventsStatus = 200;
  node.answers.set("/blocks/headers/last", { json: "<html>" });
  await settle(10_000);
  expect(live.connection.value).toMatchObject({ state: "lost", problem: { kind: "invalid-answer" } });
  node.answers.set("/blocks/headers/last", { json: header(2, "a") });
  await settle(20_000);
  node.stream.tell("2.0.a.0");
  await settle();
  expect(live.connection.value).toEqual({ state: "live" });
});

test("does not show invalid heights", async () => {
  const { live, node, settle } = await page([header(1, "g"), header(2, "b")]);
  await settle();
  for (const height of [null, "3", -1, {}]) {
    const told = unit("applied", 3, 0, "c");
    node.streams.at(-1)?.tell("3.0.c.0", "block", { ...told, height });
    await settle();
    expect(live.connection.value).toMatchObject({ state: "lost", problem: { kind: "invalid-answer" } });
    expect(live.tip.value).toMatchObject({ height: 2 });
    await settle(60_000);
    expect(live.connection.value).toMatchObject({ state: "live" });
  }
});

test("reports that the node is syncing, and how far", async () => {
  const all = await page([header(1, "g"), header(2, "a")]);
  const { node, live, settle } = all;
  node.answers.set("/node/sync", { json: { height: 2, peers: 1, behind: true, targetHeight: 90 } });
  await settle(30_000);
  // A heartbeat.
  node.stream.tell("2.0.a.0");
  await settle(31_000);
  expect(live.connection.value).toMatchObject({
    state: "behind",
    sinceMs: START + 2_000,
    sync: { targetHeight: 90 },
  });
  node.answers.set("/node/sync", { json: { height: 90, peers: 1, behind: false } });
  node.stream.tell("2.0.a.0");
  await settle(16_000);
  expect(live.connection.value).toEqual({ state: "live" });
});

test("leaves no request and no timer after an abort", async () => {
  const { node, stop, settle, clock } = await page([header(1, "g"), header(2, "a")]);
  stop.abort();
  await settle();
  expect(node.stream.isEnded).toBe(true);
  const asked = node.asked.length;
  await settle(60_000);
  expect(node.asked.length).toBe(asked);
  expect(node.streams.length).toBe(1);
  expect(clock.pending).toBe(0);
});

test("shows the blocks in the page before the stream is open, and does not load them again", async () => {
  const node = new ScriptedNode();
  const clock = new VirtualClock(START);
  node.answers.set("/blocks/headers/last", { json: header(2, "b") });
  node.answers.set("/blocks/headers/seq/1/2", { json: [header(1, "a"), header(2, "b")] });
  node.answers.set("/node/sync", { json: { network: { displayName: "x", chainId: 84 } } });
  const stop = new AbortController();
  const location = { url: "http://node/", servesPage: true };
  const live = followChain(
    {
      node: new RemoteNodeApi({ location, fetch: node.fetch, clock }),
      clock,
      visibility: { isHidden: () => false, onChange: () => () => {} },
      signal: stop.signal,
    },
    true,
  );
  await settled();
  expect(live.tip.value?.id).toBe("b");
  node.stream.tell("2.0.b.0");
  await settled();
  const headers = node.asked.filter((path) => path.startsWith("/blocks/headers/"));
  expect(headers).toEqual(["/blocks/headers/last", "/blocks/headers/seq/1/2"]);
  stop.abort();
});
