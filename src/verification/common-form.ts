/**
 * Most transactions have one form: version 3, one ed25519 signature, no sponsor. What is signed can be found in their
 * bytes without reading them, which halves what a checking thread does beside the check itself. It is a guess, by the
 * bytes at both ends: the writer, which reads every transaction, takes what was found out only where the guess was
 * right. Page 02 §3, §4.2.
 */
/** The body stands behind a zero byte: type, version, chain id, timestamp, then the sender with the type of its key. */
export const BODY_AT = 1;
const KEY_TYPE_AT = 12;
export const KEY_AT = KEY_TYPE_AT + 1;
const ED25519 = 1;
const FEE_LENGTH = 8;
/** Type of the transactions that set a script. It is to be estimated by a checking thread, which has to read it. */
const SET_SCRIPT = 13;

/** Behind the body: no sponsor, version of the proofs, their number, length of the one. */
const TAIL = Uint8Array.of(0, 1, 0, 1, 0, 64);
const TAIL_LENGTH = TAIL.length + 64;
const MIN_LENGTH = KEY_AT + 32 + FEE_LENGTH + TAIL_LENGTH;

/** Whether the bytes begin and end as those of a common transaction do. */
export function looksCommon(bytes: Uint8Array): boolean {
  const { length } = bytes;
  if (length < MIN_LENGTH || bytes[0] !== 0 || bytes[2] !== 3 || bytes[KEY_TYPE_AT] !== ED25519) return false;
  if (bytes[1] === SET_SCRIPT) return false;
  const tail = length - TAIL_LENGTH;
  for (let i = 0; i < TAIL.length; i++) if (bytes[tail + i] !== TAIL[i]) return false;
  return true;
}

/** Length of the body of a common transaction of so many bytes. */
export function bodyLengthOfCommon(length: number): number {
  return length - TAIL_LENGTH - BODY_AT;
}
