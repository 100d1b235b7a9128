/** A block as the writer takes it from a batch that was checked. */
import { type Block, blockBytes } from "../../blocks/block.ts";
import { BlockParseError } from "../../blocks/errors.ts";
import { parseTransactionsAt } from "../../blocks/transactions-section.ts";
import { type Verdicts, verifyProof } from "../../ledger/proofs.ts";
import {
  bodyBytes,
  enterComputed,
  type NetworkRules,
  type Transaction,
  transactionBytes,
} from "../../transactions/index.ts";
import { BODY_AT, bodyLengthOfCommon, KEY_AT } from "./common-form.ts";
import type { ReadBlock } from "./read-ahead.ts";
import type { SharedBatch } from "./shared-batch.ts";

/** A block with what the checks gave. */
export interface CheckedBlock {
  readonly block: Block;
  /** Whether its signature was found valid; otherwise it is still to be checked. */
  readonly signed: boolean;
  readonly verdicts: Verdicts;
}

/** Block number `index` of a batch; a text: why its bytes are no block. */
export function checkedBlock(
  batch: SharedBatch,
  index: number,
  { bytes, scan }: ReadBlock,
  network: NetworkRules,
): CheckedBlock | string {
  const first = batch.firstTransaction(index);
  let transactions: Block["transactions"];
  try {
    transactions = parseTransactionsAt(bytes, scan.offsets, network);
  } catch (error) {
    if (error instanceof BlockParseError) return error.message;
    throw error;
  }
  for (let i = 0; i < transactions.length; i++) {
    const number = first + i;
    const transaction = transactions[i];
    if (batch.isParsed(number)) enterComputed(transaction, batch.id(number), batch.isCanonical(number));
    else if (batch.isGuessed(number)) {
      const own = bytes.subarray(scan.offsets[2 * i], scan.offsets[2 * i + 1]);
      if (isCommon(transaction, own)) enterComputed(transaction, batch.id(number), true);
      else batch.forget(number);
    }
  }
  const { transactionCount: _, ...fields } = scan.header;
  const block: Block = { ...fields, transactions };
  // The signature was checked over the bytes as they are; it counts over those that the block is written in.
  const canonical = Buffer.compare(blockBytes(block), bytes.subarray(0, scan.length)) === 0;
  let last = 0;
  const verdicts: Verdicts = (transaction, proof, key) => {
    // The rules ask in the order of the block.
    if (transactions[last] !== transaction) last = transactions.indexOf(transaction);
    const signer = key === transaction.sponsor ? "sponsor" : "sender";
    return batch.verdict(first + last, proof, signer) ?? verifyProof(transaction, proof, key);
  };
  return { block, signed: canonical && batch.isSigned(index), verdicts };
}

/** Whether a transaction that was read from `bytes`, which look common, is so: what was guessed is its own. */
export function isCommon(transaction: Transaction, bytes: Uint8Array): boolean {
  const { sender, sponsor, proofs } = transaction;
  const written = transactionBytes(transaction);
  if (sponsor !== undefined || proofs.length !== 1 || sender.keyType !== "ed25519") return false;
  if (Buffer.compare(written, bytes) !== 0) return false;
  // What is written as it was read consists of views of the same bytes: where they lie says what they are.
  const at = written.byteOffset;
  const body = bodyBytes(transaction);
  const [proof] = proofs;
  return (
    body.byteOffset === at + BODY_AT &&
    body.length === bodyLengthOfCommon(written.length) &&
    sender.bytes.byteOffset === at + KEY_AT &&
    proof.length === 64 &&
    proof.byteOffset === at + written.length - 64
  );
}
