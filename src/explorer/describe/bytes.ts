import { isSerializedBlockSigned, scanBlock } from "../../blocks/block.ts";
import { type BlockByteField, blockByteFields } from "../../blocks/byte-fields.ts";
import { BlockParseError } from "../../blocks/errors.ts";
import { encodeBase58 } from "../../bytes/base58.ts";
import { encodeHex } from "../../bytes/hex.ts";
import { type JsonOut, parseJson, printJson } from "../../bytes/json.ts";
import {
  type ByteField,
  byteFields,
  isCanonical,
  type NetworkRules,
  type RequestError,
  reparseTransaction,
  type Transaction,
  TransactionParseError,
  transactionBytes,
  transactionFromJson,
  transactionId,
  UnsignedTransactionError,
} from "../../transactions/index.ts";
import { commonTexts } from "../text/common-texts.ts";
import type { ShownTransaction } from "./details.ts";
import { describeTexts as texts } from "./texts.ts";
import type { Value } from "./types.ts";

export type DescribedBytes =
  | {
      readonly bytes: Uint8Array;
      readonly fields: readonly ByteField[];
      /** Computed from the bytes, in Base58. */
      readonly id: string;
      /** False if the bytes belong to another transaction. */
      readonly matchesId: boolean;
    }
  | { readonly problem: string };

const rulesOf = (chainId: number): NetworkRules => ({ chainId, payment: true });

function problemOf(error: RequestError): string {
  if (error.kind === "json") {
    const [path = ""] = error.validationErrors.keys();
    return texts.wrongJson(path);
  }
  const [text] = error.error.args;
  return typeof text === "string" ? text : error.error.kind;
}

export function describeBytes(shown: ShownTransaction, chainId: number): DescribedBytes {
  // Safe cast: the answer was parsed from JSON.
  const json = parseJson(printJson(shown as unknown as JsonOut));
  const result = transactionFromJson(json, rulesOf(chainId));
  if (!result.ok) return { problem: problemOf(result.error) };
  try {
    return describedBytes(result.value.transaction, shown.id);
  } catch (error) {
    if (error instanceof UnsignedTransactionError) return { problem: texts.unsigned };
    throw error;
  }
}

function describedBytes(transaction: Transaction, expectedId: string): DescribedBytes {
  const id = encodeBase58(transactionId(transaction));
  return {
    bytes: transactionBytes(transaction),
    fields: byteFields(transaction),
    id,
    matchesId: id === expectedId,
  };
}

/** Describes bytes that the node sent, for transactions whose JSON is incomplete. @param id expected id in Base58 */
export function describeSentBytes(bytes: Uint8Array, id: string, chainId: number): DescribedBytes {
  try {
    const transaction = reparseTransaction(bytes, rulesOf(chainId));
    // Old transactions can have a non-canonical encoding.
    if (!isCanonical(transaction)) return { problem: texts.notCanonical };
    return describedBytes(transaction, id);
  } catch (error) {
    if (error instanceof TransactionParseError) return { problem: texts.notATransaction };
    throw error;
  }
}

const numberValue = (bytes: Uint8Array): Value => ({
  kind: "number",
  number: BigInt(`0x${encodeHex(bytes)}`),
});
const blockIdValue = (bytes: Uint8Array): Value => ({ kind: "block", id: encodeBase58(bytes) });

const blockFieldValues: Readonly<Record<string, (bytes: Uint8Array) => Value>> = {
  version: numberValue,
  timestamp: (bytes) => ({ kind: "time", time: BigInt(`0x${encodeHex(bytes)}`) }),
  reference: blockIdValue,
  consensusLength: numberValue,
  baseTarget: numberValue,
  transactionsLength: numberValue,
  generator: (bytes) => ({ kind: "key", keyType: "ed25519", base58: encodeBase58(bytes) }),
  signature: blockIdValue,
};

export type DescribedBlockBytes =
  | {
      readonly fields: readonly (BlockByteField & {
        readonly label: string;
        readonly value: Value | undefined;
      })[];
      /** In Base58. */
      readonly id: string;
      /** True if the id is the generator's signature of all preceding bytes. */
      readonly isSigned: boolean;
    }
  | { readonly problem: string };

const { version, time: timestamp, baseTarget, transactions } = commonTexts;
const labels: Readonly<Record<string, string>> = {
  ...texts.blockFields,
  ...{ version, timestamp, baseTarget, transactions },
};

export function describeBlockBytes(bytes: Uint8Array): DescribedBlockBytes {
  try {
    const { header, canonical, length } = scanBlock(bytes);
    if (!canonical || length !== bytes.length) return { problem: texts.notCanonicalBlock };
    const { generator, signature } = header;
    return {
      fields: blockByteFields(bytes).map(({ name, offset, length }) => ({
        ...{ name, offset, length },
        label: labels[name] ?? name,
        value: blockFieldValues[name]?.(bytes.subarray(offset, offset + length)),
      })),
      id: encodeBase58(signature),
      isSigned: isSerializedBlockSigned(bytes, generator),
    };
  } catch (error) {
    if (error instanceof BlockParseError) return { problem: texts.notABlock };
    throw error;
  }
}
