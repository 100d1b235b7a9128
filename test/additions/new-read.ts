/** The instructions of docs/develop.md for a read with its route: contract, query, route, example and documentation. */
import { setImmediate as turn } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addressOf, addressText } from "../../src/crypto/addresses.ts";
import type { Node } from "../../src/node.ts";
import { dev } from "../../src/profiles/index.ts";
import { keyPairOf, rootKeyPair } from "../../src/testing/dev-node.ts";
import { VirtualClock } from "../../src/testing/virtual-clock.ts";
import type { Addition, Edit, SourceCopy } from "./source-copy.ts";

const LTO = 100_000_000n;

const edits: readonly Edit[] = [
  {
    file: "src/queries/leases.ts",
    before: "  /** Newest first. */",
    lines: `  /** Sum of the amounts that an account has leased to another one, in units. */
  leasedTo(from: Uint8Array, to: Uint8Array): bigint;
`,
  },
  {
    file: "src/chain/queries/leases.ts",
    before: "  active(address: Uint8Array, page?: ListPage)",
    lines: `  leasedTo(from: Uint8Array, to: Uint8Array): bigint {
    const isOther = (address: Uint8Array): boolean => address.join() === to.join();
    return this.active(from)
      .map(({ transaction }) => transaction)
      .filter((transaction) => "amount" in transaction && "recipient" in transaction)
      .filter(({ senderAddress, recipient }) => senderAddress.join() === from.join() && isOther(recipient))
      .reduce((sum, { amount }) => sum + amount, 0n);
  }

`,
  },
  {
    file: "src/api/routes/accounts/leasing.ts",
    before: '  get("/leasing/active/:address", {',
    lines: `  get("/leasing/amount/:address/:other", {
    summary: "How much an account has leased to another one",
    request: { params: { address: AddressText, other: AddressText } },
    answers: { ok: object({ amount: Amount }) },
    handle: (call) => ({
      amount: call.read((chain) => chain.leases.leasedTo(call.address(), call.address("other"))),
    }),
  }),
`,
  },
  {
    file: "src/api/routes/accounts/leasing.ts",
    before: "Timestamp, TransactionId } from",
    lines: "object, ",
  },
  {
    file: "src/api/openapi/example-answers.json",
    before: '  "GET /leasing/active/:address": {',
    lines: `  "GET /leasing/amount/:address/:other": {
    "200": {"amount":0},
    "400": {"error":102,"message":"invalid address"}
  },
`,
  },
  {
    file: "docs/api-reference.md",
    before: "| GET | `/leasing/active/:address`",
    lines:
      "| GET | `/leasing/amount/:address/:other` |  |  |  | How much an account has leased to another one |\n",
  },
];

/** Modules of the copy. */
interface Copy {
  readonly build: typeof import("../../src/testing/build-transaction.ts");
  readonly node: typeof import("../../src/node.ts");
  readonly inline: typeof import("../../src/node/testing/api-inline.ts");
  readonly environment: typeof import("../../src/testing/simulated-environment.ts");
  readonly settings: typeof import("../../src/testing/settings.ts");
  readonly store: typeof import("../../src/storage/memory-store.ts");
  readonly wallet: typeof import("../../src/wallet/fixed-wallet.ts");
}

const modules: { readonly [name in keyof Copy]: string } = {
  build: "testing/build-transaction.ts",
  node: "node.ts",
  inline: "node/testing/api-inline.ts",
  environment: "testing/simulated-environment.ts",
  settings: "testing/settings.ts",
  store: "storage/memory-store.ts",
  wallet: "wallet/fixed-wallet.ts",
};

function testLeasedTo(sources: SourceCopy): void {
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
    node = await copy.node.startNode(environment, copy.settings.settingsOf(dev, { api: { port: 0 } }));
  });

  afterAll(() => node.stop());

  test("is available over HTTP", async () => {
    const [from, to] = [rootKeyPair, keyPairOf("alice")].map(({ publicKey }) =>
      addressOf(publicKey, dev.chainId),
    );
    for (const amount of [LTO, 2n * LTO]) {
      const members = { recipient: to, amount };
      const lease = {
        type: 8,
        sender: rootKeyPair,
        fee: LTO,
        timestamp: clock.now(),
        chainId: dev.chainId,
        members,
      };
      expect(node.pool.add(copy.build.buildTransaction(lease))).toMatchObject({ ok: true });
    }
    clock.advance(20_000);
    await turn();
    const amountOf = async (one: Uint8Array, other: Uint8Array): Promise<unknown> => {
      const answer = await fetch(`${node.url}/leasing/amount/${addressText(one)}/${addressText(other)}`);
      return await answer.json();
    };
    expect(await amountOf(from, to)).toEqual({ amount: Number(3n * LTO) });
    expect(await amountOf(to, from)).toEqual({ amount: 0 });
    expect(await (await fetch(`${node.url}/leasing/amount/x/y`)).json()).toMatchObject({ error: 102 });
  });
}

export const newRead: Addition = {
  what: "a read with its route",
  maxFiles: 5,
  edits,
  tests: (copy) => describe("how much an account has leased to another one", () => testLeasedTo(copy)),
};
