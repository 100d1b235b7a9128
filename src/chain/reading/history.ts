/** What other nodes ask of the chain: which blocks follow one of theirs, and blocks by their ids. Page 04 §12. */
import { assembleBlock } from "../../blocks/block.ts";
import { assembleMicroBlock } from "../../blocks/micro-block.ts";
import { bytesEqual } from "../../bytes/compare.ts";
import type { Reader } from "../../storage/kv.ts";
import type { UnitKey } from "../../storage/places.ts";
import { tables } from "../../storage/tables.ts";
import { transactionsOf } from "../../storage/values/chain.ts";
import { blockBody, unitBody } from "./bodies.ts";
import { isOnChain, newestUnit } from "./changes.ts";
import { microBlockRow } from "./micro-blocks.ts";
import { headerAt, storedBlockBytes } from "./rows.ts";

/**
 * The first of these ids that is on the chain, and the blocks behind it, oldest first: a persisted block stands there
 * twice, as the reference has it; a state of the liquid block alone, since nothing follows it. Page 04 §12.
 * @param ids newest first
 * @param limit of the blocks counted from the common one on
 * @returns undefined when the chain has none of them
 */
export function idsAfter(
  reader: Reader,
  ids: readonly Uint8Array[],
  limit: number,
): Uint8Array[] | undefined {
  const end = newestUnit(reader).height;
  const persisted = reader.get(tables.heights, undefined)?.persisted ?? 0;
  for (const id of ids) {
    const height = reader.get(tables.blockIds, id)?.height;
    if (height === undefined) continue;
    if (height > persisted) return [id];
    const answer = [id];
    for (let at = height; at <= end && answer.length <= limit; at++) {
      const header = reader.get(tables.headers, at);
      if (header !== undefined) answer.push(header.signature);
    }
    return answer;
  }
  return undefined;
}

/**
 * Ids of the newest blocks, newest first: that of the liquid block as it stands is the first. Page 04 §11.1.
 * @param from height of the first one; by default that of the chain
 */
export function newestIds(reader: Reader, count: number, from = newestUnit(reader).height): Uint8Array[] {
  const ids: Uint8Array[] = [];
  for (let height = from; height >= 1 && ids.length < count; height--) {
    const header = reader.get(tables.headers, height);
    if (header !== undefined) ids.push(header.signature);
  }
  return ids;
}

/** Where the block with an id stands: of the liquid block, and of its micro blocks, each state has one. */
export function unitOfId(reader: Reader, id: Uint8Array): UnitKey | undefined {
  return reader.get(tables.blockIds, id);
}

/**
 * The block as it stood with a unit, in its canonical bytes.
 * @param id what the block's id has to be
 * @returns undefined when the chain has another block there
 */
export function blockBytesAt(
  reader: Reader,
  { height, sequence }: UnitKey,
  id: Uint8Array,
): Uint8Array | undefined {
  const header = headerAt(reader, height, sequence);
  if (header === undefined || !bytesEqual(header.signature, id)) return undefined;
  return storedBlockBytes(reader, height, sequence);
}

/**
 * The micro block of a unit, in its canonical bytes.
 * @param total what the id of its total has to be
 * @returns undefined when the chain has none, or another one there
 */
export function microBlockBytesAt(reader: Reader, unit: UnitKey, total: Uint8Array): Uint8Array | undefined {
  const micro = microBlockRow(reader, unit);
  const header = reader.get(tables.headers, unit.height);
  if (micro === undefined || header === undefined || !bytesEqual(micro.totalSignature, total))
    return undefined;
  const { generator } = header;
  return assembleMicroBlock({ ...micro, generator }, unitBody(reader, unit));
}

/**
 * A block that has left the chain, as it stood with a unit that the log of reverted units remembers: of a liquid block
 * the older part may still be on the chain.
 */
export function revertedBlockBytes(reader: Reader, id: Uint8Array): Uint8Array | undefined {
  const newest = reader.get(tables.revertedUnits, id);
  if (newest === undefined) return undefined;
  const parts: (readonly Uint8Array[])[] = [];
  for (let unit = newest; ; ) {
    parts.push(unit.body === undefined ? [] : transactionsOf(unit.body));
    if (unit.sequence === 0) break;
    const { parent } = unit;
    if (isOnChain(reader, parent)) {
      parts.push(blockBody(reader, parent.height, parent.sequence));
      break;
    }
    const next = reader.get(tables.revertedUnits, parent.id);
    if (next === undefined) return undefined;
    unit = next;
  }
  return assembleBlock({ ...newest.header, signature: id }, parts.reverse().flat());
}

/** A micro block that has left the chain, while the log of reverted units remembers it. */
export function revertedMicroBlockBytes(reader: Reader, total: Uint8Array): Uint8Array | undefined {
  const unit = reader.get(tables.revertedUnits, total);
  if (unit?.micro === undefined) return undefined;
  const { micro, header, body } = unit;
  const { generator } = header;
  return assembleMicroBlock({ ...micro, generator }, body === undefined ? [] : transactionsOf(body));
}
