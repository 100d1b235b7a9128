/**
 * The instructions of docs/develop.md for a control method: its declaration, the node's implementation, and a route
 * that calls it. The port between the threads, its deadline and the client's permissions follow from the declaration.
 */
import { setImmediate as turn } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { encodeBase58 } from "../../src/bytes/base58.ts";
import { addressOf } from "../../src/crypto/addresses.ts";
import type { Node } from "../../src/node.ts";
import { dev } from "../../src/profiles/index.ts";
import { keyPairOf, rootKeyPair } from "../../src/testing/dev-node.ts";
import { VirtualClock } from "../../src/testing/virtual-clock.ts";
import type { Addition, Edit, SourceCopy } from "./source-copy.ts";

const edits: readonly Edit[] = [
  {
    file: "src/control/pool.ts",
    before: "  size: remotely(0, query<() => Promise<number>>()),\n",
    lines: `  /** Drops a transaction, and tells until when it had the time for it. */
  drop: timedCommand<(id: Uint8Array) => Promise<{ readonly dropped: boolean; readonly until?: number }>>(),
`,
  },
  {
    file: "src/node/control/pool-control.ts",
    before: "    size: async () => pool.size,\n",
    lines: `    async drop(id, deadline) {
      const dropped = pool.has(id);
      pool.remove([id]);
      return deadline === undefined ? { dropped } : { dropped, until: deadline };
    },
`,
  },
  {
    file: "src/api/routes/transactions/transactions.ts",
    before: '  idMissing("/transactions/unconfirmed/info"),\n',
    lines: `  {
    method: "DELETE",
    path: "/transactions/unconfirmed/:id",
    summary: "Drops a transaction that waits for a block",
    access: "key:admin",
    request: { params: { id: TransactionId } },
    answers: { ok: object({ dropped: Type.Boolean(), until: Type.Optional(Type.Integer()) }) },
    handle: async (call) => {
      const { dropped, until } = await call.api.control.pool.drop(parseTransactionId(call.param("id")));
      return until === undefined ? { dropped } : { dropped, until };
    },
  },
`,
  },
];

/** Modules of the copy. */
interface Copy {
  readonly build: typeof import("../../src/testing/build-transaction.ts");
  readonly transactions: typeof import("../../src/transactions/index.ts");
  readonly node: typeof import("../../src/node.ts");
  readonly inline: typeof import("../../src/node/testing/api-inline.ts");
  readonly environment: typeof import("../../src/testing/simulated-environment.ts");
  readonly settings: typeof import("../../src/testing/settings.ts");
  readonly store: typeof import("../../src/storage/memory-store.ts");
  readonly wallet: typeof import("../../src/wallet/fixed-wallet.ts");
}

const modules: { readonly [name in keyof Copy]: string } = {
  build: "testing/build-transaction.ts",
  transactions: "transactions/index.ts",
  node: "node.ts",
  inline: "node/testing/api-inline.ts",
  environment: "testing/simulated-environment.ts",
  settings: "testing/settings.ts",
  store: "storage/memory-store.ts",
  wallet: "wallet/fixed-wallet.ts",
};

/** A node with the method, which is called over HTTP through the port between the threads. */
function testDrop(sources: SourceCopy): void {
  const clock = new VirtualClock(Number(dev.genesis.blockTimestamp) + 60_000);
  let copy: Copy;
  let node: Node;

  beforeAll(async () => {
    copy = await sources.load<Copy>(modules);
    const environment = copy.environment.simulatedEnvironment({
      clock,
      store: copy.store.memoryStore(),
      wallet: copy.wallet.fixedWallet([rootKeyPair], dev.chainId),
      http: copy.inline.startApiInline(),
    });
    node = await copy.node.startNode(
      environment,
      copy.settings.settingsOf(dev, { api: { port: 0 }, forging: { enabled: false } }),
    );
    await turn();
  });

  afterAll(() => node.stop());

  test("is called over HTTP with its deadline, but not for a client that has disconnected", async () => {
    const members = {
      recipient: addressOf(keyPairOf("alice").publicKey, dev.chainId),
      amount: 1n,
      attachment: new Uint8Array(0),
    };
    const transaction = copy.build.buildTransaction({
      type: 4,
      sender: rootKeyPair,
      fee: 100_000_000n,
      timestamp: clock.now(),
      chainId: dev.chainId,
      members,
    });
    expect(node.pool.add(transaction)).toMatchObject({ ok: true });
    const url = `${node.url}/transactions/unconfirmed/${encodeBase58(copy.transactions.transactionId(transaction))}`;
    const drop = (headers: Record<string, string> = {}) => fetch(url, { method: "DELETE", headers });

    expect((await drop({ accept: "image/png" })).status).toBe(404);
    expect(node.pool.size).toBe(1);
    const until = clock.monotonic() + 20_000;
    expect(await (await drop()).json()).toEqual({ dropped: true, until });
    expect(node.pool.size).toBe(0);
    expect(await (await drop()).json()).toEqual({ dropped: false, until });
  });
}

/** A control method of the pool. */
export const newControlMethod: Addition = {
  what: "a control method",
  maxFiles: 3,
  edits,
  tests: (copy) => describe("a method to drop a transaction from the pool", () => testDrop(copy)),
};
