/** The list of proofs behind a transaction. Page 02 §4.2, §6. */
import type { ByteReader } from "../bytes/reader.ts";
import type { ByteWriter } from "../bytes/writer.ts";
import { errorText, genericError, TransactionParseError, type ValidationError } from "./errors.ts";
import { int16At, slice } from "./lenient.ts";

const VERSION = 1;
const MAX_PROOFS = 8;
const MAX_PROOF_LENGTH = 64;

/** What is wrong with the number of proofs or the length of one, if anything. */
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
 * The proofs in everything that is left. Lenient: what follows them is ignored, the last one may be cut
 * short, one with a negative length is empty and moves the reader back.
 * @throws TransactionParseError
 */
export function readProofs(reader: ByteReader): Uint8Array[] {
  const bytes = reader.rest();
  if (bytes[0] !== VERSION) {
    const actual = bytes.length === 0 ? "None" : `Some(${(bytes[0] << 24) >> 24})`;
    fail(genericError(`Proofs version must be ${VERSION}, actual:${actual}`));
  }
  const proofs = readArrays(bytes.subarray(1));
  const error = proofsError(proofs);
  if (error !== undefined) fail(error);
  return proofs;
}

function readArrays(bytes: Uint8Array): Uint8Array[] {
  const arrays: Uint8Array[] = [];
  try {
    let at = 2;
    for (let left = int16At(bytes, 0); left > 0; left--) {
      const length = int16At(slice(bytes, at, at + 2), 0);
      arrays.push(slice(bytes, at + 2, at + 2 + length));
      at += 2 + length;
    }
  } catch (error) {
    if (!(error instanceof TransactionParseError)) throw error;
    fail(genericError(`java.lang.IllegalArgumentException: ${error.message}`));
  }
  return arrays;
}

/** Version, count and proofs. */
export function writeProofs(writer: ByteWriter, proofs: readonly Uint8Array[]): void {
  writer.u8(VERSION).u16(proofs.length);
  for (const proof of proofs) writer.u16(proof.length).bytes(proof);
}
