/** Indexes that are enabled or disabled between two starts. */
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { addressOf, addressText } from "../crypto/addresses.ts";
import { type Node, startNode } from "../node.ts";
import { dev } from "../profiles/index.ts";
import { memoryStore } from "../storage/memory-store.ts";
import { buildTransaction } from "../testing/build-transaction.ts";
import { RecordingLog, rootKeyPair } from "../testing/dev-node.ts";
import { elapse } from "../testing/elapse.ts";
import { settingsOf } from "../testing/settings.ts";
import { simulatedEnvironment } from "../testing/simulated-environment.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { fixedWallet } from "../wallet/fixed-wallet.ts";
import { startApiInline } from "./testing/api-inline.ts";

const MINUTE = 60_000;
const list = `/transactions/addresses/${addressText(addressOf(rootKeyPair.publicKey, dev.chainId))}`;

/** Time passes during work, as on a real machine, so that each slice is short. */
class BusyClock extends VirtualClock {
  override monotonic(): number {
    return super.monotonic() + this.#spent++;
  }
  #spent = 0;
}

const isClearing = (index: unknown): boolean => (index as { readonly state: string }).state === "clearing";

test("builds an enabled index while forging, and continues after a restart", async () => {
  const clock = new BusyClock(Number(dev.genesis.blockTimestamp) + MINUTE);
  const store = memoryStore();
  const log = new RecordingLog();
  const start = (indexAnchors: "none" | "all"): Promise<Node> => {
    const wallet = fixedWallet([rootKeyPair], dev.chainId);
    const environment = simulatedEnvironment({ clock, wallet, store, log, http: startApiInline() });
    return startNode(
      environment,
      settingsOf(dev, {
        api: { port: 0 },
        index: { anchors: indexAnchors, transactions: indexAnchors === "all" },
      }),
    );
  };
  const ask = async (node: Node, path: string): Promise<[status: number, json: unknown]> => {
    const response = await fetch(`${node.url}${path}`);
    return [response.status, await response.json()];
  };
  const stateOf = async (node: Node, wanted: string): Promise<unknown> => {
    const [, indexes] = await ask(node, "/node/indexes");
    return (indexes as { name: string }[]).find(({ name }) => name === wanted);
  };

  let node = await start("none");
  for (let i = 0; i < 60; i++) {
    node.pool.add(
      buildTransaction({
        type: 15,
        sender: rootKeyPair,
        fee: 100_000_000n,
        timestamp: clock.now(),
        chainId: dev.chainId,
        members: { anchors: [Uint8Array.of(i)] },
      }),
    );
    clock.advance(1_000);
  }
  expect(await ask(node, "/hash/07")).toEqual([404, { chainpoint: null }]);
  expect(await ask(node, list)).toEqual([200, []]);
  expect(await stateOf(node, "anchors")).toEqual({ name: "anchors", state: "off" });
  await node.stop();

  node = await start("all");
  const { height } = node.chain.tip;
  expect(await ask(node, "/hash/07")).toEqual([
    503,
    {
      error: 503,
      message: expect.stringMatching(/^the index anchors is being built: block \d+ of \d+$/),
      index: "anchors",
      height: expect.any(Number),
      of: height,
    },
  ]);
  // Task by task, until the old rows are cleared.
  while (isClearing(await stateOf(node, "anchors"))) {
    clock.step(clock.monotonic() + 20);
    await turn();
  }
  expect(await stateOf(node, "anchors")).toMatchObject({ state: "building", of: node.chain.tip.height });
  await node.stop();

  node = await start("all");
  await elapse(clock, 2 * MINUTE);
  expect(node.chain.tip.height).toBeGreaterThan(height);
  expect(await stateOf(node, "anchors")).toEqual({ name: "anchors", state: "ready" });
  expect((await ask(node, "/hash/07"))[0]).toBe(200);
  expect((await fetch(`${node.url}${list}`)).headers.get("x-total")).toBe("61"); // including the genesis transaction
  expect(log.lines.filter(({ level }) => level === "error")).toEqual([]);
  await node.stop();
});
