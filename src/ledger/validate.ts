/** Checks transactions against the state, in protocol order. Page 05 §10. */
import { encodeBase58 } from "../bytes/base58.ts";
import { bytesEqual } from "../bytes/compare.ts";
import { int64, safeSum } from "../bytes/int64.ts";
import type { PublicKey } from "../crypto/key-types.ts";
import type { ScriptWork } from "../script/index.ts";
import { definitionOf, type Transaction, transactionId } from "../transactions/index.ts";
import { checkActivation } from "./activation.ts";
import { accountsAfter } from "./balance-check.ts";
import type { Effect } from "./effect.ts";
import type { Era } from "./era.ts";
import { effectiveFee, minimumFee } from "./fees.ts";
import { checkProofs } from "./proofs.ts";
import { genericError, Refusal, refuse } from "./refusal.ts";
import { ruleOf } from "./registry.ts";
import type { Account, LedgerView } from "./state.ts";
import { type Verdicts, verifyProofOnce } from "./verdicts.ts";

/** How far a transaction's timestamp may be after its block's, ms. */
export const MAX_AHEAD_MS = 5_400_000n;
/** How far a transaction's timestamp may be before that of its block's parent, ms. */
const MAX_BEHIND_MS = 7_200_000n;

export interface ValidationContext {
  /** At the block's height; in the pool, at the height of the tip. */
  readonly era: Era;
  /** For a micro block, its key block's; in the pool, the clock. */
  readonly blockTimestamp: bigint;
  /** For a micro block, the last persisted block's; in the pool, the last key block's. Undefined in the first block. */
  readonly parentTimestamp: bigint | undefined;
  /** Default: `verifyProofOnce`. */
  readonly verdicts?: Verdicts | undefined;
  /** Set only in the pool, because blocks have no work limit. */
  readonly work?: ScriptWork | undefined;
  /**
   * True for the pool and for packing, which refuse every known id. In other nodes' blocks, some ids are valid again
   * two hours after the transaction's timestamp. Page 05 §10.7.
   */
  readonly refuseEveryDuplicate?: boolean | undefined;
  /**
   * The node forgets ids of transactions dated over two hours before this time, ms. Default: the block's timestamp. For
   * a key block that competes with the liquid block: the liquid block's timestamp, as in the reference. Page 05 §10.7.
   */
  readonly idsForgottenAt?: bigint | undefined;
}

export interface Outcome {
  readonly transaction: Transaction;
  readonly id: Uint8Array;
  /** Includes the payment of the fee. */
  readonly effect: Effect;
  /** Accounts of `effect.deltas.list` after the transaction, in the same order. */
  readonly accounts: readonly Account[];
  /** The transaction is listed for this many addresses: the first ones in `effect.deltas.list`. */
  readonly listedCount: number;
  /** In units. Page 05 §12.6. */
  readonly effectiveFee: bigint;
  /** Undefined if the sender pays. */
  readonly effectiveSponsor: Uint8Array | undefined;
}

/** Validates a transaction after the static checks (page 02 §7). Writes nothing. */
export function validateTransaction(
  view: LedgerView,
  transaction: Transaction,
  context: ValidationContext,
): Outcome | Refusal {
  return validateWithScript(view, transaction, context, view.script(transaction.senderAddress)?.script);
}

/** Like `validateTransaction`, for a caller that has already read the sender's script. */
export function validateWithScript(
  view: LedgerView,
  transaction: Transaction,
  context: ValidationContext,
  script: Uint8Array | undefined,
): Outcome | Refusal {
  const outcome = validate(view, transaction, context, script);
  return outcome instanceof Refusal ? outcome.withTransaction(transaction) : outcome;
}

function validate(
  view: LedgerView,
  transaction: Transaction,
  context: ValidationContext,
  script: Uint8Array | undefined,
): Outcome | Refusal {
  const { era } = context;
  const refusal =
    checkKeyTypes(transaction, era) ??
    checkProofs(view, transaction, script, era, context.verdicts ?? verifyProofOnce, context.work) ??
    checkTimestamp(transaction, context) ??
    checkActivation(transaction, era) ??
    checkDuplicate(view, transaction, context) ??
    checkSendable(view, transaction);
  if (refusal !== undefined) return refusal;
  const minimum = minimumFee(transaction, era);
  const feeRefusal = checkFee(transaction, minimum);
  if (feeRefusal !== undefined) return feeRefusal;

  const effect = ruleOf(transaction).effect(view, transaction, era);
  if (effect instanceof Refusal) return effect;
  const listedCount = effect.deltas.list.length;

  const fee = effectiveFee(transaction, era, minimum);
  let effectiveSponsor: Uint8Array | undefined;
  if (definitionOf(transaction).hasSender) {
    const account = transaction.sponsorAddress ?? transaction.senderAddress;
    // The account's newest sponsor that can afford the fee pays it, otherwise the account. Page 05 §16.
    const payer = view.payingSponsor(account, fee) ?? account;
    effect.deltas.add(payer, -fee);
    if (!bytesEqual(payer, transaction.senderAddress)) effectiveSponsor = payer;
  }

  const accounts = accountsAfter(view, effect.deltas);
  if (accounts instanceof Refusal) return accounts;
  const id = transactionId(transaction);
  return { transaction, id, effect, accounts, listedCount, effectiveFee: fee, effectiveSponsor };
}

/** Step 1. Page 05 §10.1. */
function checkKeyTypes(transaction: Transaction, era: Era): Refusal | undefined {
  return (
    checkKeyType(transaction.sender, transaction, era) ??
    (transaction.sponsor === undefined ? undefined : checkKeyType(transaction.sponsor, transaction, era))
  );
}

function checkKeyType({ keyType }: PublicKey, transaction: Transaction, era: Era): Refusal | undefined {
  if (keyType === "ed25519") return undefined;
  const isBls = keyType === "bls12-381";
  if (!isBls && era.cobaltAlloy) return undefined;
  // The reference prints an internal object instead of the id.
  const id = encodeBase58(transactionId(transaction));
  const subject = isBls ? "key type" : `key type ${keyType}`;
  return refuse("UnsupportedKeyType", `Transaction with id ${id} ${subject} not supported.`);
}

/** Steps 3 and 4. Both differences wrap at 64 bits. Page 05 §10.2, §10.3. */
function checkTimestamp({ timestamp }: Transaction, context: ValidationContext): Refusal | undefined {
  const { blockTimestamp, parentTimestamp } = context;
  if (int64(timestamp - blockTimestamp) > MAX_AHEAD_MS) {
    return refuse(
      "Mistiming",
      `Transaction ts ${timestamp} is from far future. BlockTime: ${blockTimestamp}`,
    );
  }
  if (parentTimestamp !== undefined && int64(parentTimestamp - timestamp) > MAX_BEHIND_MS) {
    const before = `Previous block time: Some(${parentTimestamp})`;
    return refuse("Mistiming", `Transaction ts ${timestamp} is too old. ${before}`);
  }
  return undefined;
}

/** Step 6. Page 05 §10.5, §10.7. */
function checkDuplicate(
  view: LedgerView,
  transaction: Transaction,
  context: ValidationContext,
): Refusal | undefined {
  const id = transactionId(transaction);
  const known = view.knownTransaction(id);
  if (known === undefined) return undefined;
  if (
    context.refuseEveryDuplicate !== true &&
    known.height < context.era.height - 1 &&
    int64((context.idsForgottenAt ?? context.blockTimestamp) - known.timestamp) > MAX_BEHIND_MS
  ) {
    return undefined;
  }
  // The reference always prints height 0 here.
  return refuse("AlreadyInTheState", encodeBase58(id), 0);
}

/** The sender must own the sent amount plus the declared fee, even if a sponsor pays. Step 7, page 05 §10.6. */
function checkSendable(view: LedgerView, transaction: Transaction): Refusal | undefined {
  const amount = ruleOf(transaction).sentAmount?.(transaction);
  if (amount === undefined) return undefined;
  const spends = safeSum(-amount, -transaction.fee);
  const { balance } = view.account(transaction.senderAddress);
  const result = int64(balance + spends);
  if (result >= 0n) return undefined;
  return genericError(
    `Attempt to transfer unavailable funds: Transaction application leads to negative lto balance to (at least) temporary negative state, current balance equals ${balance}, spends equals ${spends}, result is ${result}`,
  );
}

/** Step 8. Page 05 §12.6. */
function checkFee(transaction: Transaction, minimum: bigint | undefined): Refusal | undefined {
  if (minimum === undefined) return refuse("UnsupportedTransactionType");
  if (transaction.fee >= minimum) return undefined;
  return refuse("InsufficientFee", `Not enough fee, actual: ${transaction.fee} required: ${minimum}`);
}
