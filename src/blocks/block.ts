/** Page 03 §2. */
import { DecodeError } from "../bytes/errors.ts";
import { ByteReader } from "../bytes/reader.ts";
import { type KeyPair, sign, verify } from "../crypto/signatures.ts";
import { isCanonical, type Transaction, transactionBytes } from "../transactions/index.ts";
import { BlockStructureError, parseOrThrow } from "./errors.ts";
import { canonicalFeatures } from "./features.ts";
import { scanTransactions, sectionLength, writeSection } from "./transactions-section.ts";

/** The id is the block's signature. */
export const BLOCK_ID_LENGTH = 64;

/** Length of a generator's ed25519 key. */
export const KEY_LENGTH = 32;
const GENERATION_SIGNATURE_LENGTH = 32;
const CONSENSUS_LENGTH = 8 + GENERATION_SIGNATURE_LENGTH;
/** After version, timestamp, reference and length. */
const CONSENSUS_OFFSET = 1 + 8 + BLOCK_ID_LENGTH + 4;
const TRANSACTIONS_OFFSET = CONSENSUS_OFFSET + CONSENSUS_LENGTH + 4;
const MAX_FEATURES = 64;
/** First version with feature votes. Page 06 §5.5. */
export const FEATURES_VERSION = 3;
const FEE_VOTE_VERSION = 4;

interface BlockFields {
  /** 1 to 4. */
  readonly version: number;
  /** Milliseconds since 1970, signed 64 bits. */
  readonly timestamp: bigint;
  /** Id of the parent block or micro block, 64 bytes. */
  readonly reference: Uint8Array;
  /** Signed 64 bits. */
  readonly baseTarget: bigint;
  /** 32 bytes. */
  readonly generationSignature: Uint8Array;
  /** Voted feature ids, distinct, in canonical order. Empty before version 3. */
  readonly features: readonly number[];
  /** -128 to 127; 0 before version 4. */
  readonly feeVote: number;
  /** Ed25519 key, 32 bytes. */
  readonly generator: Uint8Array;
}

export interface Block extends BlockFields {
  readonly transactions: readonly Transaction[];
  readonly signature: Uint8Array;
}

export interface BlockHeader extends BlockFields {
  readonly signature: Uint8Array;
  /** The encoded count; a negative count means no transactions. */
  readonly transactionCount: number;
}

export interface BlockScan {
  readonly header: BlockHeader;
  /** Start and end of each transaction in the scanned bytes, alternating. */
  readonly offsets: Int32Array;
  /** Length of the block, without trailing bytes. */
  readonly length: number;
  /** True if all bytes outside transactions are canonical. */
  readonly canonical: boolean;
}

/** Checks in the order of the protocol. @throws BlockStructureError. Page 03 §2.9. */
function checkStructure(fields: BlockFields): void {
  const { version, features } = fields;
  if (fields.reference.length !== BLOCK_ID_LENGTH) throw new BlockStructureError("Incorrect reference");
  if (fields.generationSignature.length !== GENERATION_SIGNATURE_LENGTH) {
    throw new BlockStructureError("Incorrect consensusData.generationSignature");
  }
  if (fields.generator.length !== KEY_LENGTH) throw new BlockStructureError("Incorrect signer.publicKey");
  if (version < FEATURES_VERSION && features.length > 0) {
    throw new BlockStructureError(`Block version ${version} could not contain feature votes`);
  }
  if (features.length > MAX_FEATURES) {
    throw new BlockStructureError(`Block could not contain more than ${MAX_FEATURES} feature votes`);
  }
  if (version < FEE_VOTE_VERSION && fields.feeVote !== 0) {
    throw new BlockStructureError(`Block version ${version} could not contain fee votes`);
  }
}

function readFeatures(reader: ByteReader): number[] {
  const count = reader.i32();
  if (count < 0 || count * 2 > reader.remaining) throw new DecodeError(`${count} features do not fit`);
  const ids: number[] = [];
  for (let i = 0; i < count; i++) ids.push(reader.i16());
  const features = canonicalFeatures(ids);
  if (features.length !== count || features.some((id, i) => id !== ids[i])) reader.isNonCanonical = true;
  return features;
}

function scan(bytes: Uint8Array): BlockScan {
  const reader = new ByteReader(bytes);
  const version = reader.u8();
  if (version < 1 || version > FEE_VOTE_VERSION) throw new DecodeError(`unknown block version ${version}`);
  const timestamp = reader.i64();
  const reference = reader.bytes(BLOCK_ID_LENGTH);
  const consensus = reader.bytes(reader.i32());
  const baseTarget = new ByteReader(consensus).i64();
  // The generation signature is the last 32 bytes; in short data they overlap the base target.
  const generationSignature = consensus.subarray(-GENERATION_SIGNATURE_LENGTH);
  const transactionsLength = reader.i32();
  const sectionStart = reader.position;
  reader.skip(transactionsLength);
  const section = scanTransactions(bytes, sectionStart, reader.position, version);
  const features = version >= FEATURES_VERSION ? readFeatures(reader) : [];
  const feeVote = version >= FEE_VOTE_VERSION ? reader.i8() : 0;
  const generator = reader.bytes(KEY_LENGTH);
  const signature = reader.bytes(BLOCK_ID_LENGTH);
  const header: BlockHeader = {
    version,
    timestamp,
    reference,
    baseTarget,
    generationSignature,
    features,
    feeVote,
    generator,
    signature,
    transactionCount: section.count,
  };
  checkStructure(header);
  const canonical = consensus.length === CONSENSUS_LENGTH && section.canonical && !reader.isNonCanonical;
  return { header, offsets: section.offsets, length: reader.position, canonical };
}

/**
 * Parses a block except its transactions, which it only locates. Byte strings are views of `bytes`.
 * @throws BlockParseError
 */
export function scanBlock(bytes: Uint8Array): BlockScan {
  return parseOrThrow(() => scan(bytes));
}

const canonicalBytes = new WeakMap<Block, Uint8Array>();

/**
 * Makes a block without checking signatures. Like the reference node, a scan accepts non-canonical bytes; the signature
 * covers the canonical bytes (page 03 §2.7). Byte strings are views of `bytes`.
 * @param transactions parsed from the offsets of the scan
 * @returns `canonical`: true if the scanned bytes are the canonical ones
 */
export function blockFromScan(
  bytes: Uint8Array,
  scan: BlockScan,
  transactions: readonly Transaction[],
): { block: Block; canonical: boolean } {
  const { transactionCount: _, ...fields } = scan.header;
  // Members that are added after a spread would take 2 µs each.
  const block: Block = { transactions, ...fields };
  const canonical = scan.canonical && transactions.every(isCanonical);
  if (canonical) canonicalBytes.set(block, bytes.subarray(0, scan.length));
  return { block, canonical };
}

/** Returns the canonical bytes. @throws BlockStructureError */
export function assembleBlock(
  block: BlockFields & { readonly signature: Uint8Array },
  transactions: readonly Uint8Array[],
): Uint8Array {
  const { version, features } = block;
  const length = sectionLength(transactions, version);
  const featuresSize = version >= FEATURES_VERSION ? 4 + 2 * features.length : 0;
  const feeVoteSize = version >= FEE_VOTE_VERSION ? 1 : 0;
  const bytes = new Uint8Array(
    TRANSACTIONS_OFFSET + length + featuresSize + feeVoteSize + KEY_LENGTH + BLOCK_ID_LENGTH,
  );
  const view = new DataView(bytes.buffer);
  bytes[0] = version;
  view.setBigInt64(1, block.timestamp);
  bytes.set(block.reference, 9);
  view.setInt32(CONSENSUS_OFFSET - 4, CONSENSUS_LENGTH);
  view.setBigInt64(CONSENSUS_OFFSET, block.baseTarget);
  bytes.set(block.generationSignature, CONSENSUS_OFFSET + 8);
  view.setInt32(TRANSACTIONS_OFFSET - 4, length);
  let at = writeSection(bytes, TRANSACTIONS_OFFSET, transactions, version);
  if (version >= FEATURES_VERSION) {
    view.setInt32(at, features.length);
    at += 4;
    for (const id of features) {
      view.setInt16(at, id);
      at += 2;
    }
  }
  if (version >= FEE_VOTE_VERSION) view.setInt8(at++, block.feeVote);
  bytes.set(block.generator, at);
  bytes.set(block.signature, at + KEY_LENGTH);
  return bytes;
}

/** Returns the canonical bytes, which are stored, sent and measured. Do not change them. */
export function blockBytes(block: Block): Uint8Array {
  let bytes = canonicalBytes.get(block);
  if (bytes === undefined) {
    bytes = assembleBlock(block, block.transactions.map(transactionBytes));
    canonicalBytes.set(block, bytes);
  }
  return bytes;
}

export function blockUnsignedBytes(block: Block): Uint8Array {
  const bytes = blockBytes(block);
  return bytes.subarray(0, bytes.length - BLOCK_ID_LENGTH);
}

/** Verifies the generator's signature, not the transactions'. */
export function isBlockSigned(block: Block): boolean {
  return isSerializedBlockSigned(blockBytes(block), block.generator);
}

/** @param bytes canonical bytes of a block */
export function isSerializedBlockSigned(bytes: Uint8Array, generator: Uint8Array): boolean {
  const unsignedLength = bytes.length - BLOCK_ID_LENGTH;
  return verify(
    { keyType: "ed25519", bytes: generator },
    bytes.subarray(0, unsignedLength),
    bytes.subarray(unsignedLength),
  );
}

/** The signer becomes the generator. */
export type BlockTemplate = Omit<BlockFields, "generator"> & {
  readonly transactions: readonly Transaction[];
};

/**
 * Sorts the features into canonical order and signs the block.
 * @param keyPair ed25519
 * @throws BlockStructureError with the protocol's text
 */
export function buildBlock(template: BlockTemplate, keyPair: KeyPair): Block {
  if (keyPair.keyType !== "ed25519") throw new BlockStructureError("Incorrect signer.publicKey");
  const unsigned: Block = {
    ...template,
    features: canonicalFeatures(template.features),
    generator: keyPair.publicKey,
    signature: new Uint8Array(BLOCK_ID_LENGTH),
  };
  checkStructure(unsigned);
  return { ...unsigned, signature: sign(keyPair, blockUnsignedBytes(unsigned)) };
}

export function blockHeader(block: Block): BlockHeader {
  const { version, timestamp, reference, baseTarget, generationSignature } = block;
  const { features, feeVote, generator, signature, transactions } = block;
  // A rest pattern would be ten times slower.
  return {
    version,
    timestamp,
    reference,
    baseTarget,
    generationSignature,
    features,
    feeVote,
    generator,
    signature,
    transactionCount: transactions.length,
  };
}
