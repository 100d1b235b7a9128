/** What a checking thread does nearly always, with nothing but signatures and hashes: it starts at once. */
import { ed25519Valid } from "../../crypto/ed25519.ts";
import { blake2b256 } from "../../crypto/sodium.ts";
import { BODY_AT, bodyLengthOfCommon, KEY_AT, looksCommon } from "./common-form.ts";
import type { SharedBatch } from "./shared-batch.ts";

const KEY_LENGTH = 32;
const SIGNATURE_LENGTH = 64;

/** Room for what is signed: signatures are not checked in shared memory. */
let scratch: Uint8Array = new Uint8Array(128 * 1024);
const key = new Uint8Array(KEY_LENGTH);
const signature = new Uint8Array(SIGNATURE_LENGTH);

function unsharedCopy(bytes: Uint8Array): Uint8Array {
  if (scratch.length < bytes.length) scratch = new Uint8Array(2 * bytes.length);
  scratch.set(bytes);
  return scratch.subarray(0, bytes.length);
}

/** Checks the signature of a block, which stands at the end of its bytes with the generator's key before it. */
export function checkBlock(batch: SharedBatch, block: number): void {
  const bytes = batch.blockBytes(block);
  const signatureAt = bytes.length - SIGNATURE_LENGTH;
  key.set(bytes.subarray(signatureAt - KEY_LENGTH, signatureAt));
  signature.set(bytes.subarray(signatureAt));
  if (ed25519Valid(key, unsharedCopy(bytes.subarray(0, signatureAt)), signature)) batch.setSigned(block);
}

/**
 * Checks the one proof of a transaction that looks common, and notes the id that it has if it is.
 * @returns false for one that does not look so
 */
export function checkCommon(batch: SharedBatch, transaction: number): boolean {
  const bytes = batch.transactionBytes(transaction);
  if (!looksCommon(bytes)) return false;
  const { length } = bytes;
  key.set(bytes.subarray(KEY_AT, KEY_AT + KEY_LENGTH));
  signature.set(bytes.subarray(length - SIGNATURE_LENGTH));
  const body = unsharedCopy(bytes.subarray(BODY_AT, BODY_AT + bodyLengthOfCommon(length)));
  batch.setGuessed(transaction, blake2b256(body));
  batch.setVerdict(transaction, 0, "sender", ed25519Valid(key, body, signature));
  return true;
}
