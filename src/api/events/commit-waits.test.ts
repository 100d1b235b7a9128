/** Waits for commits, over real connections and with a virtual clock. */
import { get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import { afterEach, expect, test } from "vitest";
import type { AnchorInfo, ChainCursor, ChainTransaction } from "../../interfaces.ts";
import { dev } from "../../profiles/index.ts";
import { buildTransaction } from "../../testing/build-transaction.ts";
import { rootKeyPair } from "../../testing/dev-node.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { transactionId } from "../../transactions/index.ts";
import { createServer } from "../server/server.ts";
import { fakeControl } from "../testing/control.ts";
import { memoryLog, testInfo } from "../testing/server.ts";
import { fakeReader, fakeSnapshot } from "../testing/snapshot.ts";
import { CommitWaits, MAX_WAITS } from "./commit-waits.ts";

const transaction = buildTransaction({
  type: 15,
  sender: rootKeyPair,
  fee: 35_000_000n,
  timestamp: 1n,
  chainId: dev.chainId,
  members: { anchors: [new Uint8Array(32).fill(7)] },
});
const hash = "07".repeat(32);

const servers: FastifyInstance[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function until(so: () => boolean): Promise<void> {
  while (!so()) await new Promise((resolve) => setImmediate(resolve));
}

interface Answered {
  status?: number;
  body: string;
  destroy(): void;
}

/** A server whose chain has the transaction from `commit` on. */
async function serving() {
  const clock = new VirtualClock(0);
  const listeners = new Set<(tip: ChainCursor) => void>();
  let found: ChainTransaction | undefined;
  let looked = 0;
  const server = await createServer({
    reader: fakeReader(
      fakeSnapshot({
        transactions: {
          byId: () => {
            looked++;
            return found;
          },
        },
        anchors: {
          first: (): AnchorInfo | undefined =>
            found && { transactionId: transactionId(transaction), height: 2, position: 0 },
        },
      }),
    ),
    control: fakeControl([], dev.chainId),
    events: {
      onCommit: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    info: testInfo(),
    clock,
    log: memoryLog(),
  });
  servers.push(server);
  await server.listen({ host: "127.0.0.1", port: 0 });
  const { port } = server.server.address() as AddressInfo;
  const ask = (path: string): Answered => {
    const answered: Answered = { body: "", destroy: () => client.destroy() };
    const client = get({ host: "127.0.0.1", port, path, agent: false }, (answer: IncomingMessage) => {
      answer.setEncoding("utf8");
      answer.on("data", (piece: string) => {
        answered.body += piece;
      });
      answer.on("end", () => {
        answered.status = answer.statusCode;
      });
    });
    client.on("error", () => {});
    return answered;
  };
  const tell = (): void => {
    for (const listener of listeners) listener({ height: 2, sequence: 0, id: new Uint8Array(64) });
  };
  const commit = (): void => {
    found = { transaction, height: 2, position: 0, effectiveFee: 35_000_000n };
    tell();
  };
  return { clock, server, ask, tell, commit, looked: () => looked };
}

test("answers when a transaction or hash is in a block, and checks only after commits", async () => {
  const { clock, ask, tell, commit, looked } = await serving();
  const waiting = [ask("/transactions/info/2?wait=20000"), ask(`/hash/${hash}?wait=5000`)];
  await until(() => clock.pending >= 2 && looked() === 1);
  for (let i = 0; i < 3; i++) clock.advance(1_000);
  expect(looked()).toBe(1);
  tell();
  await until(() => looked() === 2);
  commit();
  await until(() => waiting.every(({ status }) => status !== undefined));
  expect(waiting.map(({ status }) => status)).toEqual([200, 200]);
  expect(JSON.parse(waiting[0].body)).toMatchObject({ height: 2, type: 15 });
  expect(JSON.parse(waiting[1].body)).toMatchObject({ chainpoint: { block: { height: "2" } } });
});

test("answers after the timeout as without waiting", async () => {
  const { clock, ask } = await serving();
  const waiting = [ask("/transactions/info/2?wait=3000"), ask(`/hash/${hash}?wait=3000`)];
  await until(() => clock.pending >= 2);
  clock.advance(2_999);
  expect(waiting.map(({ status }) => status)).toEqual([undefined, undefined]);
  clock.advance(1);
  await until(() => waiting.every(({ status }) => status !== undefined));
  expect(waiting.map(({ status, body }) => [status, body])).toEqual([
    [404, '{"status":"error","details":"Transaction is not in blockchain"}'],
    [404, '{"chainpoint":null}'],
  ]);
  const none = ask("/transactions/info/2?wait=0");
  await until(() => none.status !== undefined);
});

test("rejects a wait that is not a number of milliseconds, or too long", async () => {
  const { server } = await serving();
  for (const text of ["", "x", "-1", "1.5", "20001", "100000", "1e3"]) {
    const answer = await server.inject(`/transactions/info/2?wait=${text}`);
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toEqual({
      error: 400,
      message: "wait: must be a number of milliseconds, at most 20000",
    });
  }
});

test("ends waits when clients disconnect or the server closes", async () => {
  const { clock, ask, server } = await serving();
  const gone = ask("/transactions/info/2?wait=20000");
  await until(() => clock.pending === 1);
  gone.destroy();
  await until(() => clock.pending === 0);
  const last = ask("/transactions/info/2?wait=20000");
  await until(() => clock.pending === 1);
  await server.close();
  await until(() => last.status === 404);
});

test(`accepts ${MAX_WAITS} waits, 100 of one origin, and refuses one more`, async () => {
  const waits = new CommitWaits({ onCommit: () => () => {} }, new VirtualClock(0));
  const socket = { destroyed: false, once: () => {}, off: () => {} } as never;
  const nothing = () => undefined;
  const own = { address: "127.0.0.1", isDirect: true };
  const someone = { address: "192.0.2.1", isDirect: false };
  const some = Array.from({ length: 100 }, () => waits.waitFor(1_000, socket, nothing, someone));
  await expect(waits.waitFor(1_000, socket, nothing, someone)).rejects.toThrow("node is busy");
  const others = Array.from({ length: MAX_WAITS - 100 }, () => waits.waitFor(1_000, socket, nothing, own));
  await expect(waits.waitFor(1_000, socket, nothing, own)).rejects.toThrow("node is busy");
  expect(await waits.waitFor(1_000, socket, () => "there", own)).toBe("there");
  waits.close();
  expect(new Set(await Promise.all([...some, ...others]))).toEqual(new Set([undefined]));
  expect(waits.count).toBe(0);
});
