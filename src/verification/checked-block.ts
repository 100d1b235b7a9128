import { type Block, type BlockScan, blockBytes, blockFromScan } from "../blocks/block.ts";
import { BlockParseError } from "../blocks/errors.ts";
import { parseTransactionsAt } from "../blocks/transactions-section.ts";
import { failed, ok, type Result } from "../errors/result.ts";
import { assumedValid, signerOf, type Verdicts, verifyProof } from "../ledger/verdicts.ts";
import {
  cacheTransactionId,
  isCanonical,
  type NetworkRules,
  type Transaction,
} from "../transactions/index.ts";
import type { VerificationBatch } from "./verification-batch.ts";

export interface ScannedBytes {
  readonly bytes: Uint8Array;
  readonly scan: BlockScan;
}

export interface CheckedBlock {
  readonly block: Block;
  /** False if the block's signature must still be checked. */
  readonly signed: boolean;
  readonly verdicts: Verdicts;
}

/**
 * @param wasAcceptedBefore as in `parseTransactionsAt`
 * @returns the block; `canonical` is true if the received bytes are the canonical ones, which the signature covers. An
 *   error says why the bytes are not a block
 */
export function readBlock(
  { bytes, scan }: ScannedBytes,
  network: NetworkRules,
  wasAcceptedBefore?: (index: number) => boolean,
): Result<{ readonly block: Block; readonly canonical: boolean }, string> {
  try {
    return ok(
      blockFromScan(bytes, scan, parseTransactionsAt(bytes, scan.offsets, network, wasAcceptedBefore)),
    );
  } catch (error) {
    if (error instanceof BlockParseError) return failed(error.message);
    throw error;
  }
}

/** Returns undefined if the bytes are already canonical or unreadable. */
export function canonicalBytes(received: ScannedBytes, network: NetworkRules): Uint8Array | undefined {
  const read = readBlock(received, network);
  return read.ok && !read.value.canonical ? blockBytes(read.value.block) : undefined;
}

/** Reads a block and takes its results from a checked batch. @param index of the block in the batch */
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
    if (batch.hasGuessedForm(number) && !isCommon(transaction)) batch.discardGuess(number);
    const id = batch.id(number);
    if (id !== undefined) cacheTransactionId(transaction, id);
  }
  let position = 0;
  const verdicts: Verdicts = (transaction, proof, key) => {
    // The rules finish one transaction before the next.
    if (transactions[position] !== transaction)
      position =
        transactions[position + 1] === transaction ? position + 1 : transactions.indexOf(transaction);
    return (
      batch.verdict(first + position, proof, signerOf(transaction, key)) ??
      verifyProof(transaction, proof, key)
    );
  };
  return ok({ block, signed: canonical && batch.isSigned(index), verdicts });
}

/** Assumes valid signatures. An error says why the bytes are not a block. */
export function trustedBlock(received: ScannedBytes, network: NetworkRules): Result<CheckedBlock, string> {
  const read = readBlock(received, network);
  return read.ok ? ok({ block: read.value.block, signed: true, verdicts: assumedValid }) : read;
}

export function isCommon(transaction: Transaction): boolean {
  // In canonical bytes all parts of a common transaction have fixed positions.
  return isCanonical(transaction) && hasCommonForm(transaction);
}

export function hasCommonForm({ version, sender, sponsor, proofs }: Transaction): boolean {
  return (
    version === 3 &&
    sender.keyType === "ed25519" &&
    sponsor === undefined &&
    proofs.length === 1 &&
    proofs[0].length === 64
  );
}
