/**
 * Verdicts on a transaction's proofs, as bits of one number. In its own file, because checking threads load little
 * else.
 */

export type Signer = "sender" | "sponsor";

/** Two bits each for sender and sponsor: known, valid. */
const BITS_PER_PROOF = 4;
const MAX_PROOFS = 8;

function shiftOf(proof: number, signer: Signer): number {
  return proof * BITS_PER_PROOF + (signer === "sender" ? 0 : 2);
}

/** Returns undefined if the bits have no verdict. */
export function verdictIn(bits: number, proof: number, signer: Signer): boolean | undefined {
  if (proof >= MAX_PROOFS) return undefined;
  const two = bits >>> shiftOf(proof, signer);
  return (two & 1) === 0 ? undefined : (two & 2) !== 0;
}

export function withVerdict(bits: number, proof: number, signer: Signer, valid: boolean): number {
  return proof >= MAX_PROOFS ? bits : bits | ((valid ? 3 : 1) << shiftOf(proof, signer));
}
