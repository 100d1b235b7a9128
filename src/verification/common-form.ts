/**
 * The common form of transactions: version 3, one ed25519 signature, no sponsor. A checker thread finds the signed
 * bytes without parsing. It guesses the form from a few bytes; the writer ignores results of wrong guesses. Page 02 §3,
 * §4.2.
 */
export const BODY_AT = 1;
const KEY_TYPE_AT = 12;
export const KEY_AT = KEY_TYPE_AT + 1;
const ED25519 = 1;
const FEE_LENGTH = 8;
/** Transactions that set a script must be parsed, because the parser estimates its cost. */
const SET_SCRIPT = 13;

/** Bytes between body and signature: no sponsor, version 1 of the proofs, one proof, 64 bytes long. */
const TAIL = Uint8Array.of(0, 1, 0, 1, 0, 64);
const TAIL_LENGTH = TAIL.length + 64;
const MIN_LENGTH = KEY_AT + 32 + FEE_LENGTH + TAIL_LENGTH;

export function looksCommon(bytes: Uint8Array): boolean {
  const { length } = bytes;
  if (length < MIN_LENGTH || bytes[0] !== 0 || bytes[2] !== 3 || bytes[KEY_TYPE_AT] !== ED25519) return false;
  if (bytes[1] === SET_SCRIPT) return false;
  const tail = length - TAIL_LENGTH;
  for (let i = 0; i < TAIL.length; i++) if (bytes[tail + i] !== TAIL[i]) return false;
  return true;
}

export function commonBodyLength(transactionLength: number): number {
  return transactionLength - TAIL_LENGTH - BODY_AT;
}
