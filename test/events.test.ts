/** The client reads events of a whole node while the node is killed, restarted and rolled back. */
import { randomBytes } from "node:crypto";
import { Compile } from "typebox/schema";
import { afterAll, expect, test } from "vitest";
import { eventSchemas } from "../src/api/schemas/events.ts";
import { type ChainEvent, readEvents, type StreamFetch } from "../src/client/events.ts";
import { decodedSchema } from "../src/client/testing/shape-of.ts";
import {
  heightOf,
  type NodeProcess,
  removeFolder,
  startNodeProcess,
  temporaryFolder,
  until,
} from "./support/node-process.ts";

const dataDir = temporaryFolder("events");
let node: NodeProcess | undefined;
afterAll(async () => {
  await node?.kill();
  removeFolder(dataDir);
});

const checks = new Map(
  // Still a JSON schema after the types of large integers are replaced.
  Object.entries(eventSchemas).map(([name, schema]) => [name, Compile(decodedSchema(schema) as object)]),
);

/** The chain as a reader of events knows it. */
class Follower {
  readonly seen: string[] = [];
  reverted = 0;
  lastId: string | undefined;
  readonly #stop = new AbortController();
  readonly #over: Promise<void>;

  constructor(fetch: StreamFetch) {
    // Reconnect soon after a short downtime.
    const after = (delayMs: number, task: () => void) => {
      const timer = setTimeout(task, delayMs < 45_000 ? 100 : delayMs);
      return () => clearTimeout(timer);
    };
    this.#over = this.#follow(
      readEvents({ url: "http://node", fetch, after, since: "0", signal: this.#stop.signal }),
    );
  }

  async #follow(events: AsyncIterable<ChainEvent>): Promise<void> {
    for await (const one of events) {
      if (checks.get(one.event)?.Check(one.data) !== true) throw new Error(`not as its schema: ${one.event}`);
      if (one.event !== "block" && one.event !== "microblock" && one.event !== "transaction")
        throw new Error(`${one.event} was not to be expected`);
      const { change, ...facts } = one.data;
      const what = JSON.stringify([one.event, facts], (_, value) =>
        typeof value === "bigint" ? `${value}` : value,
      );
      if (change === "committed") this.seen.push(what);
      else {
        expect(this.seen.pop()).toBe(what);
        this.reverted++;
      }
      this.lastId = one.id;
    }
  }

  /** Stops reading. @throws any error that occurred meanwhile */
  async end(): Promise<void> {
    this.#stop.abort();
    await this.#over;
  }
}

test("a reader gets every event exactly once while the node is killed, restarted and rolled back", async () => {
  // The node's address changes; between two runs there is none.
  const here: StreamFetch = (url, init) =>
    fetch(url.replace("http://node", node?.url ?? "http://127.0.0.1:1"), init);
  const follower = new Follower(here);
  const anchor = async (running: NodeProcess): Promise<void> => {
    const hash = randomBytes(32).toString("hex");
    expect((await running.post("/hash", { hash })).status).toBe(200);
    // Answered as soon as it is in a block.
    const { chainpoint } = await running.client.call("GET /hash/:hash", {
      params: { hash },
      query: { wait: 20_000 },
    });
    expect(chainpoint.block).toBeDefined();
  };
  for (let life = 0; life < 2; life++) {
    const running = await startNodeProcess({ dataDir });
    node = running;
    await anchor(running);
    if (life === 1) {
      const rollbackTo = Math.max(1, (await heightOf(running)) - 1);
      const { status } = await running.post("/debug/rollback", { rollbackTo, returnTransactionsToUtx: true });
      expect(status).toBe(200);
      await anchor(running);
    }
    await running.kill();
    node = undefined;
  }
  node = await startNodeProcess({ dataDir, args: ["--no-forge"] });
  const fresh = new Follower(here);
  await until("both at the tip", async () => {
    const { lastId } = follower;
    return (
      (lastId !== undefined && lastId === fresh.lastId && follower.seen.length === fresh.seen.length) ||
      undefined
    );
  });
  const { height } = await node.client.call("GET /blocks/last");
  expect(follower.lastId?.split(".")[0]).toBe(String(height));
  expect(follower.seen).toEqual(fresh.seen);
  expect(follower.reverted).toBeGreaterThan(0);
  expect(fresh.reverted).toBe(0);
  expect(await node.stop()).toBe(0);
  await Promise.all([follower.end(), fresh.end()]);
});
