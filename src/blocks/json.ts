/** Blocks as JSON. Page 03 §2.8. */
import { encodeBase58 } from "../bytes/base58.ts";
import type { JsonOut } from "../bytes/json.ts";
import { addressOf, addressText } from "../crypto/addresses.ts";
import { transactionJson } from "../transactions/index.ts";
import { type Block, type BlockHeader, blockBytes, blockHeader } from "./block.ts";

/** Members in output order; what a route adds goes behind them. */
export type BlockJson = Map<string, JsonOut>;

/** First version whose JSON shows feature votes. */
const FEATURES_VERSION = 3;

/**
 * A header as JSON. The generator's key is not part of it, only the address.
 * @param size number of bytes of the whole block
 */
export function blockHeaderJson(header: BlockHeader, chainId: number, size: number): BlockJson {
  const json: BlockJson = new Map<string, JsonOut>([
    ["version", header.version],
    ["timestamp", header.timestamp],
    ["reference", encodeBase58(header.reference)],
    [
      "nxt-consensus",
      new Map<string, JsonOut>([
        ["base-target", header.baseTarget],
        ["generation-signature", encodeBase58(header.generationSignature)],
      ]),
    ],
  ]);
  if (header.version >= FEATURES_VERSION) json.set("features", header.features);
  return json
    .set("feeVote", header.feeVote)
    .set("generator", addressText(addressOf(header.generator, chainId)))
    .set("signature", encodeBase58(header.signature))
    .set("blocksize", size)
    .set("transactionCount", header.transactionCount);
}

/** A block as JSON: its header and, behind that, its transactions. */
export function blockJson(block: Block, chainId: number): BlockJson {
  const json = blockHeaderJson(blockHeader(block), chainId, blockBytes(block).length);
  return json.set("transactions", block.transactions.map(transactionJson));
}
