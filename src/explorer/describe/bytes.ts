/** The bytes of a transaction, made of its JSON here, with what stands where. */
import { encodeBase58 } from "../../bytes/base58.ts";
import { type JsonOut, parseJson, printJson } from "../../bytes/json.ts";
import {
  type ByteField,
  byteFields,
  isCanonical,
  type RequestError,
  reparseTransaction,
  type Transaction,
  TransactionParseError,
  transactionBytes,
  transactionFromJson,
  transactionId,
  UnsignedTransactionError,
} from "../../transactions/index.ts";
import { rulesOf, type ShownTransaction } from "./details.ts";

/** Bytes, and what they are worth. */
export type DescribedBytes =
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
export function describeBytes(shown: ShownTransaction, chainId: number): DescribedBytes {
  // Made of JSON when it was read, and bigints.
  const json = parseJson(printJson(shown as unknown as JsonOut));
  const result = transactionFromJson(json, rulesOf(chainId));
  if (!result.ok) return { problem: problemOf(result.error) };
  try {
    return describedBytes(result.value.transaction, shown.id);
  } catch (error) {
    if (error instanceof UnsignedTransactionError) return { problem: "it is not signed" };
    throw error;
  }
}

function describedBytes(transaction: Transaction, wantedId: string): DescribedBytes {
  const id = encodeBase58(transactionId(transaction));
  return {
    bytes: transactionBytes(transaction),
    fields: byteFields(transaction),
    id,
    isThatOfTheNode: id === wantedId,
  };
}

/**
 * What the bytes are that a node gives of a transaction: where JSON does not show all that they hold, nothing else tells.
 * @param id what they must be the transaction of, in Base58
 */
export function describeSentBytes(bytes: Uint8Array, id: string, chainId: number): DescribedBytes {
  try {
    const transaction = reparseTransaction(bytes, rulesOf(chainId));
    // Old bytes may say the same in other ways than one writes it now.
    if (!isCanonical(transaction)) return { problem: "they are written in a way that this page cannot part" };
    return describedBytes(transaction, id);
  } catch (error) {
    if (error instanceof TransactionParseError) return { problem: "they are no transaction" };
    throw error;
  }
}
