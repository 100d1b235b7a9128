/** Verdicts on a transaction's proofs, as bits of one number. */

export type Signer = "sender" | "sponsor";

/** Two bits for the sender's key and two for the sponsor's: whether the proof was checked, and whether it is valid. */
const BITS_PER_PROOF = 4;
const MAX_PROOFS = 8;

function shiftOf(proof: number, signer: Signer): number {
  return proof * BITS_PER_PROOF + (signer === "sender" ? 0 : 2);
}

/** The verdict on a proof; undefined if it was not checked. */
export function verdictIn(bits: number, proof: number, signer: Signer): boolean | undefined {
  if (proof >= MAX_PROOFS) return undefined;
  const pair = bits >>> shiftOf(proof, signer);
  return (pair & 1) === 0 ? undefined : (pair & 2) !== 0;
}

/** Adds a verdict. Ignores proofs from `MAX_PROOFS` on. */
export function withVerdict(bits: number, proof: number, signer: Signer, valid: boolean): number {
  return proof >= MAX_PROOFS ? bits : bits | ((valid ? 3 : 1) << shiftOf(proof, signer));
}
