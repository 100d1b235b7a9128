import type { JsonOut } from "../../bytes/json.ts";
import { addressOf } from "../../crypto/addresses.ts";
import { transactionJson } from "../../transactions/index.ts";
import { type Block, type BlockHeader, blockBytes, blockHeader } from "../block.ts";
import { headerMembers } from "../json.ts";

/**
 * Returns the JSON of a header outside a chain.
 * @param size bytes of the whole block
 */
export function blockHeaderJson(
  { generator, signature, ...header }: BlockHeader,
  chainId: number,
  size: number,
): Map<string, JsonOut> {
  return headerMembers({ ...header, generator: addressOf(generator, chainId), id: signature, size });
}

export function blockJson(block: Block, chainId: number): Map<string, JsonOut> {
  const json = blockHeaderJson(blockHeader(block), chainId, blockBytes(block).length);
  return json.set("transactions", block.transactions.map(transactionJson));
}
