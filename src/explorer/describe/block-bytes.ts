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
      /** In Base58. */
      readonly id: string;
      /** True if the id is the generator's signature of all preceding bytes. */
      readonly isSigned: boolean;
    }
  | { readonly problem: string };

const labels: Readonly<Record<string, string>> = texts.blockFields;

/** Lengths are in bytes. Page 03 §2. */
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
/** In bytes. Each vote has two bytes. */
const VOTE_COUNT_LENGTH = 4;

function fieldsOf(bytes: Uint8Array): BlockField[] {
  const fields: BlockField[] = [];
  let offset = 0;
  const add = (name: string, length: number, label = labels[name] ?? name): void => {
    if (length > 0) fields.push({ name, label, offset, length });
    offset += length;
  };
  for (const field of HEADER_FIELDS) add(...field);
  add("transactions", new DataView(bytes.buffer, bytes.byteOffset).getInt32(offset - 4));
  // The oldest blocks have no votes, later ones have feature votes, the newest also have a fee vote.
  const votesLength = bytes.length - KEY_LENGTH - SIGNATURE_LENGTH - offset;
  const hasFeeVote = votesLength % 2 === 1;
  if (votesLength >= VOTE_COUNT_LENGTH) add("features", votesLength - (hasFeeVote ? 1 : 0));
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
