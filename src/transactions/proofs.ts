/** Page 02 §4.2, §6. */
import { int8 } from "../bytes/int64.ts";
import type { ByteReader } from "../bytes/reader.ts";
import type { ByteWriter } from "../bytes/writer.ts";
import { clampedSlice } from "./data-entry.ts";
import { errorText, genericError, TransactionParseError, type ValidationError } from "./errors.ts";

const VERSION = 1;
const MAX_PROOFS = 8;
const MAX_PROOF_LENGTH = 64;

export function proofsError(proofs: readonly Uint8Array[]): ValidationError | undefined {
  if (proofs.length > MAX_PROOFS) return genericError(`Too many proofs, max ${MAX_PROOFS} proofs`);
  for (const proof of proofs) {
    if (proof.length > MAX_PROOF_LENGTH) {
      return genericError(`Too large proof, must be max ${MAX_PROOF_LENGTH} bytes`);
    }
  }
  return undefined;
}

function fail(error: ValidationError): never {
  throw new TransactionParseError(errorText(error));
}

/**
 * Ignores trailing bytes, and accepts a truncated last proof. A proof of negative length is empty, and the next one is
 * read from an earlier position.
 * @throws TransactionParseError
 */
export function readProofs(reader: ByteReader): Uint8Array[] {
  const bytes = reader.source;
  const start = reader.position;
  if (bytes[start] !== VERSION) {
    const actual = start >= bytes.length ? "None" : `Some(${int8(bytes[start])})`;
    fail(genericError(`Proofs version must be ${VERSION}, actual:${actual}`));
  }
  const proofs = readArrays(reader, start + 1);
  reader.skip(reader.remaining);
  const error = proofsError(proofs);
  if (error !== undefined) fail(error);
  return proofs;
}

function lengthAt(bytes: Uint8Array, start: number, at: number): number {
  // Like in the reference, bytes before the list do not count.
  const available = Math.min(at + 2, bytes.length) - Math.max(at, start);
  if (available < 2) {
    const text = `array too small: ${Math.max(available, 0)} < 2`;
    fail(genericError(`java.lang.IllegalArgumentException: ${text}`));
  }
  return ((bytes[at] << 24) >> 16) | bytes[at + 1];
}

function readArrays(reader: ByteReader, start: number): Uint8Array[] {
  const bytes = reader.source;
  const arrays: Uint8Array[] = [];
  const count = lengthAt(bytes, start, start);
  if (count < 0) reader.isNonCanonical = true;
  let at = start + 2;
  for (let left = count; left > 0; left--) {
    const length = lengthAt(bytes, start, at);
    const array = clampedSlice(bytes, at + 2, at + 2 + length, start);
    if (array.length !== length) reader.isNonCanonical = true;
    arrays.push(array);
    at += 2 + length;
  }
  if (at !== bytes.length) reader.isNonCanonical = true;
  return arrays;
}

export function writeProofs(writer: ByteWriter, proofs: readonly Uint8Array[]): void {
  writer.u8(VERSION).u16(proofs.length);
  for (const proof of proofs) writer.u16(proof.length).bytes(proof);
}
