import { assembleBlock, type Block, blockBytes, blockHeader } from "../../blocks/block.ts";
import type { MicroBlock } from "../../blocks/micro-block.ts";
import { addressOf } from "../../crypto/addresses.ts";
import type { Reader, Writer } from "../../storage/kv.ts";
import { tables } from "../../storage/tables.ts";
import type { HeaderRow } from "../../storage/values/chain.ts";
import { type NetworkRules, reparseTransaction } from "../../transactions/index.ts";
import { blockBody, writeBody } from "./bodies.ts";
import { microBlockRow, microBlockRows } from "./micro-blocks.ts";

export const LENGTH_FIELD_BYTES = 4;

export function keyBlockHeader(block: Block): HeaderRow {
  return { baseSignature: block.signature, size: blockBytes(block).length, ...blockHeader(block) };
}

/** @param transactionBytes size of the transactions, without their length fields */
export function withMicroBlock(
  header: HeaderRow,
  signature: Uint8Array,
  transactionCount: number,
  transactionBytes: number,
): HeaderRow {
  return {
    ...header,
    signature,
    size: header.size + transactionBytes + LENGTH_FIELD_BYTES * transactionCount,
    transactionCount: header.transactionCount + transactionCount,
  };
}

export function writeKeyBlock(writer: Writer, height: number, block: Block, chainId: number): void {
  writer.insert(tables.headers, height, keyBlockHeader(block));
  writeBody(writer, { height, sequence: 0 }, block.transactions);
  writer.put(tables.blockIds, block.signature, { height, sequence: 0 });
  writer.insert(tables.generatedBlocks, { address: addressOf(block.generator, chainId), height }, true);
  writer.put(tables.tip, undefined, { height, sequence: 0, id: block.signature });
}

export function writeMicroBlock(
  writer: Writer,
  height: number,
  sequence: number,
  micro: MicroBlock,
  arrivedAt: number,
): void {
  const header = headerRow(writer, height);
  const length = writeBody(writer, { height, sequence }, micro.transactions);
  writer.put(
    tables.headers,
    height,
    withMicroBlock(header, micro.totalSignature, micro.transactions.length, length),
  );
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

/** Removes a persisted block's ids except that of the whole block (page 03 §13.3). */
export function forgetLiquidIds(writer: Writer, height: number): void {
  if (microBlockRow(writer, { height, sequence: 1 }) === undefined) return;
  const { signature, baseSignature } = headerRow(writer, height);
  const ids = [baseSignature];
  for (const [, { totalSignature }] of microBlockRows(writer, height)) ids.push(totalSignature);
  for (const id of ids) if (Buffer.compare(id, signature) !== 0) writer.remove(tables.blockIds, id);
}

/** @throws RangeError if there is no block */
export function headerRow(reader: Reader, height: number): HeaderRow {
  const row = reader.get(tables.headers, height);
  if (row === undefined) throw new RangeError(`No block at height ${height}`);
  return row;
}

/**
 * @param sequence last micro block to include (0: none; default: all)
 * @throws BlockStructureError for more transactions than the block's version can count
 */
export function storedBlockBytes(
  reader: Reader,
  height: number,
  sequence?: number | undefined,
): Uint8Array | undefined {
  const header = headerAt(reader, height, sequence);
  return header && assembleBlock(header, blockBody(reader, height, sequence));
}

export function readBlock(
  reader: Reader,
  height: number,
  network: NetworkRules,
  sequence?: number | undefined,
): Block | undefined {
  const header = headerAt(reader, height, sequence);
  if (header === undefined) return undefined;
  const { baseSignature: _, size: __, transactionCount: ___, ...fields } = header;
  const transactionBytes = blockBody(reader, height, sequence);
  return { ...fields, transactions: transactionBytes.map((bytes) => reparseTransaction(bytes, network)) };
}

/** Returns the header, with the signature that the block had after micro block `sequence`. */
export function headerAt(
  reader: Reader,
  height: number,
  sequence?: number | undefined,
): HeaderRow | undefined {
  const row = reader.get(tables.headers, height);
  if (row === undefined || sequence === undefined) return row;
  const signature =
    sequence === 0 ? row.baseSignature : microBlockRow(reader, { height, sequence })?.totalSignature;
  return signature && { ...row, signature };
}
