/** Fields of a serialized block, and its signature check. */
import { isSerializedBlockSigned, scanBlock } from "../../blocks/block.ts";
import { BlockParseError } from "../../blocks/errors.ts";
import { encodeBase58 } from "../../bytes/base58.ts";
import { describeTexts as texts } from "./texts.ts";

interface BlockField {
  readonly name: string;
  readonly label: string;
  readonly offset: number;
  readonly length: number;
}

export type DescribedBlockBytes =
  | {
      readonly fields: readonly BlockField[];
      /** Base58. */
      readonly id: string;
      /** Whether the id is the generator's signature of all bytes before it. */
      readonly isSigned: boolean;
    }
  | { readonly problem: string };

const labels: Readonly<Record<string, string>> = texts.blockFields;

/** First fields of every block with their lengths. Page 03 §2. */
const HEADER_FIELDS: readonly (readonly [name: string, length: number, label?: string])[] = [
  ["version", 1],
  ["timestamp", 8],
  ["reference", 64],
  ["", 4, labels.consensusLength],
  ["baseTarget", 8],
  ["generationSignature", 32],
  ["", 4, labels.transactionsLength],
];
const KEY_LENGTH = 32;
const SIGNATURE_LENGTH = 64;
/** Number of feature votes, before two bytes for each. */
const COUNT_LENGTH = 4;

function fieldsOf(bytes: Uint8Array): BlockField[] {
  const fields: BlockField[] = [];
  let offset = 0;
  const add = (name: string, length: number, label = labels[name] ?? name): void => {
    if (length > 0) fields.push({ name, label, offset, length });
    offset += length;
  };
  for (const field of HEADER_FIELDS) add(...field);
  add("transactions", new DataView(bytes.buffer, bytes.byteOffset).getInt32(offset - 4));
  // Old blocks have no feature votes; blocks after them have no fee vote.
  const votes = bytes.length - KEY_LENGTH - SIGNATURE_LENGTH - offset;
  const hasFeeVote = votes % 2 === 1;
  if (votes >= COUNT_LENGTH) add("features", votes - (hasFeeVote ? 1 : 0));
  if (hasFeeVote) add("feeVote", 1);
  add("generator", KEY_LENGTH);
  add("signature", SIGNATURE_LENGTH);
  return fields;
}

export function describeBlockBytes(bytes: Uint8Array): DescribedBlockBytes {
  try {
    const { header, canonical, length } = scanBlock(bytes);
    if (!canonical || length !== bytes.length) return { problem: texts.notCanonicalBlock };
    const { generator, signature } = header;
    return {
      fields: fieldsOf(bytes),
      id: encodeBase58(signature),
      isSigned: isSerializedBlockSigned(bytes, generator),
    };
  } catch (error) {
    if (error instanceof BlockParseError) return { problem: texts.notABlock };
    throw error;
  }
}
