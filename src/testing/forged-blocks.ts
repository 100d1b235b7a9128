/** Blocks of attackers, with and without stake. */
import { type Block, type BlockTemplate, buildBlock } from "../blocks/block.ts";
import {
  earliestTimestamp,
  fairDelay,
  generationSignature,
  hit,
  nextBaseTarget,
} from "../consensus/proof-of-stake.ts";
import type { KeyPair } from "../crypto/signatures.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** The facts that determine the earliest valid child of a block. Page 03 §8. */
export interface ParentFacts {
  readonly reference: Uint8Array;
  readonly version: number;
  /** ms */
  readonly timestamp: bigint;
  readonly baseTarget: bigint;
  readonly generationSignature: Uint8Array;
  /** Generation signature of the block at `hitSourceHeight`. */
  readonly hitSource: Uint8Array;
  /** Timestamp of the block two below the parent, ms. */
  readonly greatGrandparentTimestamp: bigint;
  readonly averageBlockDelaySeconds: number;
}

/** Returns the earliest valid child of a block, without transactions. @param balance generating balance, units */
export function earliestChild(parent: ParentFacts, publicKey: Uint8Array, balance: bigint): BlockTemplate {
  const delay = fairDelay(hit(parent.hitSource, publicKey), parent.baseTarget, balance);
  const timestamp = earliestTimestamp(parent.timestamp, delay) + 1n;
  return {
    version: parent.version,
    timestamp,
    reference: parent.reference,
    baseTarget: nextBaseTarget({
      averageBlockDelaySeconds: parent.averageBlockDelaySeconds,
      parentBaseTarget: parent.baseTarget,
      timestamp,
      greatGrandparentTimestamp: parent.greatGrandparentTimestamp,
    }),
    generationSignature: generationSignature(parent.generationSignature, publicKey),
    transactions: [],
    features: [],
    feeVote: 0,
  };
}

/** Returns a block that declares the highest possible score without any stake. */
export function phantom(
  reference: Uint8Array,
  timestamp: bigint,
  keyPair: KeyPair,
  random: SeededRandom,
): Block {
  const generationSignature = random.bytes(32);
  const template = { version: 4, timestamp, reference, baseTarget: 1n, generationSignature };
  return buildBlock({ ...template, transactions: [], features: [], feeVote: 0 }, keyPair);
}
