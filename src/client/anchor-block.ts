/**
 * What can be known of an anchor from the bytes of the block that holds it, without trusting whoever gave them: the
 * signature over a block covers all of it, its transactions too, and is its id. Page 03 §2.6, §2.7.
 */

import { type Block, blockFromScan, isBlockSigned, scanBlock } from "../blocks/block.ts";
import { BlockParseError } from "../blocks/errors.ts";
import { parseTransactionsAt } from "../blocks/transactions-section.ts";
import { bytesEqual } from "../bytes/compare.ts";
import { addressOf, addressText } from "../crypto/addresses.ts";
import { verify } from "../crypto/signatures.ts";
import { bodyBytes, definitionOf, type Transaction, transactionId } from "../transactions/index.ts";

/**
 * A block that is what its id says.
 * @param chainId of the network: which addresses there are
 * @returns a text that says what is wrong with the bytes, where something is
 */
export function parseSignedBlock(bytes: Uint8Array, id: Uint8Array, chainId: number): Block | string {
  let block: Block;
  try {
    const scan = scanBlock(bytes);
    if (scan.length !== bytes.length) return "there is more behind the block";
    // What a script costs has been judged by those who took the block, and may take long to find out.
    const network = { chainId, payment: true };
    const transactions = parseTransactionsAt(bytes, scan.offsets, network, () => true);
    ({ block } = blockFromScan(bytes, scan, transactions));
  } catch (error) {
    if (error instanceof BlockParseError) return "the bytes are no block";
    throw error;
  }
  if (!bytesEqual(block.signature, id)) return "the bytes are another block";
  return isBlockSigned(block) ? block : "the block is not signed by its generator";
}

/** A transaction of a block by its id, which is the hash of what its sender signed; with its number in the block. */
export function findInBlock(
  block: Block,
  id: Uint8Array,
): { readonly transaction: Transaction; readonly position: number } | undefined {
  const position = block.transactions.findIndex((one) => bytesEqual(transactionId(one), id));
  return position < 0 ? undefined : { transaction: block.transactions[position], position };
}

/** Whether a transaction anchors a hash, alone or as the value of a key. Page 07 §7.1. */
export function anchorsHash(transaction: Transaction, hash: Uint8Array): boolean {
  const { anchors, mappedAnchors } = definitionOf(transaction);
  return (
    (anchors?.(transaction) ?? []).some((one) => bytesEqual(one, hash)) ||
    (mappedAnchors?.(transaction) ?? []).some(([, value]) => bytesEqual(value, hash))
  );
}

/**
 * What is wrong with the signatures of a transaction: its sender must have signed it, and its sponsor where it has one.
 * Undefined where nothing is. What a script of the sender says instead needs the state, which is not here.
 */
export function signatureFault(transaction: Transaction): string | undefined {
  const { sender, senderAddress, sponsor, sponsorAddress, proofs } = transaction;
  const signedBy = (key: typeof sender): boolean =>
    proofs.some((proof) => verify(key, bodyBytes(transaction), proof));
  if (!signedBy(sender))
    return `no signature is that of its sender ${addressText(senderAddress)} (whether a script stands in for one cannot be known here)`;
  if (sponsor !== undefined && sponsorAddress !== undefined && !signedBy(sponsor))
    return `no signature is that of its sponsor ${addressText(sponsorAddress)}`;
  return undefined;
}

/** The address of a block's generator. */
export function generatorOf(block: Block, chainId: number): Uint8Array {
  return addressOf(block.generator, chainId);
}
