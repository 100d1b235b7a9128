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
 * Returns the common id (the first of a peer's ids that is on our chain), then the ids of our blocks from the common
 * block on, oldest first. So the common id appears twice, as in the reference. If the common block is liquid, its id is
 * returned alone. Page 04 §12.
 * @param ids newest first
 * @param limit maximum blocks, counted from the common block
 * @returns undefined if no id is on the chain
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
 * Returns the ids of our blocks from height `from` down. A liquid block has its current id.
 * Page 04 §11.1.
 */
export function newestIds(reader: Reader, count: number, from = newestUnit(reader).height): Uint8Array[] {
  const ids: Uint8Array[] = [];
  for (let height = from; height >= 1 && ids.length < count; height--) {
    const header = reader.get(tables.headers, height);
    if (header !== undefined) ids.push(header.signature);
  }
  return ids;
}

/** Returns the unit that gave a block this id: each micro block gives the liquid block a new id. */
export function unitOfId(reader: Reader, id: Uint8Array): UnitKey | undefined {
  return reader.get(tables.blockIds, id);
}

/**
 * @param unit its sequence is the last micro block to include
 * @returns undefined if the block at this position does not have this id
 */
export function blockBytesAt(reader: Reader, unit: UnitKey, id: Uint8Array): Uint8Array | undefined {
  const { height, sequence } = unit;
  const header = headerAt(reader, height, sequence);
  if (header === undefined || !bytesEqual(header.signature, id)) return undefined;
  return storedBlockBytes(reader, height, sequence);
}

/** Returns undefined if this micro block is not at this position. */
export function microBlockBytesAt(reader: Reader, unit: UnitKey, total: Uint8Array): Uint8Array | undefined {
  const micro = microBlockRow(reader, unit);
  const header = reader.get(tables.headers, unit.height);
  if (micro === undefined || header === undefined || !bytesEqual(micro.totalSignature, total))
    return undefined;
  const { generator } = header;
  return assembleMicroBlock({ ...micro, generator }, unitBody(reader, unit));
}

/** Returns a reverted block's bytes; its first units may still be on the chain. */
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

export function revertedMicroBlockBytes(reader: Reader, total: Uint8Array): Uint8Array | undefined {
  const unit = reader.get(tables.revertedUnits, total);
  if (unit?.micro === undefined) return undefined;
  const { micro, header, body } = unit;
  const { generator } = header;
  return assembleMicroBlock({ ...micro, generator }, body === undefined ? [] : transactionsOf(body));
}
