import type { PublicKey } from "../crypto/key-types.ts";
import { type KeyPair, sign } from "../crypto/signatures.ts";
import { bodyBytes } from "./codec.ts";
import { TransactionRecord } from "./record.ts";
import { definitionOf, type Transaction } from "./registry.ts";

/** Members that are neither signed nor part of the id. */
interface Footer {
  readonly sponsor?: PublicKey | undefined;
  readonly proofs?: readonly Uint8Array[];
}

/** `sponsor: undefined` removes the sponsor. */
export function copyTransaction<T extends Transaction>(tx: T, footer: Footer): T {
  const record = new TransactionRecord(tx.type, tx.version, tx.chainId);
  record.timestamp = tx.timestamp;
  record.sender = tx.sender;
  record.fee = tx.fee;
  record.sponsor = "sponsor" in footer ? footer.sponsor : tx.sponsor;
  record.proofs = footer.proofs ?? tx.proofs;
  const members = tx as T & Record<string, unknown>;
  for (const name of definitionOf(tx).fields.keys()) record.set(name, members[name]);
  // All members of the type were copied.
  return record.complete(tx.chainId) as unknown as T;
}

/**
 * Appends a signature of the body to a copy's proofs. Page 02 §5.
 * @throws UnsupportedKeyTypeError
 */
export function signTransaction<T extends Transaction>(tx: T, keyPair: KeyPair): T {
  return copyTransaction(tx, { proofs: [...tx.proofs, sign(keyPair, bodyBytes(tx))] });
}
