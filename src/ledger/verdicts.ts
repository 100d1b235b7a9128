/** Checks each signature once, by caching the results. */
import type { PublicKey } from "../crypto/key-types.ts";
import { verify } from "../crypto/signatures.ts";
import { bodyBytes, type Transaction } from "../transactions/index.ts";
import { type Signer, verdictIn, withVerdict } from "./verdict-bits.ts";

/** Returns true if a proof (by index) is a signature of the transaction's body by the key. */
export type Verdicts = (transaction: Transaction, proof: number, key: PublicKey) => boolean;

/** Never throws. */
export const verifyProof: Verdicts = (transaction, proof, key) =>
  verify(key, bodyBytes(transaction), transaction.proofs[proof]);

/**
 * Accepts every proof, for a block that the operator trusts (`--assume-valid`). With this function, `checkProofs` does
 * not run account scripts either.
 */
export const assumedValid: Verdicts = () => true;

export function signerOf(transaction: Transaction, key: PublicKey): Signer {
  return key === transaction.sponsor ? "sponsor" : "sender";
}

/** Bits of `verdict-bits.ts` by transaction object. Pool and blocks share these objects. */
const cachedBits = new WeakMap<Transaction, number>();

export function hasVerdicts(transaction: Transaction): boolean {
  return cachedBits.has(transaction);
}

export function cacheVerdicts(transaction: Transaction, bits: number): void {
  if (bits !== 0) cachedBits.set(transaction, (cachedBits.get(transaction) ?? 0) | bits);
}

/** Like `verifyProof`, but caches the result. */
export const verifyProofOnce: Verdicts = (transaction, proof, key) => {
  const bits = cachedBits.get(transaction) ?? 0;
  const signer = signerOf(transaction, key);
  const verdict = verdictIn(bits, proof, signer);
  if (verdict !== undefined) return verdict;
  const valid = verifyProof(transaction, proof, key);
  cachedBits.set(transaction, withVerdict(bits, proof, signer, valid));
  return valid;
};
