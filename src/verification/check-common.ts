/** Imports only signatures and hashes, to load quickly. */
import { verifyEd25519 } from "../crypto/ed25519.ts";
import { blake2b256 } from "../crypto/sodium.ts";
import { BODY_AT, commonBodyLength, KEY_AT, looksCommon } from "./common-form.ts";
import type { VerificationBatch } from "./verification-batch.ts";

const KEY_LENGTH = 32;
const SIGNATURE_LENGTH = 64;

/** Not shared, because the signature check rejects shared memory. */
let scratch = new Uint8Array(128 * 1024);

/** The result begins with a copy of `bytes`; the next call overwrites it. */
function unsharedCopy(bytes: Uint8Array): Uint8Array {
  if (scratch.length < bytes.length) scratch = new Uint8Array(2 * bytes.length);
  scratch.set(bytes);
  return scratch;
}

/**
 * Checks the signature at the end of a block, micro block or message. The signature covers the key before it, except in
 * a message.
 */
export function checkBlock(batch: VerificationBatch, block: number): void {
  if (batch.isSigned(block)) return;
  const shared = batch.blockBytes(block);
  const signatureAt = shared.length - SIGNATURE_LENGTH;
  const bytes = unsharedCopy(shared);
  const keyAt = signatureAt - KEY_LENGTH;
  const key = bytes.subarray(keyAt, signatureAt);
  const signature = bytes.subarray(signatureAt, shared.length);
  const signed = bytes.subarray(0, batch.isMessage(block) ? keyAt : signatureAt);
  if (verifyEd25519(key, signed, signature)) batch.setSigned(block);
}

interface CommonParts {
  readonly key: Uint8Array;
  readonly body: Uint8Array;
  readonly signature: Uint8Array;
}

/** Views of `scratch` by the length of the transaction, because creating views is slow. */
let cachedParts: { readonly of: Uint8Array; readonly byLength: (CommonParts | undefined)[] } | undefined;
const MAX_CACHED_LENGTH = 1_024;

function partsOf(bytes: Uint8Array, length: number): CommonParts {
  if (cachedParts?.of !== bytes) cachedParts = { of: bytes, byLength: [] };
  const { byLength } = cachedParts;
  const cached = byLength[length];
  if (cached !== undefined) return cached;
  const parts = {
    key: bytes.subarray(KEY_AT, KEY_AT + KEY_LENGTH),
    body: bytes.subarray(BODY_AT, BODY_AT + commonBodyLength(length)),
    signature: bytes.subarray(length - SIGNATURE_LENGTH, length),
  };
  if (length <= MAX_CACHED_LENGTH) byLength[length] = parts;
  return parts;
}

/**
 * Checks the only proof of a transaction in the common form (`common-form.ts`) and stores its id. For other forms, only
 * returns false.
 */
export function checkCommon(batch: VerificationBatch, transaction: number): boolean {
  const shared = batch.transactionBytes(transaction);
  if (!looksCommon(shared)) return false;
  const { key, body, signature } = partsOf(unsharedCopy(shared), shared.length);
  batch.setIdOfGuessedForm(transaction, blake2b256(body));
  batch.setVerdict(transaction, 0, "sender", verifyEd25519(key, body, signature));
  return true;
}
