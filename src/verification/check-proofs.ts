import type { PublicKey } from "../crypto/key-types.ts";
import { verify } from "../crypto/signatures.ts";
import type { Signer } from "../ledger/verdict-bits.ts";
import {
  bodyBytes,
  definitionOf,
  type NetworkRules,
  parseTransaction,
  type Transaction,
  TransactionParseError,
  transactionId,
} from "../transactions/index.ts";
import { checkBlock, checkCommon } from "./check-common.ts";
import type { Piece, VerificationBatch } from "./verification-batch.ts";

export function checkPiece(batch: VerificationBatch, piece: Piece, network: NetworkRules): void {
  if (piece.kind === "block") checkBlock(batch, piece.block);
  else
    for (let i = piece.from; i < piece.to; i++)
      if (!checkCommon(batch, i)) checkTransaction(batch, i, network);
}

export function checkTransaction(batch: VerificationBatch, index: number, network: NetworkRules): void {
  let transaction: Transaction;
  try {
    transaction = parseTransaction(batch.transactionBytes(index), network);
  } catch (error) {
    // The writer parses it again and reports the error.
    if (error instanceof TransactionParseError) return;
    throw error;
  }
  batch.setId(index, transactionId(transaction));
  if (definitionOf(transaction).hasSender) checkProofs(batch, index, transaction);
}

/**
 * Without a sender script, a transaction must have one proof, or two with a sponsor; otherwise the sender's signature
 * does not count. Page 05 §14.
 */
function checkProofs(batch: VerificationBatch, index: number, transaction: Transaction): void {
  const { sender, sponsor, proofs } = transaction;
  if (proofs.length === (sponsor === undefined ? 1 : 2)) {
    for (let proof = 0; proof < proofs.length; proof++)
      if (check(batch, index, transaction, proof, sender, "sender")) break;
  }
  if (sponsor === undefined) return;
  for (let proof = proofs.length - 1; proof >= 0; proof--)
    if (check(batch, index, transaction, proof, sponsor, "sponsor")) break;
}

function check(
  batch: VerificationBatch,
  index: number,
  transaction: Transaction,
  proof: number,
  key: PublicKey,
  signer: Signer,
): boolean {
  const valid = verify(key, bodyBytes(transaction), transaction.proofs[proof]);
  batch.setVerdict(index, proof, signer, valid);
  return valid;
}
