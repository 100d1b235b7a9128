/**
 * Blocks in tables and back. A block lies in parts: header, and for the key block and each micro block the
 * transactions; together they are the block's canonical bytes.
 */
import { type Block, type BlockHeader, blockBytes, blockHeader } from "../../blocks/block.ts";
import type { MicroBlock } from "../../blocks/micro-block.ts";
import { addressOf } from "../../crypto/addresses.ts";
import type { Reader, Writer } from "../../storage/kv.ts";
import { tables } from "../../storage/tables.ts";
import { bodyOf, type HeaderRow, transactionsOf } from "../../storage/values/chain.ts";
import {
  type NetworkRules,
  parseTransaction,
  type Transaction,
  transactionBytes,
} from "../../transactions/index.ts";

/** Length field in front of each transaction of a block. */
const LENGTH_FIELD = 4;

/** Enters header, transactions and id of a key block. */
export function writeKeyBlock(writer: Writer, height: number, block: Block, chainId: number): void {
  const header = blockHeader(block);
  writer.put(tables.headers, height, {
    ...header,
    baseSignature: block.signature,
    size: blockBytes(block).length,
    transactionCount: block.transactions.length,
  });
  if (block.transactions.length > 0)
    writer.insert(tables.bodies, { height, sequence: 0 }, bodyOf(block.transactions.map(transactionBytes)));
  writer.put(tables.blockIds, block.signature, { height, sequence: 0 });
  writer.insert(tables.generatedBlocks, { address: addressOf(block.generator, chainId), height }, true);
  writer.put(tables.tip, undefined, { height, sequence: 0, id: block.signature });
}

/** Enters a micro block; header and tip become those of the total. */
export function writeMicroBlock(
  writer: Writer,
  height: number,
  sequence: number,
  micro: MicroBlock,
  arrivedAt: number,
): void {
  const header = headerRow(writer, height);
  const body = bodyOf(micro.transactions.map(transactionBytes));
  writer.put(tables.headers, height, {
    ...header,
    signature: micro.totalSignature,
    size: header.size + body.bytes.length + LENGTH_FIELD * micro.transactions.length,
    transactionCount: header.transactionCount + micro.transactions.length,
  });
  writer.insert(tables.bodies, { height, sequence }, body);
  writer.put(
    tables.microBlocks,
    { height, sequence },
    {
      version: micro.version,
      reference: micro.reference,
      totalSignature: micro.totalSignature,
      signature: micro.signature,
      arrivedAt,
      firstPosition: header.transactionCount,
      transactionCount: micro.transactions.length,
    },
  );
  writer.put(tables.blockIds, micro.totalSignature, { height, sequence });
  writer.put(tables.tip, undefined, { height, sequence, id: micro.totalSignature });
}

/**
 * The ids of a block that is persisted are forgotten, but for that of the whole block (page 03 §13.3). Where its
 * micro blocks ended stays recorded, since it can decide who paid a fee.
 */
export function forgetLiquidIds(writer: Writer, height: number): void {
  // Most blocks come whole: then there is nothing to look for.
  if (writer.get(tables.microBlocks, { height, sequence: 1 }) === undefined) return;
  const { signature, baseSignature } = headerRow(writer, height);
  const ids = [
    baseSignature,
    ...microBlockRows(writer, height).map(([, { totalSignature }]) => totalSignature),
  ];
  for (const id of ids) if (Buffer.compare(id, signature) !== 0) writer.remove(tables.blockIds, id);
}

/** The header at a height that is on the chain. @throws RangeError when it is not */
export function headerRow(reader: Reader, height: number): HeaderRow {
  const row = reader.get(tables.headers, height);
  if (row === undefined) throw new RangeError(`There is no block at height ${height}`);
  return row;
}

/** The micro blocks of a height, oldest first, with their sequence numbers. */
export function microBlockRows(reader: Reader, height: number) {
  const from = { height, sequence: 0 };
  const to = { height: height + 1, sequence: 0 };
  return [...reader.range(tables.microBlocks, { from, to })].map(
    ([{ sequence }, row]) => [sequence, row] as const,
  );
}

/** The bytes of the transactions of a block, in order; `upTo`: only those of the units up to this sequence. */
export function transactionParts(reader: Reader, height: number, upTo = 0xffff): Uint8Array[] {
  const from = { height, sequence: 0 };
  const to = upTo === 0xffff ? { height: height + 1, sequence: 0 } : { height, sequence: upTo + 1 };
  const parts: Uint8Array[] = [];
  for (const [, body] of reader.range(tables.bodies, { from, to })) parts.push(...transactionsOf(body));
  return parts;
}

/** The transactions of one unit. */
export function unitTransactions(
  reader: Reader,
  height: number,
  sequence: number,
  network: NetworkRules,
): Transaction[] {
  const body = reader.get(tables.bodies, { height, sequence });
  return body === undefined ? [] : transactionsOf(body).map((bytes) => parseTransaction(bytes, network));
}

/** The whole block at a height, or its state at one of its micro blocks; undefined when there is none. */
export function readBlock(
  reader: Reader,
  height: number,
  network: NetworkRules,
  sequence?: number | undefined,
): Block | undefined {
  const row = reader.get(tables.headers, height);
  if (row === undefined) return undefined;
  const { baseSignature, size: _, transactionCount: __, ...fields } = row;
  const transactions = transactionParts(reader, height, sequence).map((bytes) =>
    parseTransaction(bytes, network),
  );
  let { signature } = fields;
  if (sequence === 0) signature = baseSignature;
  else if (sequence !== undefined) {
    const micro = reader.get(tables.microBlocks, { height, sequence });
    if (micro === undefined) return undefined;
    signature = micro.totalSignature;
  }
  return { ...fields, signature, transactions };
}

/** The header of the key block alone, as consensus sees the parent. */
export function keyBlockHeader(row: HeaderRow): BlockHeader {
  const { baseSignature, size: _, ...header } = row;
  return { ...header, signature: baseSignature };
}
