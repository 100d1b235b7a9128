/** Static rules: page 02 §7, §10; page 05 §11. */
import { bytesEqual, bytesKey } from "../bytes/compare.ts";
import { fitsInt64 } from "../bytes/int64.ts";
import type { TransactionBase } from "./base.ts";
import { type DataEntry, entryLength, hasAllowedLengths, MAX_ENTRIES } from "./data-entry.ts";
import {
  genericError,
  insufficientFee,
  negativeAmount,
  overflowError,
  tooBigArray,
  unsupportedFeature,
  type ValidationError,
} from "./errors.ts";

export type Check<T> = (tx: T) => ValidationError | undefined;

export function rule<T>(
  holds: (tx: T) => boolean,
  error: ValidationError | ((tx: T) => ValidationError),
): Check<T> {
  return (tx) => {
    if (holds(tx)) return undefined;
    return typeof error === "function" ? error(tx) : error;
  };
}

/** Rule FEE: page 02 §7. */
export const feePositive: Check<TransactionBase> = rule((tx) => tx.fee > 0n, insufficientFee);

/** Rule SPONSOR: page 02 §7. */
export const sponsorNeedsVersion3: Check<TransactionBase> = rule(
  (tx) => tx.sponsor === undefined || tx.version >= 3,
  (tx) => unsupportedFeature(`Sponsored transaction not supported for tx v${tx.version}`),
);

/** Rule PROOFS1: page 02 §7. */
export const oneProofInVersion1: Check<TransactionBase> = rule(
  (tx) => tx.proofs.length <= 1 || tx.version > 1,
  unsupportedFeature("Multiple proofs not supported for tx v1"),
);

/** Rule KEYTYPE: page 02 §7. */
export const keyTypeNeedsVersion3: Check<TransactionBase> = rule(
  (tx) => tx.sender.keyType === "ed25519" || tx.version >= 3,
  (tx) => unsupportedFeature(`Sender key type ${tx.sender.keyType} not supported for tx v${tx.version}`),
);

export const amountPositive: Check<{ readonly amount: bigint }> = rule(
  (tx) => tx.amount > 0n,
  (tx) => negativeAmount(tx.amount),
);

export const amountAndFeeFit: Check<{ readonly amount: bigint; readonly fee: bigint }> = rule(
  (tx) => fitsInt64(tx.amount + tx.fee),
  overflowError,
);

export function notToSelf(
  error: ValidationError,
): Check<{ readonly senderAddress: Uint8Array; readonly recipient: Uint8Array }> {
  return rule((tx) => !bytesEqual(tx.senderAddress, tx.recipient), error);
}

/** In bytes. */
export const MAX_ATTACHMENT_LENGTH = 140;

export const attachmentFits: Check<{ readonly attachment: Uint8Array }> = rule(
  (tx) => tx.attachment.length <= MAX_ATTACHMENT_LENGTH,
  tooBigArray,
);

/** In bytes. */
export const MAX_SUBJECT_LENGTH = 256;

export const subjectFits: Check<{ readonly subject?: Uint8Array | undefined }> = rule(
  (tx) => tx.subject === undefined || tx.subject.length <= MAX_SUBJECT_LENGTH,
  genericError(`Subject length must be <= ${MAX_SUBJECT_LENGTH} bytes`),
);

/** From version 3 on, the bytes cannot encode an empty subject. */
export const subjectNotEmptyFromVersion3: Check<{
  readonly version: number;
  readonly subject?: Uint8Array | undefined;
}> = rule(
  (tx) => tx.version < 3 || tx.subject === undefined || tx.subject.length > 0,
  genericError("Subject length must not be 0 bytes"),
);

export const associationTypeFits: Check<{ readonly version: number; readonly associationType: bigint }> =
  rule(
    (tx) => tx.version >= 4 || BigInt.asIntN(32, tx.associationType) === tx.associationType,
    (tx) => genericError(`Association type must be a valid integer for v${tx.version}`),
  );

/**
 * @param texts error texts for empty and repeated keys
 * @param maxBytes maximum encoded length of all entries together
 */
export function entriesFit(
  texts: { readonly emptyKey: string; readonly sameKeys: string },
  maxBytes: number,
): Check<{ readonly data: readonly DataEntry[] }>[] {
  return [
    rule((tx) => tx.data.length <= MAX_ENTRIES && tx.data.every(hasAllowedLengths), tooBigArray),
    rule((tx) => tx.data.every((entry) => entry.key !== ""), genericError(texts.emptyKey)),
    rule(
      (tx) => new Set(tx.data.map((entry) => entry.key)).size === tx.data.length,
      genericError(texts.sameKeys),
    ),
    rule((tx) => tx.data.reduce((sum, entry) => sum + entryLength(entry), 0) <= maxBytes, tooBigArray),
  ];
}

export function areDistinct(list: readonly Uint8Array[]): boolean {
  return list.length < 2 || new Set(list.map(bytesKey)).size === list.length;
}
