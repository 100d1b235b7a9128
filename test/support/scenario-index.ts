/** A chain of the blocks of a scenario, as far as the index and its routes read it. */
import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import { createServer } from "../../src/api/server/server.ts";
import { fakeControl } from "../../src/api/testing/control.ts";
import { memoryLog, testInfo } from "../../src/api/testing/server.ts";
import { encodeBase58 } from "../../src/bytes/base58.ts";
import { bytesEqual } from "../../src/bytes/compare.ts";
import { type JsonValue, printJson } from "../../src/bytes/json.ts";
import { writeKeyBlock } from "../../src/chain/reading/rows.ts";
import { chainReader } from "../../src/chain/snapshot.ts";
import { markWhole } from "../../src/chain/writing/indexing.ts";
import { allIndexes, type IndexSettings } from "../../src/indexes/all.ts";
import type { ChainIndex } from "../../src/indexes/chain-index.ts";
import type { ChainReader } from "../../src/interfaces.ts";
import { testnet } from "../../src/profiles/index.ts";
import type { NetworkProfile } from "../../src/profiles/profile.ts";
import { StoredLedger } from "../../src/storage/ledger/ledger-state.ts";
import { memoryStore } from "../../src/storage/memory-store.ts";
import { tables } from "../../src/storage/tables.ts";
import {
  definitionOf,
  type Transaction,
  transactionBytes,
  transactionFromRequest,
  transactionId,
} from "../../src/transactions/index.ts";

/** Unsigned blocks in the tables of a real store, with real indexes and the real server. */
export class ScenarioIndex {
  /** Transaction ids by the scenario's placeholders. */
  readonly names = new Map<string, string>();
  readonly #profile: NetworkProfile = testnet;
  readonly #store = memoryStore();
  readonly #settings: IndexSettings;
  readonly #indexes: readonly ChainIndex[];
  #waiting: readonly Transaction[] = [];
  #height = 0;
  /** Time of the newest block: that of its newest transaction, ms. */
  #time = 0n;

  constructor(settings: IndexSettings) {
    this.#settings = settings;
    this.#indexes = allIndexes(settings);
    this.#store.write((batch) => markWhole(batch, this.#indexes));
  }

  /**
   * Appends a block, preceded by empty ones if the scenario leaves heights out.
   * @param timestamp ms; by default that of the newest transaction so far
   */
  apply(height: number, transactions: readonly JsonValue[], timestamp?: bigint): void {
    while (this.#height < height - 1) this.#append([]);
    this.#append(
      transactions.map((json) => this.#transaction(json)),
      timestamp,
    );
  }

  /** Adds transactions to the pool. */
  wait(transactions: readonly JsonValue[]): void {
    this.#waiting = transactions.map((json) => this.#transaction(json));
  }

  /** Undoes every block above a height. */
  rollBackTo(height: number): void {
    this.#store.write((batch) => {
      for (; this.#height > height; this.#height--) batch.undoUnit({ height: this.#height, sequence: 0 });
    });
  }

  /** The node's view of the chain. */
  reader(): ChainReader {
    const profile = this.#profile;
    const rules = {
      chainId: profile.chainId,
      functionality: profile.functionality,
      maxTransactionsInMicroBlock: 255,
    };
    return chainReader(this.#store, { profile, rules, indexAll: true, trust: this.#settings.trust });
  }

  /** Opens the server. @param now time of its clock, ms */
  async serve(now: number): Promise<{ readonly url: string; readonly server: FastifyInstance }> {
    const profile = this.#profile;
    const waiting = (hash: Uint8Array): Uint8Array | undefined => {
      const found = this.#waiting.find(
        (transaction) =>
          definitionOf(transaction)
            .anchors?.(transaction)
            .some((anchor) => bytesEqual(anchor, hash)) === true,
      );
      return found && transactionBytes(found);
    };
    const server = await createServer({
      reader: this.reader(),
      control: fakeControl([], profile.chainId, { pool: { anchor: async (hash) => waiting(hash) } }),
      events: { onCommit: () => () => {} },
      info: testInfo({ network: profile }),
      clock: { now: () => now, system: () => now, monotonic: () => now, after: () => () => {} },
      log: memoryLog(),
    });
    await server.listen({ host: "127.0.0.1", port: 0 });
    return { url: `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`, server };
  }

  /** Returns the scenario's JSON with the real ids in place of the placeholders. */
  named(value: JsonValue): JsonValue {
    if (typeof value === "string") return this.names.get(value) ?? value;
    if (Array.isArray(value)) return value.map((one) => this.named(one));
    if (!(value instanceof Map)) return value;
    return new Map([...value].map(([name, one]) => [name, this.named(one)]));
  }

  #transaction(json: JsonValue): Transaction {
    if (!(json instanceof Map)) throw new Error("a transaction must be an object");
    const request = new Map(this.named(json) as Map<string, JsonValue>);
    request.delete("id");
    const result = transactionFromRequest(request, { network: this.#profile });
    if (!result.ok) throw new Error(`${printJson(json)}: ${printJson(result.error as never)}`);
    this.names.set(String(json.get("id")), encodeBase58(transactionId(result.value.transaction)));
    return result.value.transaction;
  }

  #append(transactions: readonly Transaction[], blockTime?: bigint): void {
    const height = ++this.#height;
    for (const { timestamp } of transactions) if (timestamp > this.#time) this.#time = timestamp;
    const timestamp = blockTime ?? this.#time;
    const generator = new Uint8Array(26);
    this.#store.write((batch) => {
      batch.beginUnit({ height, sequence: 0 });
      const ledger = new StoredLedger(batch);
      ledger.beginBlock(height, { timestamp, generator, features: [], feeVote: 0 });
      for (const transaction of transactions)
        ledger.recordTransaction(transactionId(transaction), transaction.timestamp, undefined);
      for (const transaction of transactions)
        if (transaction.type === 8)
          ledger.setLease(transactionId(transaction), {
            active: true,
            height,
            amount: transaction.amount,
            sender: transaction.senderAddress,
            recipient: transaction.recipient,
            senderKey: transaction.sender.bytes,
          });
      ledger.flush();
      const block = {
        version: 3,
        timestamp,
        reference: new Uint8Array(64),
        baseTarget: 100n,
        generationSignature: new Uint8Array(32),
        transactions,
        features: [],
        feeVote: 0,
        generator: new Uint8Array(32),
        signature: new Uint8Array(64).fill(height),
      };
      writeKeyBlock(batch, height, block, this.#profile.chainId);
      if (transactions.length > 0) {
        const fees = BigInt64Array.from(transactions, ({ fee }) => fee);
        batch.insert(tables.effectiveFees, { height, sequence: 0 }, fees);
      }
      const unit = {
        height,
        sequence: 0,
        timestamp,
        generator,
        transactions: transactions.map((transaction, position) => ({
          transaction,
          id: transactionId(transaction),
          position,
          effectiveFee: transaction.fee,
          effectiveSponsor: undefined,
          addresses: [transaction.senderAddress],
        })),
      };
      for (const index of this.#indexes) index.apply(batch, unit);
      batch.endUnit();
    });
  }
}
