/** What can be found out about blocks and transactions without the state: ids, and which signatures are valid. */
import { BLOCK_ID_LENGTH } from "../../blocks/block.ts";
import { ed25519Valid } from "../../crypto/ed25519.ts";
import { fastHash } from "../../crypto/hashes.ts";
import type { PublicKey } from "../../crypto/key-types.ts";
import { verify } from "../../crypto/signatures.ts";
import {
  bodyBytes,
  type NetworkRules,
  parseTransaction,
  type Transaction,
  TransactionParseError,
  transactionBytes,
  transactionId,
} from "../../transactions/index.ts";
import { BODY_AT, bodyLengthOfCommon, KEY_AT, looksCommon } from "./common-form.ts";
import type { SharedBatch, Signer, Work } from "./shared-batch.ts";

const KEY_LENGTH = 32;
const SIGNATURE_LENGTH = 64;

/** Does a piece of work of a batch. */
export function checkWork(batch: SharedBatch, work: Work, network: NetworkRules): void {
  if (work.kind === "block") checkBlock(batch, work.block);
  else for (let i = work.from; i < work.to; i++) checkTransaction(batch, i, network);
}

/** Room for the bytes of a block: signatures are not checked in shared memory. */
let scratch = new Uint8Array(128 * 1024);

function checkBlock(batch: SharedBatch, block: number): void {
  const shared = batch.blockBytes(block);
  if (scratch.length < shared.length) scratch = new Uint8Array(2 * shared.length);
  scratch.set(shared);
  const signatureAt = shared.length - BLOCK_ID_LENGTH;
  const generator = scratch.subarray(signatureAt - KEY_LENGTH, signatureAt);
  const signature = scratch.subarray(signatureAt, shared.length);
  if (verify({ keyType: "ed25519", bytes: generator }, scratch.subarray(0, signatureAt), signature))
    batch.setSigned(block);
}

function checkTransaction(batch: SharedBatch, index: number, network: NetworkRules): void {
  const bytes = batch.transactionBytes(index);
  if (looksCommon(bytes)) {
    checkCommon(batch, index, bytes);
    return;
  }
  let transaction: Transaction;
  try {
    transaction = parseTransaction(bytes, network);
  } catch (error) {
    // The writer will find the same, at its turn.
    if (error instanceof TransactionParseError) return;
    throw error;
  }
  batch.setParsed(
    index,
    transactionId(transaction),
    Buffer.compare(transactionBytes(transaction), bytes) === 0,
  );
  if (transaction.type !== 1) checkProofs(batch, index, transaction);
}

/** The body of a common transaction, in memory of its own. */
let body: Uint8Array<ArrayBufferLike> = new Uint8Array(64 * 1024);
const key = new Uint8Array(KEY_LENGTH);
const signature = new Uint8Array(SIGNATURE_LENGTH);

/** Checks the one proof of a transaction that looks common, and notes the id that it has if it is. */
function checkCommon(batch: SharedBatch, index: number, bytes: Uint8Array): void {
  const { length } = bytes;
  const size = bodyLengthOfCommon(length);
  if (body.length < size) body = new Uint8Array(2 * size);
  body.set(bytes.subarray(BODY_AT, BODY_AT + size));
  key.set(bytes.subarray(KEY_AT, KEY_AT + KEY_LENGTH));
  signature.set(bytes.subarray(length - SIGNATURE_LENGTH));
  const message = body.subarray(0, size);
  batch.setGuessed(index, fastHash(message));
  batch.setVerdict(index, 0, "sender", ed25519Valid(key, message, signature));
}

/**
 * Looks for the proofs that the rules will ask for. A sender's are asked for only in the numbers that senders without
 * a script may have; whoever has one may have any. Page 05 §14.
 */
function checkProofs(batch: SharedBatch, index: number, transaction: Transaction): void {
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
  batch: SharedBatch,
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
