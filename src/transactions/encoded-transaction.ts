/** A transaction on its way between parts of a node that share no objects: as bytes that say what they are. */

import { parseJson, printJson } from "../bytes/json.ts";
import { decodeUtf8, encodeUtf8 } from "../bytes/utf8.ts";
import { keyTypeInfo } from "../crypto/key-types.ts";
import { failed, ok } from "../errors/result.ts";
import type { NetworkRules } from "./base.ts";
import { reparseTransaction, transactionBytes } from "./codec.ts";
import { genericError, TransactionParseError } from "./errors.ts";
import { transactionJson } from "./json/json.ts";
import { type RequestResult, transactionFromRequest } from "./json/request.ts";
import { hasOneSignature, type Transaction } from "./registry.ts";

const SIGNATURE_LENGTH = 64;

/** A transaction as bytes. */
export interface EncodedTransaction {
  /**
   * `binary`: full bytes (page 02 §3). `json`: UTF-8 of the JSON of a request (page 02 §9), for a transaction that a
   * request can make and no bytes can hold, since a key or signature has another length than the layout. The rules
   * refuse it, each with its own text.
   */
  readonly form: "binary" | "json";
  readonly bytes: Uint8Array;
}

/** Whether the bytes of a transaction hold all of it: keys and signatures have the lengths that the layout has. */
function hasBytes(transaction: Transaction): boolean {
  const { sender, sponsor, proofs } = transaction;
  const keys = sponsor === undefined ? [sender] : [sender, sponsor];
  if (keys.some(({ keyType, bytes }) => bytes.length !== keyTypeInfo(keyType).publicKeyLength)) return false;
  if (!hasOneSignature(transaction)) return true;
  return proofs.length === 1 && proofs[0].length === SIGNATURE_LENGTH;
}

/** The transaction as bytes, in the first form that holds all of it. Do not change them. */
export function encodeTransaction(transaction: Transaction): EncodedTransaction {
  if (hasBytes(transaction)) return { form: "binary", bytes: transactionBytes(transaction) };
  const json = transactionJson(transaction);
  // A signature of no characters would be one.
  if (transaction.proofs.length === 0) json.delete("signature");
  return { form: "json", bytes: encodeUtf8(printJson(json)) };
}

/**
 * The transaction that was sent; or why there is none: what was built from a request can be valid by itself and still
 * not survive its own bytes.
 */
export function decodeTransaction({ form, bytes }: EncodedTransaction, network: NetworkRules): RequestResult {
  if (form === "json") return transactionFromRequest(parseJson(decodeUtf8(bytes)), { network });
  try {
    return ok({ transaction: reparseTransaction(bytes, network), signers: [] });
  } catch (error) {
    if (!(error instanceof TransactionParseError)) throw error;
    return failed({ kind: "validation", error: genericError(error.message) });
  }
}
