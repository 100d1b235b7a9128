/** Verdicts on the proofs of one transaction in one word. It stands alone: threads that check load little else. */

/** Whose signature a proof is looked at as. */
export type Signer = "sender" | "sponsor";

/** Four for each proof, two for the sender and two for the sponsor: known, valid. */
const BITS_PER_PROOF = 4;
/** Room for eight proofs, the most there are. */
const MAX_PROOFS = 8;

function shiftOf(proof: number, signer: Signer): number {
  return proof * BITS_PER_PROOF + (signer === "sender" ? 0 : 2);
}

/** The verdict that the bits hold; undefined when nobody has looked. */
export function verdictIn(bits: number, proof: number, signer: Signer): boolean | undefined {
  if (proof >= MAX_PROOFS) return undefined;
  const two = bits >>> shiftOf(proof, signer);
  return (two & 1) === 0 ? undefined : (two & 2) !== 0;
}

/** The bits with one more verdict. */
export function withVerdict(bits: number, proof: number, signer: Signer, valid: boolean): number {
  return proof >= MAX_PROOFS ? bits : bits | ((valid ? 3 : 1) << shiftOf(proof, signer));
}
