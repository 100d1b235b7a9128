/**
 * Checks that need only the block's bytes. The generator's signature covers the transactions and is the block's id.
 * Page 03 §2.6, §2.7.
 */
import { type Block, blockFromScan, isBlockSigned, scanBlock } from "../blocks/block.ts";
import { BlockParseError } from "../blocks/errors.ts";
import { parseTransactionsAt } from "../blocks/transactions-section.ts";
import { bytesEqual } from "../bytes/compare.ts";
import { addressOf, addressText } from "../crypto/addresses.ts";
import { verify } from "../crypto/signatures.ts";
import { bodyBytes, definitionOf, type Transaction, transactionId } from "../transactions/index.ts";
import { anchorTexts } from "./anchor-texts.ts";

/** Checks id and signature. @returns the block, or a text about the fault */
export function parseSignedBlock(
  bytes: Uint8Array,
  id: Uint8Array,
  chainId: number,
  texts = anchorTexts,
): Block | string {
  let block: Block;
  try {
    const scan = scanBlock(bytes);
    if (scan.length !== bytes.length) return texts.extraBytes;
    // Skip the check of script costs, which is slow.
    const network = { chainId, payment: true };
    const transactions = parseTransactionsAt(bytes, scan.offsets, network, () => true);
    ({ block } = blockFromScan(bytes, scan, transactions));
  } catch (error) {
    if (error instanceof BlockParseError) return texts.notABlock;
    throw error;
  }
  if (!bytesEqual(block.signature, id)) return texts.bytesOfOtherBlock;
  return isBlockSigned(block) ? block : texts.unsignedBlock;
}

export function findInBlock(
  block: Block,
  id: Uint8Array,
): { readonly transaction: Transaction; readonly position: number } | undefined {
  const position = block.transactions.findIndex((transaction) => bytesEqual(transactionId(transaction), id));
  return position < 0 ? undefined : { transaction: block.transactions[position], position };
}

/** Returns true if the transaction anchors the hash. Page 07 §7.1. */
export function anchorsHash(transaction: Transaction, hash: Uint8Array): boolean {
  const { anchors, mappedAnchors } = definitionOf(transaction);
  return (
    (anchors?.(transaction) ?? []).some((anchor) => bytesEqual(anchor, hash)) ||
    (mappedAnchors?.(transaction) ?? []).some(([, value]) => bytesEqual(value, hash))
  );
}

/**
 * Checks the signatures of sender and sponsor. A sender's script may accept fewer, but running it needs the ledger
 * state.
 * @returns a text about the fault; undefined if there is none
 */
export function signatureFault(transaction: Transaction, texts = anchorTexts): string | undefined {
  const { sender, senderAddress, sponsor, sponsorAddress, proofs } = transaction;
  const signedBy = (key: typeof sender): boolean =>
    proofs.some((proof) => verify(key, bodyBytes(transaction), proof));
  if (!signedBy(sender)) return texts.unsigned(addressText(senderAddress));
  if (sponsor !== undefined && sponsorAddress !== undefined && !signedBy(sponsor))
    return texts.unsignedBySponsor(addressText(sponsorAddress));
  return undefined;
}

export function generatorOf(block: Block, chainId: number): Uint8Array {
  return addressOf(block.generator, chainId);
}
