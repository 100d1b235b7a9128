/** What is known of the proofs of transactions: each signature is checked once. */
import type { PublicKey } from "../crypto/key-types.ts";
import { verify } from "../crypto/signatures.ts";
import { bodyBytes, type Transaction } from "../transactions/index.ts";
import { type Signer, verdictIn, withVerdict } from "./verdict-bits.ts";

/**
 * Whether a proof is a valid signature of a key over the body of a transaction. `proof` is its place among the
 * transaction's proofs, `key` the transaction's sender or sponsor. It is asked at its place in the order of the checks
 * (page 05 §10), and is never itself a refusal: scripts and kinds of keys depend on the state.
 */
export type Verdicts = (transaction: Transaction, proof: number, key: PublicKey) => boolean;

/** Checks the signature on the spot, and keeps nothing. Never throws. */
export const verifyProof: Verdicts = (transaction, proof, key) =>
  verify(key, bodyBytes(transaction), transaction.proofs[proof]);

/** Whom a key of a transaction belongs to. */
export function signerOf(transaction: Transaction, key: PublicKey): Signer {
  return key === transaction.sponsor ? "sponsor" : "sender";
}

/** By the object: it goes from the pool into a block and back, and what is known of it goes with it. */
const knownBits = new WeakMap<Transaction, number>();

/** Whether somebody has looked at the proofs of a transaction. */
export function hasVerdicts(transaction: Transaction): boolean {
  return knownBits.has(transaction);
}

/** Keeps what was found out about the proofs of a transaction, as bits, beside what is known. */
export function rememberVerdicts(transaction: Transaction, bits: number): void {
  if (bits !== 0) knownBits.set(transaction, (knownBits.get(transaction) ?? 0) | bits);
}

/** What was found out already; what nobody has looked at is checked on the spot, and kept as well. Never throws. */
export const rememberedVerdicts: Verdicts = (transaction, proof, key) => {
  const bits = knownBits.get(transaction) ?? 0;
  const signer = signerOf(transaction, key);
  const verdict = verdictIn(bits, proof, signer);
  if (verdict !== undefined) return verdict;
  const valid = verifyProof(transaction, proof, key);
  knownBits.set(transaction, withVerdict(bits, proof, signer, valid));
  return valid;
};
