/** Page 05 §8, §9. */
import { INT64_MIN, safeSum } from "../bytes/int64.ts";
import { type FeeShares, feeShares, miningReward } from "../consensus/rewards.ts";
import { Feature } from "../profiles/features.ts";
import { ScriptWork } from "../script/index.ts";
import { definitionOf, type Transaction } from "../transactions/index.ts";
import { Deltas } from "./account.ts";
import { applyOutcome } from "./apply.ts";
import { activationHeight, type Era, eraAt, isFeatureActive, type LedgerRules } from "./era.ts";
import { effectiveFee } from "./fees.ts";
import {
  type Capacity,
  capacityAfter,
  isExceeded,
  limitRefusal,
  MAX_BLOCK_SIZE,
  MAX_POOL_SCRIPT_WORK,
  MAX_SCRIPT_RUNS,
} from "./limits.ts";
import { persistBlock } from "./persist.ts";
import { Refusal } from "./refusal.ts";
import { countsAsScripted } from "./scripts/counts-as-scripted.ts";
import type { BlockFacts, BlockTotals, LedgerView, LedgerWriter } from "./state.ts";
import { type Outcome, type ValidationContext, validateWithScript } from "./validate.ts";

interface KeyBlock extends BlockFacts {
  readonly transactions: readonly Transaction[];
}

interface ApplyOptions extends Pick<ValidationContext, "verdicts" | "idsForgottenAt"> {
  /** The first transaction's position in the whole block; 0 by default. */
  readonly firstPosition?: number | undefined;
}

export interface AppliedTransaction {
  readonly transaction: Transaction;
  readonly id: Uint8Array;
  /** Position in the whole block, from 0. */
  readonly position: number;
  readonly effectiveFee: bigint;
  /** The payer of the fee, if not the sender. */
  readonly effectiveSponsor: Uint8Array | undefined;
  /** Addresses for which the transaction is listed. Paying the fee adds no address. Page 05 §7. */
  readonly addresses: readonly Uint8Array[];
}

/**
 * Appends a key block as child of the tip, then persists the parent if it is liquid (page 05 §23.8). The caller has
 * made the static checks and verified the signature, and must discard all writes after a refusal.
 */
export function appendKeyBlock(
  ledger: LedgerWriter,
  block: KeyBlock,
  rules: LedgerRules,
  options: ApplyOptions = {},
): readonly AppliedTransaction[] | Refusal {
  const parentHeight = ledger.height;
  const height = parentHeight + 1;
  const era = eraAt(ledger, rules, height);
  const parent = ledger.blockTotals(parentHeight);
  const burnedBefore = parent?.burned ?? 0n;
  const closing = parent?.closing ?? 0n;
  const reward = miningReward(
    rules.functionality,
    activationHeight(ledger, rules, Feature.Juicy),
    height,
    burnedBefore,
  );
  // The newest persisted block decides: the grandparent, while the parent is liquid.
  const limitsScripts = isFeatureActive(ledger, rules, Feature.SmartAccounts, ledger.persistedHeight);

  const { timestamp, generator, features, feeVote } = block;
  ledger.beginBlock(height, { timestamp, generator, features, feeVote });
  const unit = new Unit(ledger, era, generator, timestamp, {
    burned: burnedBefore - reward,
    closing: 0n,
    fees: 0n,
    burnedFees: 0n,
    miningReward: reward,
    generatorReward: reward + closing,
    sizeLeft: MAX_BLOCK_SIZE,
    scriptsLeft: limitsScripts ? MAX_SCRIPT_RUNS : undefined,
  });
  // The generator can spend its reward in its own block.
  unit.creditGenerator(closing + reward);
  const applied = unit.apply(block.transactions, undefined, options);
  if (applied instanceof Refusal) return applied;
  unit.finish();
  if (ledger.persistedHeight < parentHeight) {
    persistBlock(ledger, rules);
    unit.recalculateClosing(eraAt(ledger, rules, height), block.transactions);
  }
  return applied;
}

/**
 * Appends a micro block to the liquid block. The caller has checked reference, generator and signature, and must
 * discard all writes after a refusal.
 * @throws RangeError if there is no liquid block
 */
export function appendMicroBlock(
  ledger: LedgerWriter,
  transactions: readonly Transaction[],
  rules: LedgerRules,
  options: ApplyOptions = {},
): readonly AppliedTransaction[] | Refusal {
  const { height } = ledger;
  const facts = ledger.blockFacts(height);
  const totals = ledger.blockTotals(height);
  if (facts === undefined || totals === undefined || ledger.persistedHeight >= height) {
    throw new RangeError("Cannot append a micro block: there is no liquid block");
  }
  const unit = new Unit(ledger, eraAt(ledger, rules, height), facts.generator, facts.timestamp, totals, true);
  const applied = unit.apply(transactions, rules.maxTransactionsInMicroBlock, options);
  if (!(applied instanceof Refusal)) unit.finish();
  return applied;
}

/**
 * Returns the context for the pool and for packing, with a limit of script work. Page 05 §24.2.
 * @param blockTimestamp ms; in the pool, the corrected clock
 */
export function poolContext(
  view: LedgerView,
  rules: LedgerRules,
  blockTimestamp: bigint,
): ValidationContext & { readonly work: ScriptWork } {
  return {
    era: eraAt(view, rules, view.height),
    blockTimestamp,
    parentTimestamp: view.blockFacts(view.height)?.timestamp,
    refuseEveryDuplicate: true,
    work: new ScriptWork(MAX_POOL_SCRIPT_WORK),
  };
}

/** A key block or micro block that is being appended. */
class Unit {
  /** Amounts that start unbonding, by address. The field `balance` holds them. */
  readonly #unbonding = new Deltas();
  /** True if credits overflowed the generator's balance, which then stays INT64_MIN. Page 05 §17. */
  #hasOverflowed: boolean;
  readonly #totals: { -readonly [Name in keyof BlockTotals]: BlockTotals[Name] };
  /** Cached, because most transactions pay the same fee. */
  #lastShares: { readonly fee: bigint; readonly shares: FeeShares } | undefined;

  readonly #ledger: LedgerWriter;
  readonly #era: Era;
  readonly #generator: Uint8Array;
  readonly #timestamp: bigint;

  constructor(
    ledger: LedgerWriter,
    era: Era,
    generator: Uint8Array,
    timestamp: bigint,
    totals: BlockTotals,
    isMicroBlock = false,
  ) {
    this.#ledger = ledger;
    this.#era = era;
    this.#generator = generator;
    this.#timestamp = timestamp;
    this.#totals = { ...totals };
    this.#hasOverflowed =
      isMicroBlock && totals.generatorReward > 0n && ledger.account(generator).balance === INT64_MIN;
  }

  creditGenerator(amount: bigint): void {
    if (amount === 0n || this.#hasOverflowed) return;
    const { balance: before, leaseIn, leaseOut, unbonding } = this.#ledger.account(this.#generator);
    const balance = safeSum(before, amount);
    this.#hasOverflowed = balance === INT64_MIN;
    this.#ledger.setAccount(this.#generator, { balance, leaseIn, leaseOut, unbonding });
  }

  /**
   * Stops at the first refusal.
   * @param microBlockLimit maximum number of transactions; undefined for a key block
   */
  apply(
    transactions: readonly Transaction[],
    microBlockLimit: number | undefined,
    options: ApplyOptions,
  ): readonly AppliedTransaction[] | Refusal {
    const ledger = this.#ledger;
    const era = this.#era;
    const totals = this.#totals;
    const context: ValidationContext = {
      era,
      blockTimestamp: this.#timestamp,
      parentTimestamp: ledger.blockFacts(era.height - 1)?.timestamp,
      verdicts: options.verdicts,
      idsForgottenAt: options.idsForgottenAt,
    };
    const { sizeLeft: size, scriptsLeft: scripts } = totals;
    const initial: Capacity = { size, scripts, transactions: microBlockLimit };
    const scriptChanges: Uint8Array[] | undefined = microBlockLimit === undefined ? undefined : [];
    const applied: AppliedTransaction[] = [];
    let position = options.firstPosition ?? 0;
    let capacity = initial;
    for (const transaction of transactions) {
      const script = ledger.script(transaction.senderAddress);
      const runsScript =
        definitionOf(transaction).hasSender &&
        countsAsScripted(ledger, transaction.senderAddress, script, scriptChanges);
      capacity = capacityAfter(capacity, transaction, runsScript);
      if (isExceeded(capacity)) return limitRefusal(initial, capacity);
      const outcome = validateWithScript(ledger, transaction, context, script?.script);
      if (outcome instanceof Refusal) return outcome;
      applyOutcome(ledger, outcome);
      this.#addToTotals(outcome);
      if (outcome.effect.change?.kind === "script") scriptChanges?.push(transaction.senderAddress);
      applied.push({
        transaction,
        id: outcome.id,
        position: position++,
        effectiveFee: outcome.effectiveFee,
        effectiveSponsor: outcome.effectiveSponsor,
        addresses: addressesOf(outcome),
      });
    }
    totals.sizeLeft = capacity.size;
    totals.scriptsLeft = capacity.scripts;
    return applied;
  }

  #addToTotals({ effect, effectiveFee: fee }: Outcome): void {
    const { opener, closer, burned } = this.#sharesOf(fee);
    const totals = this.#totals;
    this.creditGenerator(opener);
    totals.fees += fee;
    totals.closing += closer;
    totals.burnedFees += burned;
    totals.generatorReward += opener;
    totals.burned += burned + effect.burned;
    for (const delta of effect.deltas.list) {
      if (delta.unbonding > 0n) this.#unbonding.add(delta.address, delta.unbonding);
    }
  }

  #sharesOf(fee: bigint): FeeShares {
    if (this.#lastShares?.fee !== fee) this.#lastShares = { fee, shares: feeShares(fee, this.#era) };
    return this.#lastShares.shares;
  }

  finish(): void {
    const { list } = this.#unbonding;
    if (list.length > 0) {
      this.#ledger.addUnbondingStarted(list.map(({ address, balance }) => ({ address, amount: balance })));
    }
    this.#writeTotals();
  }

  /**
   * Recalculates the next generator's part of the fees. If a voting period has only one block, persisting the parent
   * can change the rules of this block.
   */
  recalculateClosing(era: Era, transactions: readonly Transaction[]): void {
    if (
      transactions.length === 0 ||
      (era.feePrice === this.#era.feePrice &&
        era.juicy === this.#era.juicy &&
        era.burnFeature === this.#era.burnFeature)
    )
      return;
    this.#totals.closing = 0n;
    for (const transaction of transactions) {
      this.#totals.closing += feeShares(effectiveFee(transaction, era), era).closer;
    }
    this.#writeTotals();
  }

  #writeTotals(): void {
    this.#ledger.setBlockTotals(this.#era.height, { ...this.#totals });
  }
}

function addressesOf({ effect, listedCount }: Outcome): Uint8Array[] {
  // `push` would allocate room for 17.
  const addresses: Uint8Array[] = new Array(listedCount);
  for (let i = 0; i < listedCount; i++) addresses[i] = effect.deltas.list[i].address;
  return addresses;
}
