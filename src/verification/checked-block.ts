/** A block as the writer takes it from a batch that was checked. */
import { type Block, type BlockScan, blockBytes, blockFromScan } from "../blocks/block.ts";
import { BlockParseError } from "../blocks/errors.ts";
import { parseTransactionsAt } from "../blocks/transactions-section.ts";
import { failed, ok, type Result } from "../errors/result.ts";
import { signerOf, type Verdicts, verifyProof } from "../ledger/verdicts.ts";
import {
  cacheTransactionId,
  isCanonical,
  type NetworkRules,
  type Transaction,
} from "../transactions/index.ts";
import type { VerificationBatch } from "./verification-batch.ts";

/** The bytes of a block, and where its parts lie in them. */
export interface ScannedBytes {
  readonly bytes: Uint8Array;
  readonly scan: BlockScan;
}

/** A block with what the checks gave. */
export interface CheckedBlock {
  readonly block: Block;
  /** Whether its signature was found valid; otherwise it is still to be checked. */
  readonly signed: boolean;
  readonly verdicts: Verdicts;
}

/**
 * Reads a block that was scanned. Its signature covers the canonical bytes, which may differ from the received ones.
 * @param readBefore as `parseTransactionsAt`
 * @returns `canonical`: whether it came in these; an error says why the bytes are not a block
 */
export function readBlock(
  { bytes, scan }: ScannedBytes,
  network: NetworkRules,
  readBefore?: (index: number) => boolean,
): Result<{ readonly block: Block; readonly canonical: boolean }, string> {
  try {
    return ok(blockFromScan(bytes, scan, parseTransactionsAt(bytes, scan.offsets, network, readBefore)));
  } catch (error) {
    if (error instanceof BlockParseError) return failed(error.message);
    throw error;
  }
}

/** Returns the canonical bytes of a block; undefined if it came in these, or cannot be read. */
export function canonicalBytes(received: ScannedBytes, network: NetworkRules): Uint8Array | undefined {
  const read = readBlock(received, network);
  return read.ok && !read.value.canonical ? blockBytes(read.value.block) : undefined;
}

/** Returns block number `index` of a batch. An error says why its bytes are not a block. */
export function checkedBlock(
  batch: VerificationBatch,
  index: number,
  received: ScannedBytes,
  network: NetworkRules,
): Result<CheckedBlock, string> {
  const first = batch.firstTransaction(index);
  const read = readBlock(received, network, (i) => batch.isParsed(first + i));
  if (!read.ok) return read;
  const { block, canonical } = read.value;
  const { transactions } = block;
  for (let i = 0; i < transactions.length; i++) {
    const number = first + i;
    const transaction = transactions[i];
    if (batch.isGuessed(number) && !isCommon(transaction)) batch.discardGuess(number);
    const id = batch.id(number);
    if (id !== undefined) cacheTransactionId(transaction, id);
  }
  let last = 0;
  const verdicts: Verdicts = (transaction, proof, key) => {
    // The rules ask in the order of the block.
    if (transactions[last] !== transaction) last = transactions.indexOf(transaction);
    return (
      batch.verdict(first + last, proof, signerOf(transaction, key)) ?? verifyProof(transaction, proof, key)
    );
  };
  // The signature was checked over the received bytes.
  return ok({ block, signed: canonical && batch.isSigned(index), verdicts });
}

/** Whether a transaction whose bytes look common is so: what was guessed is its own. */
export function isCommon(transaction: Transaction): boolean {
  // Its bytes are those that such a transaction is written in, in which all parts of a common one have their places.
  return isCanonical(transaction) && hasCommonForm(transaction);
}

/** Whether the bytes that a transaction is written in are those of a common one. */
export function hasCommonForm({ version, sender, sponsor, proofs }: Transaction): boolean {
  return (
    version === 3 &&
    sender.keyType === "ed25519" &&
    sponsor === undefined &&
    proofs.length === 1 &&
    proofs[0].length === 64
  );
}
