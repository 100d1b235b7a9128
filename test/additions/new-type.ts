/**
 * The instructions of docs/develop.md for a new type of transaction: two files and the two registries are enough for
 * all other code. Its number is above 64, a former limit.
 */
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { encodeBase58 } from "../../src/bytes/base58.ts";
import { encodeHex } from "../../src/bytes/hex.ts";
import { addressOf, addressText } from "../../src/crypto/addresses.ts";
import type { KeyPair } from "../../src/crypto/signatures.ts";
import type { Node } from "../../src/node.ts";
import { dev } from "../../src/profiles/index.ts";
import { openStore, type Store } from "../../src/storage/store.ts";
import { buildTransaction } from "../../src/testing/build-transaction.ts";
import { DevNode, keyPairOf, rootKeyPair } from "../../src/testing/dev-node.ts";
import { VirtualClock } from "../../src/testing/virtual-clock.ts";
import type { Transaction } from "../../src/transactions/index.ts";
import { GREETING, greetingEdits } from "./greeting.ts";
import type { Addition, SourceCopy } from "./source-copy.ts";

const LTO = 100_000_000n;
const NONE = new Uint8Array(0);
const { chainId } = dev;

const alice = keyPairOf("alice");
const scripted = keyPairOf("scripted");
const addressOfKey = ({ publicKey }: KeyPair): string => addressText(addressOf(publicKey, chainId));

/** Modules of the copy. */
interface Copy {
  readonly json: typeof import("../../src/bytes/json.ts");
  readonly transactions: typeof import("../../src/transactions/index.ts");
  readonly arbitrary: typeof import("../../src/transactions/testing/arbitrary.ts");
  readonly build: typeof import("../../src/testing/build-transaction.ts");
  readonly node: typeof import("../../src/node.ts");
  readonly inline: typeof import("../../src/node/testing/api-inline.ts");
  readonly environment: typeof import("../../src/testing/simulated-environment.ts");
  readonly settings: typeof import("../../src/testing/settings.ts");
  readonly wallet: typeof import("../../src/wallet/fixed-wallet.ts");
  readonly store: typeof import("../../src/storage/store.ts");
}

const modules: { readonly [name in keyof Copy]: string } = {
  json: "bytes/json.ts",
  transactions: "transactions/index.ts",
  arbitrary: "transactions/testing/arbitrary.ts",
  build: "testing/build-transaction.ts",
  node: "node.ts",
  inline: "node/testing/api-inline.ts",
  environment: "testing/simulated-environment.ts",
  settings: "testing/settings.ts",
  wallet: "wallet/fixed-wallet.ts",
  store: "storage/store.ts",
};

function plan(sender: KeyPair, words: string, timestamp: number) {
  return {
    type: GREETING,
    sender,
    fee: LTO,
    timestamp,
    chainId,
    members: { recipient: addressOf(alice.publicKey, chainId), words: new TextEncoder().encode(words) },
  };
}

export const newType: Addition = {
  what: "a type of transaction",
  maxFiles: 4,
  edits: greetingEdits,
  tests: testGreeting,
};

function testGreeting(sources: SourceCopy): void {
  let copy: Copy;

  beforeAll(async () => {
    copy = await sources.load<Copy>(modules);
  });

  describe("a transaction of the new type", () => {
    test("survives conversion to bytes and JSON", () => {
      const { parseTransaction, transactionBytes, transactionFromRequest, transactionId, transactionJson } =
        copy.transactions;
      const greetings = copy.arbitrary.transactionArbitrary({
        network: dev,
        types: [GREETING],
        senders: [{ keyType: "ed25519", bytes: alice.publicKey }],
      });
      fc.assert(
        fc.property(greetings, (greeting) => {
          const bytes = transactionBytes(greeting);
          expect(bytes.subarray(0, 3)).toEqual(Uint8Array.of(0, GREETING, 3));
          const read = parseTransaction(bytes, dev);
          expect(transactionBytes(read)).toEqual(bytes);
          expect(transactionId(read)).toEqual(transactionId(greeting));
          const json = copy.json.printJson(transactionJson(read));
          const again = transactionFromRequest(copy.json.parseJson(json), { network: dev });
          // A random sponsor key may be invalid in requests.
          if (!again.ok) return expect(["secp256k1", "secp256r1"]).toContain(greeting.sponsor?.keyType);
          expect(copy.json.printJson(transactionJson(again.value.transaction))).toBe(json);
          expect(encodeHex(transactionBytes(again.value.transaction))).toBe(encodeHex(bytes));
        }),
        { seed: 1 },
      );
    });

    test("is rejected by its own rules", () => {
      const { transactionFromRequest, validationError } = copy.transactions;
      const request = {
        type: GREETING,
        fee: LTO,
        senderPublicKey: encodeBase58(alice.publicKey),
        recipient: addressOfKey(alice),
      };
      const result = transactionFromRequest(copy.json.parseJson(copy.json.printJson(request)), {
        network: dev,
      });
      expect(result).toEqual({ ok: false, error: { kind: "validation", error: validationError("ToSelf") } });
      // The original sources do not know the type.
      expect(() => buildTransaction(plan(rootKeyPair, "hello", 0))).toThrow("no transaction type 100");
    });
  });

  describe("a node that knows the new type", () => {
    const directory = join(sources.folder, "data");
    const clock = new VirtualClock(Number(dev.genesis.blockTimestamp) + 60_000);
    let store: Store;
    let node: Node;

    const get = async (path: string): Promise<unknown> => await (await fetch(`${node.url}${path}`)).json();
    const post = async (path: string, body: string, type: string): Promise<unknown> =>
      await (
        await fetch(`${node.url}${path}`, { method: "POST", body, headers: { "content-type": type } })
      ).json();
    const broadcast = (transaction: Transaction): Promise<unknown> =>
      post(
        "/transactions/broadcast",
        copy.json.printJson(copy.transactions.transactionJson(transaction)),
        "application/json",
      );
    const pass = async (ms: number): Promise<void> => {
      clock.advance(ms);
      await turn();
    };

    beforeAll(async () => {
      // The store is of a node without the type: it has counters of fewer groups.
      const network = { network: "the same" };
      store = await openStore(directory, network);
      const before = new DevNode({ store, clock });
      before.forger.start();
      clock.advance(10_000);
      const members = { recipient: addressOf(alice.publicKey, chainId), amount: LTO, attachment: NONE };
      const common = { sender: rootKeyPair, fee: LTO, timestamp: clock.now(), chainId };
      before.pool.add(buildTransaction({ ...common, type: 4, members }));
      const richer = { ...members, recipient: addressOf(scripted.publicKey, chainId), amount: 100n * LTO };
      before.pool.add(buildTransaction({ ...common, type: 4, members: richer }));
      clock.advance(20_000);
      expect(before.pool.size).toBe(0);
      before.forger.stop();
      await store.close();

      store = await copy.store.openStore(directory, network);
      const environment = copy.environment.simulatedEnvironment({
        clock,
        store,
        wallet: copy.wallet.fixedWallet([rootKeyPair], chainId),
        http: copy.inline.startApiInline(),
      });
      const settings = copy.settings.settingsOf(dev, { api: { port: 0 }, index: { indexAll: false } });
      node = await copy.node.startNode(environment, settings);
      await pass(20_000);
    });

    afterAll(async () => {
      await node.stop();
      await store.close();
    });

    test("accepts one over HTTP, includes it in a block and lists it", async () => {
      const greeting = copy.build.buildTransaction(plan(rootKeyPair, "hello", clock.now()));
      const id = encodeBase58(copy.transactions.transactionId(greeting));
      const words = encodeHex(new TextEncoder().encode("hello"));
      const shown = {
        type: GREETING,
        id,
        recipient: addressOfKey(alice),
        words: encodeBase58(Buffer.from("hello")),
      };

      expect(
        await post(
          "/transactions/calculateFee",
          copy.json.printJson(copy.transactions.transactionJson(greeting)),
          "application/json",
        ),
      ).toEqual({ feeAmount: Number(LTO) });
      expect(await broadcast(greeting)).toMatchObject(shown);
      expect(await get("/transactions/unconfirmed")).toMatchObject([shown]);
      expect(await broadcast(copy.build.buildTransaction(plan(rootKeyPair, "", clock.now())))).toMatchObject({
        error: 112,
        message: "State check failed. Reason: Nothing was said",
      });

      await pass(20_000);
      expect(await get("/transactions/unconfirmed")).toEqual([]);
      expect(await get(`/transactions/info/${id}`)).toMatchObject({ ...shown, height: expect.any(Number) });
      for (const account of [rootKeyPair, alice]) {
        const address = addressOfKey(account);
        expect(await get(`/transactions/address/${address}?type=greeting`)).toMatchObject([[shown]]);
        expect(await get(`/transactions/addresses/${address}?type=greeting`)).toMatchObject([shown]);
      }
      // Counters of existing groups continue.
      const address = addressOfKey(alice);
      const all = await fetch(`${node.url}/transactions/addresses/${address}?type=all`);
      expect(all.headers.get("x-total")).toBe("2");
      expect(await get(`/transactions/addresses/${address}?type=transfer`)).toHaveLength(1);
      expect(await get(`/hash/${words}/encoding/hex`)).toMatchObject({
        chainpoint: { anchors: [{ sourceId: id }] },
      });
    });

    test("includes it in the API description", async () => {
      const document = JSON.stringify(await get("/api-docs/swagger.json"));
      expect(document).toContain("#/components/schemas/GreetingTransactionRequest");
    });

    test("makes it readable for scripts", async () => {
      const source = `match tx {
      case greeting: GreetingTransaction => greeting.words == base58'${encodeBase58(Buffer.from("please"))}'
      case other => false
    }`;
      const compiled = await post("/utils/script/compile", source, "text/plain");
      const { script } = compiled as { script: string };
      const setScript = copy.transactions.transactionFromRequest(
        copy.json.parseJson(
          JSON.stringify({
            type: 13,
            script,
            fee: Number(5n * LTO),
            timestamp: clock.now(),
            senderPublicKey: encodeBase58(scripted.publicKey),
          }),
        ),
        { network: dev },
      );
      if (!setScript.ok) throw new Error(JSON.stringify(setScript.error));
      await broadcast(copy.transactions.signTransaction(setScript.value.transaction, scripted));
      await pass(20_000);

      const please = copy.build.buildTransaction(plan(scripted, "please", clock.now()));
      expect(await broadcast(please)).toMatchObject({ type: GREETING });
      const now = copy.build.buildTransaction(plan(scripted, "now", clock.now()));
      expect(await broadcast(now)).toMatchObject({ error: 307 });
      await pass(20_000);
      const id = encodeBase58(copy.transactions.transactionId(please));
      expect(await get(`/transactions/info/${id}`)).toMatchObject({ type: GREETING });
    });
  });
}
