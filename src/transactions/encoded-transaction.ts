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

export interface EncodedTransaction {
  /**
   * `binary`: full bytes (page 02 §3). `json`: UTF-8 JSON of a request (page 02 §9), for keys or signatures of invalid
   * length, which bytes cannot represent.
   */
  readonly form: "binary" | "json";
  readonly bytes: Uint8Array;
}

function isEncodable(transaction: Transaction): boolean {
  const { sender, sponsor, proofs } = transaction;
  const keys = sponsor === undefined ? [sender] : [sender, sponsor];
  if (keys.some(({ keyType, bytes }) => bytes.length !== keyTypeInfo(keyType).publicKeyLength)) return false;
  if (!hasOneSignature(transaction)) return true;
  return proofs.length === 1 && proofs[0].length === SIGNATURE_LENGTH;
}

/** Do not change the returned bytes: the transaction caches them. */
export function encodeTransaction(transaction: Transaction): EncodedTransaction {
  if (isEncodable(transaction)) return { form: "binary", bytes: transactionBytes(transaction) };
  const json = transactionJson(transaction);
  // An empty text would be read as a signature.
  if (transaction.proofs.length === 0) json.delete("signature");
  return { form: "json", bytes: encodeUtf8(printJson(json)) };
}

export function decodeTransaction({ form, bytes }: EncodedTransaction, network: NetworkRules): RequestResult {
  if (form === "json") return transactionFromRequest(parseJson(decodeUtf8(bytes)), { network });
  try {
    return ok({ transaction: reparseTransaction(bytes, network), signers: [] });
  } catch (error) {
    if (!(error instanceof TransactionParseError)) throw error;
    return failed({ kind: "validation", error: genericError(error.message) });
  }
}
