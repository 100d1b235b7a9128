/**
 * Makes chains of units for tests of the indexes alone. There are no blocks and balances, and every transaction counts
 * as applied.
 */
import { bytesKey } from "../../bytes/compare.ts";
import type { JsonOut } from "../../bytes/json.ts";
import { printJson } from "../../bytes/json.ts";
import { addressOf } from "../../crypto/addresses.ts";
import type { KeyPair } from "../../crypto/signatures.ts";
import type { AppliedTransaction } from "../../ledger/block.ts";
import type { BlockTotals, LeaseState } from "../../ledger/state.ts";
import { memoryStore } from "../../storage/memory-store.ts";
import type { Store } from "../../storage/store.ts";
import { tables } from "../../storage/tables.ts";
import type { RecordedTransaction } from "../../storage/values/ledger.ts";
import { buildTransaction, typeOf } from "../../testing/build-transaction.ts";
import { keyPairOf } from "../../testing/dev-node.ts";
import type { SeededRandom } from "../../testing/seeded-random.ts";
import { type DataEntry, definitionOf, type Transaction, transactionId } from "../../transactions/index.ts";
import type { ChainIndex, UnitInCommit } from "../chain-index.ts";
import { relationshipBits } from "../identities/did-records.ts";

export const chainId = "T".charCodeAt(0);
export const people: readonly KeyPair[] = ["one", "two", "three", "four", "five", "six"].map(keyPairOf);
export const addresses = people.map(({ publicKey }) => addressOf(publicKey, chainId));
/** Time of the block at height 0, ms. */
const START = 1_700_000_000_000;
const MINUTE = 60_000;
const BLOCK_TIME = 25 * MINUTE;

/** Time of the block at a height, ms. */
export function timeOf(height: number): bigint {
  return BigInt(START + height * BLOCK_TIME);
}

/** Builds a transaction of one of `people`. */
export function transactionOf(
  sender: KeyPair,
  type: number,
  members: Readonly<Record<string, unknown>>,
  timestamp: bigint,
  version = 3,
): Transaction {
  return buildTransaction({ type, version, sender, fee: 10_000_000_000n, timestamp, chainId, members });
}

export function unitOf(
  height: number,
  sequence: number,
  firstPosition: number,
  transactions: readonly Transaction[],
): UnitInCommit {
  return {
    height,
    sequence,
    timestamp: timeOf(height),
    generator: addresses[height % 3],
    transactions: transactions.map(
      (transaction, i): AppliedTransaction => ({
        transaction,
        id: transactionId(transaction),
        position: firstPosition + i,
        effectiveFee: transaction.fee,
        effectiveSponsor: undefined,
        addresses: touchedBy(transaction),
      }),
    ),
  };
}

/** Returns sender and recipients: approximately the addresses that the ledger reports. */
function touchedBy(transaction: Transaction): Uint8Array[] {
  const touched = new Map([[bytesKey(transaction.senderAddress), transaction.senderAddress]]);
  const add = (address: Uint8Array): unknown => touched.set(bytesKey(address), address);
  for (const { recipient } of definitionOf(transaction).payouts?.(transaction) ?? []) add(recipient);
  return [...touched.values()];
}

function recordedOf({ transactions }: UnitInCommit): RecordedTransaction[] {
  return transactions.map(({ transaction: { timestamp }, id, effectiveSponsor }) => {
    return { id, timestamp, effectiveSponsor };
  });
}

type Lease = Extract<Transaction, { readonly type: 8 }>;

const noTotals: BlockTotals = {
  burned: 0n,
  closing: 0n,
  fees: 0n,
  burnedFees: 0n,
  miningReward: 0n,
  generatorReward: 0n,
  sizeLeft: 0,
  scriptsLeft: undefined,
};

function leaseOf(height: number, { amount, sender, senderAddress, recipient }: Lease): LeaseState {
  return { active: true, height, amount, sender: senderAddress, recipient, senderKey: sender.bytes };
}

/** A store with units, one commit each. */
export class IndexChain {
  readonly store: Store = memoryStore();
  /** The current units, oldest first. */
  readonly units: UnitInCommit[] = [];
  readonly #indexes: readonly ChainIndex[];

  constructor(indexes: readonly ChainIndex[], units: readonly UnitInCommit[] = []) {
    this.#indexes = indexes;
    for (const unit of units) this.apply(unit);
  }

  apply(unit: UnitInCommit): void {
    this.units.push(unit);
    const { height, timestamp, generator } = unit;
    this.store.write((batch) => {
      batch.beginUnit(unit);
      batch.put(tables.blockFacts, height, { timestamp, generator, features: [], feeVote: 0 });
      const generatorReward = this.rewardOf(height);
      batch.put(tables.blockTotals, height, { ...noTotals, generatorReward, fees: 2n * generatorReward });
      for (const { id, transaction } of unit.transactions)
        if (transaction.type === 8) batch.put(tables.leases, id, leaseOf(height, transaction));
      // Indexes look up transactions in the ledger's records.
      const [first] = unit.transactions;
      if (first !== undefined)
        batch.insert(tables.recorded, { height: unit.height, position: first.position }, recordedOf(unit));
      for (const index of this.#indexes) index.apply(batch, unit);
      batch.endUnit();
    });
  }

  /** Returns the generator's reward, which grows with each unit and transaction. */
  rewardOf(height: number): bigint {
    const units = this.units.filter((unit) => unit.height === height);
    return units.reduce((sum, { transactions }) => sum + 1_000n + BigInt(transactions.length), 0n);
  }

  undo(): void {
    const unit = this.units.pop();
    if (unit === undefined) throw new RangeError("there is no unit");
    this.store.write((batch) => batch.undoUnit(unit));
  }

  /** Appends a random next unit. */
  grow(random: SeededRandom, transactions: readonly Transaction[]): void {
    const last = this.units.at(-1);
    const height = last?.height ?? 1;
    if (last !== undefined && random.chance(40)) {
      const position = (last.transactions.at(-1)?.position ?? this.#lastPosition(height)) + 1;
      this.apply(unitOf(height, last.sequence + 1, position, transactions));
    } else this.apply(unitOf(last === undefined ? 1 : height + 1, 0, 0, transactions));
  }

  /** Approximate height of the next unit. */
  get height(): number {
    return this.units.at(-1)?.height ?? 1;
  }

  #lastPosition(height: number): number {
    for (const unit of this.units.toReversed()) {
      if (unit.height !== height) break;
      const position = unit.transactions.at(-1)?.position;
      if (position !== undefined) return position;
    }
    return -1;
  }
}

const relationshipNames = Object.keys(relationshipBits);

/** Builds a transaction that some index lists, dated from 20 minutes before its block to 90 minutes after it. */
export function randomTransaction(random: SeededRandom, height: number): Transaction {
  const timestamp = timeOf(height) + BigInt(random.below(110 * MINUTE) - 20 * MINUTE);
  const sender = random.pick(people);
  const address = (): Uint8Array => random.pick(addresses);
  const hash = (): Uint8Array => Uint8Array.of(random.below(12));
  const associationType = random.pick([1n, 2n, 3n, 1n, 2n, 0x100n, 0x101n, 0x107n, 0x108n, 0x120n, 0x121n]);
  const make = (type: string, members: Readonly<Record<string, unknown>>, version = 3) =>
    transactionOf(sender, typeOf(type), members, timestamp, version);
  const kinds: (() => Transaction)[] = [
    () => make("transfer", { recipient: address(), amount: 1n, attachment: new Uint8Array(0) }),
    () => {
      const transfers = Array.from({ length: random.below(4) }, () => ({ recipient: address(), amount: 1n }));
      return make("mass transfer", { transfers, attachment: new Uint8Array(0) });
    },
    () => make("data", { data: [service(random)] }),
    () => {
      const first = random.below(11);
      return make("anchor", {
        anchors: [Uint8Array.of(first), Uint8Array.of(first + 1)].slice(random.below(2)),
      });
    },
    () => {
      // Different keys, possibly equal values.
      const first = random.below(11);
      const pairs = [0, 1].map((more) => [
        Uint8Array.of(first + more),
        random.chance(50) ? hash() : Uint8Array.of(5),
      ]);
      return make("mapped anchor", { anchors: pairs });
    },
    () => {
      const expires = random.chance(30) ? timestamp + BigInt(random.below(300 * MINUTE)) : undefined;
      const members = { associationType, recipient: address(), subject: undefined, expires };
      return make("issue association", { ...members, data: methodData(random) }, 4);
    },
    () => make("revoke association", { associationType, recipient: address(), subject: undefined }, 4),
    () => {
      const statementType = random.pick([0x0fn, 0x10n, 0x11n, 0x14n, 0x16n, 0x120n, 0x121n, 0x121n]);
      const recipient = random.chance(80) ? address() : undefined;
      const subject = random.chance(70) ? Uint8Array.of(random.below(3)) : undefined;
      return make("statement", { statementType, recipient, subject, data: [] });
    },
    () => {
      const keyType = random.pick(["ed25519", "bls12-381"]);
      const bytes = random.bytes(keyType === "ed25519" ? 32 : 48);
      return make("register", { accounts: [{ keyType, bytes }] });
    },
  ];
  return random.pick(kinds)();
}

function service(random: SeededRandom): DataEntry {
  const key = `did:service:${random.pick(["a", "b", ""])}`;
  const texts: JsonOut[] = [
    { type: "T" },
    { id: "#b", type: "U" },
    { id: 1 },
    5,
    { type: "" },
    { type: "T", serviceEndpoint: "https://example.com/a" },
    { id: "#b", type: ["T", "U"], serviceEndpoint: ["https://example.com/b", { uri: "c" }], "@context": {} },
    { id: "https://example.com/d", type: "T", serviceEndpoint: { "@id": "x", uri: "did:lto:x" } },
    { id: "#sign", type: "T", serviceEndpoint: "mailto:a@example.com" },
    { id: "no uri", type: "T", serviceEndpoint: "https://example.com/" },
    { type: ["T", "T"], serviceEndpoint: "no uri" },
  ];
  if (random.chance(20)) return { key, type: "boolean", value: false };
  if (random.chance(10)) return { key, type: "binary", value: random.bytes(3) };
  return { key, type: "string", value: random.chance(10) ? "{" : printJson(random.pick(texts)) };
}

function methodData(random: SeededRandom): DataEntry[] {
  if (random.chance(50)) return [];
  if (random.chance(30))
    return [{ key: "revokeDelay", type: "integer", value: BigInt(random.below(100) * MINUTE) }];
  return [{ key: random.pick(relationshipNames), type: "boolean", value: random.chance(80) }];
}

/** Builds a chain by random growth and undoing. */
export function randomIndexChain(
  random: SeededRandom,
  indexes: readonly ChainIndex[],
  units: number,
): IndexChain {
  const chain = new IndexChain(indexes);
  for (let i = 0; i < units; i++) {
    const count = random.below(5);
    chain.grow(
      random,
      Array.from({ length: count }, () => randomTransaction(random, chain.height)),
    );
    if (random.chance(15))
      for (let back = random.below(8); back > 0 && chain.units.length > 0; back--) chain.undo();
  }
  return chain;
}
