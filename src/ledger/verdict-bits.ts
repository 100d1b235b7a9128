/**
 * Verdicts on the proofs of one transaction, as one word. A file of its own, because checking threads load little
 * else.
 */

/** The role in which a proof is checked. */
export type Signer = "sender" | "sponsor";

/** Two bits each for sender and sponsor: known, valid. */
const BITS_PER_PROOF = 4;
/** A transaction has at most eight proofs. */
const MAX_PROOFS = 8;

function shiftOf(proof: number, signer: Signer): number {
  return proof * BITS_PER_PROOF + (signer === "sender" ? 0 : 2);
}

/** Returns the verdict in the bits; undefined if there is none. */
export function verdictIn(bits: number, proof: number, signer: Signer): boolean | undefined {
  if (proof >= MAX_PROOFS) return undefined;
  const two = bits >>> shiftOf(proof, signer);
  return (two & 1) === 0 ? undefined : (two & 2) !== 0;
}

export function withVerdict(bits: number, proof: number, signer: Signer, valid: boolean): number {
  return proof >= MAX_PROOFS ? bits : bits | ((valid ? 3 : 1) << shiftOf(proof, signer));
}
