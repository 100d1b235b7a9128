/** What the headers of a fork prove, from the state at the common block on: nothing is undone to find it out. */
import type { BlockHeader } from "../../blocks/block.ts";
import { bytesEqual, bytesKey } from "../../bytes/compare.ts";
import {
  type BalanceChange,
  generatingBalanceWindow,
  minimumBalance,
  minimumGeneratingBalance,
  windowLength,
} from "../../consensus/index.ts";
import { addressOf } from "../../crypto/addresses.ts";
import { plainEffective } from "../../ledger/balances.ts";
import { isScripted } from "../../ledger/counts-as-scripted.ts";
import type { LedgerRules } from "../../ledger/era.ts";
import type { Reader } from "../../storage/kv.ts";
import { StoredLedgerView } from "../../storage/ledger-view.ts";
import { tables } from "../../storage/tables.ts";
import type { Tip } from "../reading/tip.ts";
import { type BlockRefusal, scriptedRefusal } from "./block-refusal.ts";
import type { HeaderAt, ProofOfStake } from "./proof-of-stake.ts";

/** What a fork is measured against. */
export interface ForkGround {
  /** The committed chain, which the fork leaves at the common block. */
  readonly reader: Reader;
  readonly tip: Tip;
  readonly rules: LedgerRules;
  readonly proofOfStake: ProofOfStake;
  /** Id of the common block. */
  readonly common: Uint8Array;
}

/**
 * Checks the blocks of a fork by their headers, each against the ones before it. Whatever is refused here would be
 * refused when the block is applied. What passes may still be refused then: the generating balance is the least of a
 * thousand heights, of which only those up to the common block are known, so that it may turn out to be less.
 */
export class ForkHeaders {
  readonly #ground: ForkGround;
  readonly #fresh: readonly BlockHeader[];
  readonly #ledger: StoredLedgerView;
  /** Height of the common block. */
  readonly #height: number;
  /** The newest height whose end is the same for the fork. */
  readonly #knownHeight: number;
  /** Effective balances of generators up to that height, the newest first. */
  readonly #balances = new Map<string, readonly BalanceChange[]>();

  /** @param fresh the blocks that the chain does not have, oldest first, each referring to the one before it */
  constructor(ground: ForkGround, fresh: readonly BlockHeader[]) {
    const { reader, tip, common } = ground;
    const height = reader.get(tables.blockIds, common)?.height;
    if (height === undefined) throw new RangeError("The chain does not have the common block");
    this.#ground = ground;
    this.#fresh = fresh;
    this.#ledger = new StoredLedgerView(reader);
    this.#height = height;
    // Behind a key block or micro block in the middle of ours, its end is not that of the fork's.
    const isWhole = height < tip.height || bytesEqual(common, tip.id);
    this.#knownHeight = isWhole ? height : height - 1;
  }

  /** Height of block `index`. */
  heightOf(index: number): number {
    return this.#height + 1 + index;
  }

  /** Rows 7 and 8 of page 03 §12.4: base target and generation signature, computed from the blocks before it. */
  headerRefusal(index: number): BlockRefusal | undefined {
    return this.#ground.proofOfStake.headerRefusal(this.#headerAt, this.#height + index, this.#fresh[index]);
  }

  /** Row 2 of page 03 §12.4. Later blocks of the fork may change scripts, so it is known of the first one alone. */
  scriptRefusal(index: number): BlockRefusal | undefined {
    if (index > 0) return undefined;
    const block = this.#fresh[index];
    const generator = this.#address(block);
    const state = this.#ledger.script(generator);
    if (state === undefined || state.height > this.#knownHeight || !isScripted(this.#ledger, generator))
      return undefined;
    return scriptedRefusal(block, generator);
  }

  /** Row 5 of page 03 §12.4, with the most that the generator can have. Reads its history up to the common block. */
  balanceRefusal(index: number): BlockRefusal | undefined {
    const most = this.#mostBalance(index);
    if (most === undefined) return undefined;
    const { proofOfStake } = this.#ground;
    return proofOfStake.balanceRefusal(this.#fresh[index], most, this.#leastNeeded(index));
  }

  /** Row 9 of page 03 §12.4, with the most that the generator can have: with less it must wait longer. */
  delayRefusal(index: number): BlockRefusal | undefined {
    const most = this.#mostBalance(index);
    if (most === undefined) return undefined;
    const { proofOfStake } = this.#ground;
    return proofOfStake.delayRefusal(this.#headerAt, this.#height + index, this.#fresh[index], most);
  }

  readonly #headerAt: HeaderAt = (height) =>
    height > this.#height
      ? this.#fresh[height - this.#height - 1]
      : this.#ground.reader.get(tables.headers, height);

  #address({ generator }: BlockHeader): Uint8Array {
    return addressOf(generator, this.#ground.rules.chainId);
  }

  /** No generating balance of the block can be above this; undefined when nothing is known of its window. */
  #mostBalance(index: number): bigint | undefined {
    const { first } = generatingBalanceWindow(this.#height + index);
    const last = this.#knownHeight;
    if (first > last) return undefined;
    return minimumBalance(this.#changesOf(this.#address(this.#fresh[index])), first, last);
  }

  #changesOf(address: Uint8Array): readonly BalanceChange[] {
    const key = bytesKey(address);
    const known = this.#balances.get(key);
    if (known !== undefined) return known;
    const { first } = generatingBalanceWindow(this.#height);
    const changes: BalanceChange[] = [];
    for (const { height, account } of this.#ledger.accountPoints(address, first, this.#knownHeight))
      changes.push({ height, balance: plainEffective(account) });
    this.#balances.set(key, changes);
    return changes;
  }

  /** Row 5's minimum. Votes that the common block or the fork decides lower it, but not sooner than a period later. */
  #leastNeeded(index: number): bigint {
    const { rules, proofOfStake } = this.#ground;
    const parent = this.#height + index;
    if (parent >= this.#height + windowLength(rules.functionality, this.#height))
      return minimumGeneratingBalance(true);
    return proofOfStake.minimumBalance(this.#ledger, parent);
  }
}
