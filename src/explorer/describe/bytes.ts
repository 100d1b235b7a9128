/** The bytes of a transaction, made of its JSON here, with what stands where. */
import { encodeBase58 } from "../../bytes/base58.ts";
import { type JsonOut, parseJson, printJson } from "../../bytes/json.ts";
import {
  type ByteField,
  byteFields,
  type RequestError,
  transactionBytes,
  transactionFromShown,
  transactionId,
  UnsignedTransactionError,
} from "../../transactions/index.ts";
import { rulesOf, type ShownTransaction } from "./members.ts";

/** Bytes, and what they are worth. */
export type ShownBytes =
  | {
      readonly bytes: Uint8Array;
      /** One behind the other, from the first byte to the last. */
      readonly fields: readonly ByteField[];
      /** In Base58: the hash of what is signed. */
      readonly id: string;
      /** Whether that is the id that the node gave: if not, these are not the transaction's bytes. */
      readonly isThatOfTheNode: boolean;
    }
  /** Why there are none: the JSON is of no transaction. */
  | { readonly problem: string };

function problemOf(error: RequestError): string {
  if (error.kind === "json") {
    const [path = "it"] = error.validationErrors.keys();
    return `the JSON does not hold what its type needs (${path})`;
  }
  const [text] = error.error.args;
  return typeof text === "string" ? text : error.error.kind;
}

/**
 * What a transaction is in bytes: what its sender signed, and what stands in the block.
 * @param chainId of the network
 */
export function bytesOf(shown: ShownTransaction, chainId: number): ShownBytes {
  // Made of JSON when it was read, and bigints.
  const json = parseJson(printJson(shown as unknown as JsonOut));
  const result = transactionFromShown(json, rulesOf(chainId));
  if (!result.ok) return { problem: problemOf(result.error) };
  const { transaction } = result;
  try {
    const id = encodeBase58(transactionId(transaction));
    return {
      bytes: transactionBytes(transaction),
      fields: byteFields(transaction),
      id,
      isThatOfTheNode: id === shown.id,
    };
  } catch (error) {
    if (error instanceof UnsignedTransactionError) return { problem: "it is not signed" };
    throw error;
  }
}
