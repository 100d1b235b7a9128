/**
 * Most transactions have one form: version 3, one ed25519 signature, no sponsor. What is signed can be found in their
 * bytes without reading them, which halves what a checking thread does beside the check itself. It is a guess, by the
 * bytes at both ends: the writer, which reads every transaction, takes what was found out only where the guess was
 * right. Page 02 §3, §4.2.
 */
import { bodyBytes, type Transaction, transactionBytes } from "../../transactions/index.ts";

/** The body stands behind a zero byte: type, version, chain id, timestamp, then the sender with the type of its key. */
export const BODY_AT = 1;
const KEY_TYPE_AT = 12;
export const KEY_AT = KEY_TYPE_AT + 1;
const ED25519 = 1;
const FEE_LENGTH = 8;

/** Behind the body: no sponsor, version of the proofs, their number, length of the one. */
const TAIL = Uint8Array.of(0, 1, 0, 1, 0, 64);
const TAIL_LENGTH = TAIL.length + 64;
const SHORTEST = KEY_AT + 32 + FEE_LENGTH + TAIL_LENGTH;

/** Whether the bytes begin and end as those of a common transaction do. */
export function looksCommon(bytes: Uint8Array): boolean {
  const { length } = bytes;
  if (length < SHORTEST || bytes[0] !== 0 || bytes[2] !== 3 || bytes[KEY_TYPE_AT] !== ED25519) return false;
  const tail = length - TAIL_LENGTH;
  for (let i = 0; i < TAIL.length; i++) if (bytes[tail + i] !== TAIL[i]) return false;
  return true;
}

/** Length of the body of a common transaction of so many bytes. */
export function bodyLengthOfCommon(length: number): number {
  return length - TAIL_LENGTH - BODY_AT;
}

/** Whether a transaction that was read from `bytes`, which look common, is so: what was guessed is its own. */
export function isCommon(transaction: Transaction, bytes: Uint8Array): boolean {
  const { sender, sponsor, proofs } = transaction;
  const written = transactionBytes(transaction);
  if (sponsor !== undefined || proofs.length !== 1 || sender.keyType !== "ed25519") return false;
  if (Buffer.compare(written, bytes) !== 0) return false;
  // What is written as it was read consists of views of the same bytes: where they lie says what they are.
  const at = written.byteOffset;
  const body = bodyBytes(transaction);
  const [proof] = proofs;
  return (
    body.byteOffset === at + BODY_AT &&
    body.length === bodyLengthOfCommon(written.length) &&
    sender.bytes.byteOffset === at + KEY_AT &&
    proof.length === 64 &&
    proof.byteOffset === at + written.length - 64
  );
}
