/** Micro blocks, and the total blocks that include their transactions. Page 03 §3. */
import { DecodeError } from "../bytes/errors.ts";
import { ByteReader } from "../bytes/reader.ts";
import { type KeyPair, sign, verify } from "../crypto/signatures.ts";
import { type Transaction, transactionBytes } from "../transactions/index.ts";
import { BLOCK_ID_LENGTH, type Block, type BlockTemplate, buildBlock, KEY_LENGTH } from "./block.ts";
import { BlockParseError, BlockStructureError } from "./errors.ts";
import { scanTransactions, sectionLength, writeSection } from "./transactions-section.ts";

/** Version of new micro blocks, even on version 4 blocks. */
const MICRO_BLOCK_VERSION = 3;
const MAX_MICRO_BLOCK_TRANSACTIONS = 500;

const TRANSACTIONS_OFFSET = 1 + 2 * BLOCK_ID_LENGTH + 4;
const MAX_VERSION = 4;

/** A micro block's id is the total signature, not its own signature. */
export interface MicroBlock {
  /** 1 to 4; determines how the transaction count is encoded. */
  readonly version: number;
  /** Id of the key block or of the previous micro block. The protocol's `prevResBlockSig`. */
  readonly reference: Uint8Array;
  /** Signature of the block up to this micro block. The protocol's `totalResBlockSig`. */
  readonly totalSignature: Uint8Array;
  readonly transactions: readonly Transaction[];
  /** Ed25519 key (32 bytes) of the key block's generator. */
  readonly generator: Uint8Array;
  /** Signature of all preceding bytes, 64 bytes. */
  readonly signature: Uint8Array;
}

function checkCount(count: number): void {
  if (count === 0) throw new BlockStructureError("cannot create empty MicroBlock");
  if (count > MAX_MICRO_BLOCK_TRANSACTIONS) {
    throw new BlockStructureError(
      `too many txs in MicroBlock: allowed: ${MAX_MICRO_BLOCK_TRANSACTIONS}, actual: ${count}`,
    );
  }
}

export interface MicroBlockScan {
  readonly header: Omit<MicroBlock, "transactions">;
  /** Start and end of each transaction, alternating. */
  readonly offsets: Int32Array;
}

function scan(bytes: Uint8Array): MicroBlockScan {
  const reader = new ByteReader(bytes);
  const version = reader.u8();
  if (version < 1 || version > MAX_VERSION) throw new DecodeError(`unknown micro block version ${version}`);
  const reference = reader.bytes(BLOCK_ID_LENGTH);
  const totalSignature = reader.bytes(BLOCK_ID_LENGTH);
  const transactionsLength = reader.i32();
  const sectionStart = reader.position;
  reader.skip(transactionsLength);
  const { offsets } = scanTransactions(bytes, sectionStart, reader.position, version);
  const generator = reader.bytes(KEY_LENGTH);
  const signature = reader.bytes(BLOCK_ID_LENGTH);
  return { header: { version, reference, totalSignature, generator, signature }, offsets };
}

/**
 * Parses a micro block except its transactions, which it only locates. Byte strings are views of `bytes`.
 * @throws BlockParseError, also for an invalid count. Page 04 §8.8.
 */
export function scanMicroBlock(bytes: Uint8Array): MicroBlockScan {
  try {
    const found = scan(bytes);
    checkCount(found.offsets.length / 2);
    return found;
  } catch (error) {
    if (error instanceof DecodeError) throw new BlockParseError(error.message);
    if (error instanceof BlockStructureError) throw new BlockParseError(`GenericError(${error.message})`);
    throw error;
  }
}

const canonicalBytes = new WeakMap<MicroBlock, Uint8Array>();

/** Returns the canonical bytes. @throws BlockStructureError */
export function assembleMicroBlock(
  micro: Omit<MicroBlock, "transactions">,
  transactions: readonly Uint8Array[],
): Uint8Array {
  const length = sectionLength(transactions, micro.version);
  const bytes = new Uint8Array(TRANSACTIONS_OFFSET + length + KEY_LENGTH + BLOCK_ID_LENGTH);
  bytes[0] = micro.version;
  bytes.set(micro.reference, 1);
  bytes.set(micro.totalSignature, 1 + BLOCK_ID_LENGTH);
  new DataView(bytes.buffer).setInt32(TRANSACTIONS_OFFSET - 4, length);
  const at = writeSection(bytes, TRANSACTIONS_OFFSET, transactions, micro.version);
  bytes.set(micro.generator, at);
  bytes.set(micro.signature, at + KEY_LENGTH);
  return bytes;
}

/** Returns the canonical bytes. Do not change them. */
export function microBlockBytes(micro: MicroBlock): Uint8Array {
  let bytes = canonicalBytes.get(micro);
  if (bytes === undefined) {
    bytes = assembleMicroBlock(micro, micro.transactions.map(transactionBytes));
    canonicalBytes.set(micro, bytes);
  }
  return bytes;
}

export function microBlockUnsignedBytes(micro: MicroBlock): Uint8Array {
  const bytes = microBlockBytes(micro);
  return bytes.subarray(0, bytes.length - BLOCK_ID_LENGTH);
}

/** Verifies the micro block's own signature, not the total signature. */
export function isMicroBlockSigned(micro: MicroBlock): boolean {
  return verify(
    { keyType: "ed25519", bytes: micro.generator },
    microBlockUnsignedBytes(micro),
    micro.signature,
  );
}

/**
 * @param base the previous total: the key block with all earlier micro blocks
 * @throws BlockStructureError with the protocol's text
 */
export function buildMicroBlock(
  base: Block,
  transactions: readonly Transaction[],
  keyPair: KeyPair,
): { micro: MicroBlock; total: Block } {
  checkCount(transactions.length);
  const template: BlockTemplate = { ...base, transactions: [...base.transactions, ...transactions] };
  const total = buildBlock(template, keyPair);
  const unsigned: MicroBlock = {
    version: MICRO_BLOCK_VERSION,
    reference: base.signature,
    totalSignature: total.signature,
    transactions,
    generator: keyPair.publicKey,
    signature: new Uint8Array(BLOCK_ID_LENGTH),
  };
  return { micro: { ...unsigned, signature: sign(keyPair, microBlockUnsignedBytes(unsigned)) }, total };
}
