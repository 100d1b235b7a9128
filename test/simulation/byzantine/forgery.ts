/** Blocks and micro blocks that look like those of the network but are invalid. */
import { type Block, type BlockTemplate, buildBlock } from "../../../src/blocks/block.ts";
import { buildMicroBlock, type MicroBlock } from "../../../src/blocks/micro-block.ts";
import { headerRow } from "../../../src/chain/reading/rows.ts";
import { hitSourceHeight } from "../../../src/consensus/proof-of-stake.ts";
import { addressOf } from "../../../src/crypto/addresses.ts";
import type { KeyPair } from "../../../src/crypto/signatures.ts";
import { generatingBalance } from "../../../src/ledger/balances.ts";
import type { Node } from "../../../src/node.ts";
import { StoredLedgerView } from "../../../src/storage/ledger/ledger-view.ts";
import { tables } from "../../../src/storage/tables.ts";
import { buildTransaction, typeOf } from "../../../src/testing/build-transaction.ts";
import { earliestChild } from "../../../src/testing/forged-blocks.ts";
import type { SeededRandom } from "../../../src/testing/seeded-random.ts";
import type { Transaction } from "../../../src/transactions/index.ts";

/** The defect of a block. */
export type Fault = "signature" | "base target" | "generation signature" | "time" | "future" | "transaction";

export const faults: readonly Fault[] = [
  "signature",
  "base target",
  "generation signature",
  "time",
  "future",
  "transaction",
];

const HOUR = 3_600_000n;

/** Returns a child of the tip of a node's chain, valid except for its time if the account may not forge yet. */
export function childTemplate(node: Node, keyPair: KeyPair, now: number): BlockTemplate {
  const draft = node.chain.forging.draftBlock(keyPair.publicKey, BigInt(now), now);
  return { ...draft, transactions: [], features: [], feeVote: 0 };
}

/** Milliseconds until the account may forge a child of the tip of the node's chain; 0 or less if it may now. */
export function untilDue({ chain }: Node, { publicKey }: KeyPair, chainId: number, now: number): number {
  const balance = chain.forging.generatingBalance(addressOf(publicKey, chainId));
  return Number(chain.tip.keyBlock.timestamp + chain.forging.blockDelay(publicKey, balance)) + 1 - now;
}

/**
 * Returns the empty block that an account may forge on top of a block of the node's chain.
 * @returns undefined if it is too early, or if the chain does not have that block
 */
export function branchTemplate(
  { chain, settings: { profile } }: Node,
  reference: Uint8Array,
  { publicKey }: KeyPair,
  now: number,
): BlockTemplate | undefined {
  return chain.read((reader) => {
    const height = reader.get(tables.blockIds, reference)?.height;
    if (height === undefined || height < 3) return undefined;
    const ledger = new StoredLedgerView(reader);
    const balance = generatingBalance(ledger, addressOf(publicKey, profile.chainId), height);
    const parent = headerRow(reader, height);
    const template = earliestChild(
      {
        ...parent,
        reference,
        hitSource: headerRow(reader, hitSourceHeight(height)).generationSignature,
        greatGrandparentTimestamp: headerRow(reader, height - 2).timestamp,
        averageBlockDelaySeconds: profile.genesis.averageBlockDelaySeconds,
      },
      publicKey,
      balance,
    );
    return template.timestamp > BigInt(now) ? undefined : template;
  });
}

/** A transfer above the account's balance. */
export function overspending(keyPair: KeyPair, chainId: number, now: number): Transaction {
  return buildTransaction({
    type: typeOf("transfer"),
    sender: keyPair,
    fee: 100_000_000n,
    timestamp: now,
    chainId,
    members: {
      recipient: addressOf(keyPair.publicKey, chainId),
      amount: 1n << 62n,
      attachment: new Uint8Array(0),
    },
  });
}

/** Flips one bit. */
export function spoiled(bytes: Uint8Array, random: SeededRandom): Uint8Array {
  const copy = bytes.slice();
  copy[random.below(copy.length)] ^= 1 << random.below(8);
  return copy;
}

/** Returns a block with the given defect. */
export function faulty(
  template: BlockTemplate,
  fault: Fault,
  keyPair: KeyPair,
  { chainId, random, now }: { readonly chainId: number; readonly random: SeededRandom; readonly now: number },
): Block {
  switch (fault) {
    case "signature": {
      const block = buildBlock(template, keyPair);
      return { ...block, signature: spoiled(block.signature, random) };
    }
    case "base target":
      return buildBlock({ ...template, baseTarget: template.baseTarget + 1n }, keyPair);
    case "generation signature":
      return buildBlock({ ...template, generationSignature: random.bytes(32) }, keyPair);
    case "time":
      return buildBlock({ ...template, timestamp: template.timestamp - HOUR }, keyPair);
    case "future":
      return buildBlock({ ...template, timestamp: template.timestamp + HOUR }, keyPair);
    case "transaction":
      return buildBlock({ ...template, transactions: [overspending(keyPair, chainId, now)] }, keyPair);
  }
}

/** Returns a micro block on the node's tip, signed by an account that did not forge the key block. */
export function foreignMicroBlock(node: Node, keyPair: KeyPair, chainId: number, now: number): MicroBlock {
  const base = { ...buildBlock(childTemplate(node, keyPair, now), keyPair), signature: node.chain.tip.id };
  return buildMicroBlock(base, [overspending(keyPair, chainId, now)], keyPair).micro;
}
