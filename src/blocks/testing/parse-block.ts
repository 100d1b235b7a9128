import type { NetworkRules } from "../../transactions/index.ts";
import { type Block, blockFromScan, scanBlock } from "../block.ts";
import { parseTransactionsAt } from "../transactions-section.ts";

/** Byte strings are views of `bytes`. Signatures are not checked. @throws BlockParseError */
export function parseBlock(bytes: Uint8Array, network: NetworkRules): Block {
  const scan = scanBlock(bytes);
  return blockFromScan(bytes, scan, parseTransactionsAt(bytes, scan.offsets, network)).block;
}
