import { type Block, blockBytes, scanBlock } from "../../blocks/block.ts";
import { BlockParseError } from "../../blocks/errors.ts";
import { type MicroBlock, microBlockBytes, scanMicroBlock } from "../../blocks/micro-block.ts";
import { parseTransactionsAt } from "../../blocks/transactions-section.ts";
import { bytesEqual } from "../../bytes/compare.ts";
import { failed, ok, type Result } from "../../errors/result.ts";
import type { UnitRecord } from "../../interfaces.ts";
import type { NetworkRules, Transaction } from "../../transactions/index.ts";
import { readBlock } from "../../verification/checked-block.ts";

export type UnitContent =
  | { readonly kind: "block"; readonly block: Block }
  | { readonly kind: "micro"; readonly micro: MicroBlock }
  | { readonly kind: "persist" };

/**
 * Parses a record's bytes.
 * @param isTrusted true if a trusted source has accepted them: skips slow checks
 */
export function unitContent(
  { kind, bytes, id, parent }: Pick<UnitRecord, "kind" | "bytes" | "id" | "parent">,
  network: NetworkRules,
  isTrusted: boolean,
): Result<UnitContent, string> {
  if (kind === "persist")
    return bytes.length === 0 ? ok({ kind }) : failed("a persist unit cannot have bytes");
  try {
    const wasAcceptedBefore = isTrusted ? () => true : undefined;
    if (kind === "micro") {
      const { header, offsets } = scanMicroBlock(bytes);
      const transactions = parseTransactionsAt(bytes, offsets, network, wasAcceptedBefore);
      const micro: MicroBlock = { ...header, transactions };
      if (!bytesEqual(microBlockBytes(micro), bytes)) return failed("its bytes are not canonical");
      if (!bytesEqual(micro.totalSignature, id)) return failed("its bytes have another id");
      return bytesEqual(micro.reference, parent)
        ? ok({ kind, micro })
        : failed("its bytes have another parent");
    }
    const read = readBlock({ bytes, scan: scanBlock(bytes) }, network, wasAcceptedBefore);
    if (!read.ok) return read;
    const { block } = read.value;
    if (!bytesEqual(blockBytes(block), bytes)) return failed("its bytes are not canonical");
    if (!bytesEqual(block.signature, id)) return failed("its bytes have another id");
    return bytesEqual(block.reference, parent)
      ? ok({ kind, block })
      : failed("its bytes have another parent");
  } catch (error) {
    if (error instanceof BlockParseError) return failed(`its bytes cannot be read: ${error.message}`);
    throw error;
  }
}

export function transactionsOf(content: UnitContent): readonly Transaction[] {
  if (content.kind === "persist") return [];
  return content.kind === "block" ? content.block.transactions : content.micro.transactions;
}
