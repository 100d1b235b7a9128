import type { BlockHeader } from "../../blocks/block.ts";
import { bytesEqual, bytesKey } from "../../bytes/compare.ts";
import {
  type BalanceChange,
  generatingBalanceWindow,
  minimumBalance,
  minimumGeneratingBalance,
} from "../../consensus/proof-of-stake.ts";
import { windowLength } from "../../consensus/votes.ts";
import { addressOf } from "../../crypto/addresses.ts";
import { wrappingEffectiveBalance } from "../../ledger/balances.ts";
import type { LedgerRules } from "../../ledger/era.ts";
import { isScripted } from "../../ledger/scripts/counts-as-scripted.ts";
import type { Reader } from "../../storage/kv.ts";
import { StoredLedgerView } from "../../storage/ledger/ledger-view.ts";
import { tables } from "../../storage/tables.ts";
import type { Tip } from "../reading/tip.ts";
import { type BlockRefusal, scriptedRefusal } from "./block-refusal.ts";
import type { HeaderAt, ProofOfStake } from "./proof-of-stake.ts";

interface ForkContext {
  readonly reader: Reader;
  readonly tip: Tip;
  readonly rules: LedgerRules;
  readonly proofOfStake: ProofOfStake;
  readonly common: Uint8Array;
}

/**
 * Checks a fork's headers with the state at the common block, without undoing anything. Never refuses a valid block,
 * but may accept one without enough stake.
 */
export class ForkHeaders {
  readonly #context: ForkContext;
  readonly #newHeaders: readonly BlockHeader[];
  readonly #ledger: StoredLedgerView;
  readonly #forkHeight: number;
  /** Height of the newest block that the fork and our chain share completely. */
  readonly #sharedHeight: number;
  /** Effective balances of generators up to `#sharedHeight`, newest first. */
  readonly #balances = new Map<string, readonly BalanceChange[]>();

  /** @param newHeaders headers after the common block, oldest first */
  constructor(context: ForkContext, newHeaders: readonly BlockHeader[]) {
    const { reader, tip, common } = context;
    const height = reader.get(tables.blockIds, common)?.height;
    if (height === undefined) throw new RangeError("Common block is not on the chain");
    this.#context = context;
    this.#newHeaders = newHeaders;
    this.#ledger = new StoredLedgerView(reader);
    this.#forkHeight = height;
    // If the fork begins within a block, the states after that block differ.
    const endsBlock = height < tip.height || bytesEqual(common, tip.id);
    this.#sharedHeight = endsBlock ? height : height - 1;
  }

  /** Page 03 §12.4, rows 7 and 8. */
  headerRefusal(index: number): BlockRefusal | undefined {
    const { proofOfStake } = this.#context;
    return proofOfStake.headerRefusal(this.#headerAt, this.#forkHeight + index, this.#newHeaders[index]);
  }

  /** Checks only the first block: the fork may change scripts of later generators. Page 03 §12.4, row 2. */
  scriptRefusal(index: number): BlockRefusal | undefined {
    if (index > 0) return undefined;
    const block = this.#newHeaders[index];
    const generator = this.#address(block);
    const state = this.#ledger.script(generator);
    if (state === undefined || state.height > this.#sharedHeight || !isScripted(this.#ledger, generator))
      return undefined;
    return scriptedRefusal(block, generator);
  }

  /** Checks an upper bound of the generating balance. Page 03 §12.4, row 5. */
  balanceRefusal(index: number): BlockRefusal | undefined {
    const max = this.#maxBalance(index);
    if (max === undefined) return undefined;
    const { proofOfStake } = this.#context;
    return proofOfStake.balanceRefusal(this.#newHeaders[index], max, this.#minRequired(index));
  }

  /** Checks the delay, with an upper bound of the generating balance. Page 03 §12.4, row 9. */
  delayRefusal(index: number): BlockRefusal | undefined {
    const max = this.#maxBalance(index);
    if (max === undefined) return undefined;
    const { proofOfStake } = this.#context;
    return proofOfStake.delayRefusal(this.#headerAt, this.#forkHeight + index, this.#newHeaders[index], max);
  }

  readonly #headerAt: HeaderAt = (height) =>
    height > this.#forkHeight
      ? this.#newHeaders[height - this.#forkHeight - 1]
      : this.#context.reader.get(tables.headers, height);

  #address({ generator }: BlockHeader): Uint8Array {
    return addressOf(generator, this.#context.rules.chainId);
  }

  #maxBalance(index: number): bigint | undefined {
    const { first } = generatingBalanceWindow(this.#forkHeight + index);
    const last = this.#sharedHeight;
    if (first > last) return undefined;
    return minimumBalance(this.#changesOf(this.#address(this.#newHeaders[index])), first, last);
  }

  #changesOf(address: Uint8Array): readonly BalanceChange[] {
    const key = bytesKey(address);
    const cached = this.#balances.get(key);
    if (cached !== undefined) return cached;
    const { first } = generatingBalanceWindow(this.#forkHeight);
    const changes: BalanceChange[] = [];
    for (const { height, account } of this.#ledger.accountPoints(address, first, this.#sharedHeight))
      changes.push({ height, balance: wrappingEffectiveBalance(account) });
    this.#balances.set(key, changes);
    return changes;
  }

  /** Returns the lowest minimum that row 5 can require, units. */
  #minRequired(index: number): bigint {
    const { rules, proofOfStake } = this.#context;
    const parent = this.#forkHeight + index;
    if (parent >= this.#forkHeight + windowLength(rules.functionality, this.#forkHeight))
      return minimumGeneratingBalance(true);
    return proofOfStake.minimumBalance(this.#ledger, parent);
  }
}
