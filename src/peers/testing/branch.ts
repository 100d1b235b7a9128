/** Chains for tests of sync: nodes that forge on demand. */

import { bytesEqual } from "../../bytes/compare.ts";
import { newestIds } from "../../chain/reading/history.ts";
import { readBlock, storedBlockBytes } from "../../chain/reading/rows.ts";
import { atOnce } from "../../chain/testing/at-once.ts";
import type { FeeVote } from "../../control/index.ts";
import { addressOf } from "../../crypto/addresses.ts";
import { dev } from "../../profiles/index.ts";
import { buildTransaction } from "../../testing/build-transaction.ts";
import { DevNode, rootKeyPair } from "../../testing/dev-node.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { DEFAULT_PEER_OPTIONS, type SyncOptions } from "../options.ts";

/** The settings of page 04 §23.2. */
export const defaultSyncOptions: SyncOptions = {
  ...DEFAULT_PEER_OPTIONS.sync,
  maxRollback: 100,
  timeoutMs: 60_000,
};

/** Local time at the start of every branch, ms. */
export const BRANCH_START = Number(dev.genesis.blockTimestamp) + 60_000;

/** A chain and the node that forges it. */
export class Branch {
  readonly node: DevNode;
  #serial = 0;

  /** @param vote makes its blocks differ from those of other branches */
  constructor(vote: FeeVote = "MAINTAIN", clock: VirtualClock = new VirtualClock(BRANCH_START)) {
    this.node = new DevNode({ clock });
    this.node.forger.feeVote = vote;
  }

  get height(): number {
    return this.node.chain.tip.height;
  }

  get score(): bigint {
    return this.node.chain.tip.score;
  }

  /** Ids of all blocks, starting with height 1. */
  get ids(): Uint8Array[] {
    return this.node.chain.read((reader) => newestIds(reader, this.height)).reverse();
  }

  /** Returns a fork of a branch at a height, on the same clock. */
  static from(other: Branch, height: number, vote: FeeVote): Branch {
    const branch = new Branch(vote, other.node.clock);
    for (let at = 2; at <= height; at++) branch.take(other, at);
    return branch;
  }

  /** Applies the block of another branch at a height. */
  take(other: Branch, height: number): void {
    const block = other.node.chain.read((reader) => readBlock(reader, height, other.node.profile));
    if (block === undefined) throw new RangeError(`there is no block ${height}`);
    const result = atOnce(this.node.chain.accept(block));
    if (!result.ok) throw new Error(result.error.printed);
  }

  forge(count: number): this {
    const height = this.height + count;
    const { clock, forger } = this.node;
    forger.start();
    while (this.height < height) if (!clock.step()) throw new Error("no block was forged");
    forger.stop();
    return this;
  }

  /** Adds a micro block with a transaction to the tip. */
  grow(): this {
    const { chain, clock, forger, pool } = this.node;
    const added = pool.add(
      buildTransaction({
        type: 4,
        sender: rootKeyPair,
        fee: 100_000_000n,
        timestamp: clock.now() + this.#serial++,
        chainId: dev.chainId,
        members: {
          recipient: addressOf(rootKeyPair.publicKey, dev.chainId),
          amount: 1n,
          attachment: new Uint8Array(0),
        },
      }),
    );
    if (!added.ok) throw new Error("the pool rejected a transaction");
    const { id, keyBlock } = chain.tip;
    forger.start();
    while (bytesEqual(chain.tip.id, id)) if (!clock.step()) throw new Error("no block was forged");
    forger.stop();
    if (!bytesEqual(chain.tip.keyBlock.id, keyBlock.id)) throw new Error("a key block was forged first");
    return this;
  }

  /** Returns the bytes of the block at a height. */
  bytes(height: number): Uint8Array {
    const bytes = this.node.chain.read((reader) => storedBlockBytes(reader, height));
    if (bytes === undefined) throw new RangeError(`there is no block ${height}`);
    return bytes;
  }
}
