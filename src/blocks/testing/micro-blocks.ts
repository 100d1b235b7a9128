import type { NetworkRules } from "../../transactions/index.ts";
import type { Block } from "../block.ts";
import { type MicroBlock, scanMicroBlock } from "../micro-block.ts";
import { parseTransactionsAt } from "../transactions-section.ts";

/** @throws BlockParseError */
export function parseMicroBlock(bytes: Uint8Array, network: NetworkRules): MicroBlock {
  const { header, offsets } = scanMicroBlock(bytes);
  return { ...header, transactions: parseTransactionsAt(bytes, offsets, network) };
}

/** Returns the total of a key block, or of a total, and the micro blocks after it. Its signature is not checked. */
export function totalBlock(base: Block, micros: readonly MicroBlock[]): Block {
  const last = micros.at(-1);
  if (last === undefined) return base;
  const transactions = base.transactions.concat(...micros.map((micro) => micro.transactions));
  return { ...base, transactions, signature: last.totalSignature };
}
