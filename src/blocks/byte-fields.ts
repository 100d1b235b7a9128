/** Page 03 §2. */

export interface BlockByteField {
  readonly name: string;
  /** In bytes. */
  readonly offset: number;
  readonly length: number;
}

/** Lengths in bytes. */
const HEADER_FIELDS: readonly (readonly [name: string, length: number])[] = [
  ["version", 1],
  ["timestamp", 8],
  ["reference", 64],
  ["consensusLength", 4],
  ["baseTarget", 8],
  ["generationSignature", 32],
  ["transactionsLength", 4],
];
const KEY_LENGTH = 32;
const SIGNATURE_LENGTH = 64;
/** Length of the count of feature votes. A feature vote has two bytes, a fee vote one. */
const VOTE_COUNT_LENGTH = 4;

/** @param bytes a whole block that `scanBlock` accepts */
export function blockByteFields(bytes: Uint8Array): readonly BlockByteField[] {
  const fields: BlockByteField[] = [];
  let offset = 0;
  const add = (name: string, length: number): void => {
    if (length > 0) fields.push({ name, offset, length });
    offset += length;
  };
  for (const field of HEADER_FIELDS) add(...field);
  add("transactions", new DataView(bytes.buffer, bytes.byteOffset).getInt32(offset - 4));
  // The oldest blocks have no votes, later ones feature votes, the newest also a fee vote.
  const votesLength = bytes.length - KEY_LENGTH - SIGNATURE_LENGTH - offset;
  const hasFeeVote = votesLength % 2 === 1;
  if (votesLength >= VOTE_COUNT_LENGTH) add("features", votesLength - (hasFeeVote ? 1 : 0));
  if (hasFeeVote) add("feeVote", 1);
  add("generator", KEY_LENGTH);
  add("signature", SIGNATURE_LENGTH);
  return fields;
}
