/** The most expensive transaction of each type, for benchmarks. */
import { buildBlock } from "../src/blocks/block.ts";
import { immutableMapEntries } from "../src/collections/hash-trie.ts";
import { addressOf } from "../src/crypto/addresses.ts";
import { secureHash, sha256 } from "../src/crypto/hashes.ts";
import type { KeyPair } from "../src/crypto/signatures.ts";
import { dev } from "../src/profiles/index.ts";
import { writeExpression } from "../src/script/serialization.ts";
import { buildTransaction, typeOf } from "../src/testing/build-transaction.ts";
import { type DevNode, rootKeyPair } from "../src/testing/dev-node.ts";
import { requireDefinition, type Transaction } from "../src/transactions/registry.ts";
import { COSTLY_ESTIMATES } from "./costly-scripts.ts";

const { chainId } = dev;
export const LTO = 100_000_000n;

/** A unique hash. */
export function hashOf(text: string): Uint8Array {
  return sha256(new TextEncoder().encode(text));
}

/** A unique address. */
export function freshAddress(text: string): Uint8Array {
  return addressOf(hashOf(text), chainId);
}

/** 80 bytes, the longest anchor. */
function longHash(text: string): Uint8Array {
  return Uint8Array.from({ ...hashOf(text), length: 80 }, (byte) => byte ?? 0);
}

const hundred = <T>(make: (i: number) => T): T[] => Array.from({ length: 100 }, (_, i) => make(i));

/** The maximum number of entries of a transaction, with values of this many characters. */
function entries(serial: string, length: number): unknown[] {
  return hundred((i) => ({ key: `${serial}-${i}`, type: "string", value: `${i}`.padEnd(length, "x") }));
}

/** The accepted script that is slowest to estimate; unique per serial number. */
function scriptOf(serial: number): Uint8Array {
  const [[, body]] = COSTLY_ESTIMATES;
  const value = { kind: "long", value: BigInt(serial) } as const;
  const content = Buffer.concat([
    Uint8Array.of(1),
    writeExpression({ kind: "block", name: "number", value, body }),
  ]);
  return Buffer.concat([content, secureHash(content).subarray(0, 4)]);
}

/** Fields of the most expensive transaction of each type, by type name; `serial` makes it unique. */
export const DEAREST: Readonly<Record<string, (serial: number) => Record<string, unknown>>> = {
  payment: (n) => ({ recipient: freshAddress(`payment ${n}`), amount: 1n }),
  transfer: (n) => ({
    recipient: freshAddress(`transfer ${n}`),
    amount: 1n,
    attachment: new Uint8Array(140).fill(1),
  }),
  lease: (n) => ({ recipient: freshAddress(`lease ${n}`), amount: 1n }),
  "mass transfer": (n) => ({
    transfers: hundred((i) => ({ recipient: freshAddress(`mass ${n} ${i}`), amount: 1n })),
    attachment: new Uint8Array(140).fill(1),
  }),
  // 10 KiB including key, signature and lengths.
  data: (n) => ({ data: entries(`data-${n}`.padEnd(20, "-"), 72) }),
  "set script": (n) => ({ script: scriptOf(n) }),
  anchor: (n) => ({ anchors: hundred((i) => longHash(`anchor ${n} ${i}`)) }),
  "issue association": (n) => ({
    associationType: BigInt(n),
    recipient: freshAddress(`association ${n}`),
    subject: new Uint8Array(256).fill(1),
    data: entries(`association-${n}`.padEnd(20, "-"), 72),
  }),
  "revoke association": (n) => ({
    associationType: BigInt(n),
    recipient: freshAddress(`association ${n}`),
    subject: new Uint8Array(256).fill(1),
  }),
  sponsorship: (n) => ({ recipient: freshAddress(`sponsored ${n}`) }),
  "cancel sponsorship": (n) => ({ recipient: freshAddress(`sponsored ${n}`) }),
  register: (n) => ({
    accounts: hundred((i) => ({ keyType: "ed25519", bytes: hashOf(`register ${n} ${i}`) })),
  }),
  burn: () => ({ amount: 1n }),
  "mapped anchor": (n) => ({
    anchors: immutableMapEntries(
      hundred((i) => [longHash(`key ${n} ${i}`), longHash(`value ${n} ${i}`)] as const),
    ),
  }),
  statement: (n) => ({
    statementType: BigInt(n),
    recipient: freshAddress(`statement ${n}`),
    subject: new Uint8Array(256).fill(1),
    data: hundred((i) => ({ key: `${n}-${i}`, type: "string", value: "x".repeat(1_024) })),
  }),
};

/** Signs a transaction, by default with the key of the account that holds all tokens. */
export function signedOf(
  name: string,
  members: Readonly<Record<string, unknown>>,
  timestamp: bigint,
  sender: KeyPair = rootKeyPair,
): Transaction {
  const type = typeOf(name);
  const version = Math.max(...requireDefinition(type).versions.keys());
  return buildTransaction({ type, version, sender, fee: 100n * LTO, timestamp, chainId, members });
}

/** Time of the next block. */
export function nextTime({ chain }: DevNode): bigint {
  return chain.tip.keyBlock.timestamp + 5_000n;
}

/** Appends a block with these transactions. @throws Error if the block is rejected */
export function appendBlock(
  { chain }: DevNode,
  timestamp: bigint,
  transactions: readonly Transaction[],
): Uint8Array {
  const draft = chain.forging.draftBlock(rootKeyPair.publicKey, timestamp, Number(timestamp));
  const block = buildBlock({ ...draft, timestamp, features: [], feeVote: 0, transactions }, rootKeyPair);
  const result = chain.process(block);
  if (!result.ok) throw new Error(`Block rejected: ${result.error.printed}`);
  return block.signature;
}
