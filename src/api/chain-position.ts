/** Chain positions as text: `height.sequence.id`, with the id in Base58; `0` before the first block. */

import { decodeBase58, encodeBase58 } from "../bytes/base58.ts";
import type { ChainCursor, ChainSnapshot, PersistUnits } from "../interfaces.ts";
import { MAX_PERSIST_UNITS } from "../queries/units.ts";
import { isSameUnit } from "../units/same-unit.ts";

export const startCursor: ChainCursor = { height: 0, sequence: 0, id: new Uint8Array(0) };

const START = "0";
const ID_BYTES = 64;
const MAX_ID_TEXT_LENGTH = 88;
const CURSOR_PATTERN = /^([1-9]\d{0,9})\.(0|[1-9]\d{0,9})\.([1-9A-HJ-NP-Za-km-z]{64,88})$/;
const INT32_MAX = 2_147_483_647;

export function formatCursor({ height, sequence, id }: ChainCursor): string {
  return height === 0 ? START : `${height}.${sequence}.${encodeBase58(id)}`;
}

/** Returns undefined if the text is not a position. */
export function parseCursor(text: string): ChainCursor | undefined {
  if (text === START) return startCursor;
  const found = CURSOR_PATTERN.exec(text);
  if (found === null) return undefined;
  const [height, sequence] = [Number(found[1]), Number(found[2])];
  if (Math.max(height, sequence) > INT32_MAX) return undefined;
  const id = decodeBase58(found[3], MAX_ID_TEXT_LENGTH);
  return id.length === ID_BYTES ? { height, sequence, id } : undefined;
}

const PERSIST_UNITS_PATTERN = /^\d{1,10}(\.\d{1,10})*$/;

export function formatPersistUnits({ from, heights }: PersistUnits): string {
  return [from, ...heights].join(".");
}

export function parsePersistUnits(text: string): PersistUnits | undefined {
  if (!PERSIST_UNITS_PATTERN.test(text)) return undefined;
  const [from, ...heights] = text.split(".").map(Number);
  if (heights.length > MAX_PERSIST_UNITS) return undefined;
  return heights.every((height, i) => height >= (heights[i - 1] ?? from)) ? { from, heights } : undefined;
}

export function cachingCursorFormatter(): (cursor: ChainCursor) => string {
  let last: { readonly cursor: ChainCursor; readonly text: string } | undefined;
  return (cursor) => {
    if (last === undefined || !isSameUnit(last.cursor, cursor)) last = { cursor, text: formatCursor(cursor) };
    return last.text;
  };
}

/**
 * Compares the chain with a position that another node may have reported.
 *
 * - `reached`: the chain is higher, or has the same height and a record of the position (also if reverted)
 * - `unknown`: the chain has the same height, at least the same sequence, and no record of the position
 * - `ahead`: the position is ahead of the chain
 */
export function compareWithChain(
  chain: ChainSnapshot,
  position: ChainCursor,
): "reached" | "unknown" | "ahead" {
  const tip = chain.tip();
  if (tip.height !== position.height) return tip.height > position.height ? "reached" : "ahead";
  if (isSameUnit(tip, position) || chain.changes.unit(position) !== undefined) return "reached";
  return tip.sequence >= position.sequence ? "unknown" : "ahead";
}
