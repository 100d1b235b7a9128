import type { JsonOut } from "../../bytes/json.ts";
import { addressOf } from "../../crypto/addresses.ts";
import { transactionJson } from "../../transactions/index.ts";
import { type Block, type BlockHeader, blockBytes, blockHeader } from "../block.ts";
import { headerMembers } from "../json.ts";

/**
 * A header as JSON, of a block that is on no chain.
 * @param size number of bytes of the whole block
 */
export function blockHeaderJson(
  { generator, signature, ...header }: BlockHeader,
  chainId: number,
  size: number,
): Map<string, JsonOut> {
  return headerMembers({ ...header, generator: addressOf(generator, chainId), id: signature, size });
}

/** A block as JSON: its header and, behind that, its transactions. */
export function blockJson(block: Block, chainId: number): Map<string, JsonOut> {
  const json = blockHeaderJson(blockHeader(block), chainId, blockBytes(block).length);
  return json.set("transactions", block.transactions.map(transactionJson));
}
