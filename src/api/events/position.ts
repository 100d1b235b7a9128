/** An event's id is its encoded position. */
import { decodeBase58, encodeBase58 } from "../../bytes/base58.ts";
import type { AppliedUnit, ChainCursor } from "../../interfaces.ts";

/** Position in a unit, after its first `offset` transactions. Height 0 is before the first block. */
export interface EventPosition {
  readonly unit: ChainCursor;
  /** May exceed the number of transactions in the unit. */
  readonly offset: number;
  /** True if `offset` counts all transactions of the unit. */
  readonly isWhole?: boolean;
}

export function afterUnit(unit: AppliedUnit): EventPosition {
  return { unit, offset: unit.transactions.length, isWhole: true };
}

export const startPosition: EventPosition = {
  unit: { height: 0, sequence: 0, id: new Uint8Array(0) },
  offset: 0,
  isWhole: true,
};

const START = "0";
const ID_BYTES = 64;
const MAX_ID_TEXT = 88;
const POSITION_PATTERN =
  /^([1-9]\d{0,9})\.(0|[1-9]\d{0,9})\.([1-9A-HJ-NP-Za-km-z]{64,88})\.(0|[1-9]\d{0,9})$/;
const INT32_MAX = 2_147_483_647;

/** Formats `height.sequence.id.offset`, or `0` for the start. */
export function formatPosition({ unit, offset }: EventPosition): string {
  const { height, sequence, id } = unit;
  return height === 0 ? START : `${height}.${sequence}.${encodeBase58(id)}.${offset}`;
}

/** Returns undefined for an invalid id. */
export function parsePosition(text: string): EventPosition | undefined {
  if (text === START) return startPosition;
  const found = POSITION_PATTERN.exec(text);
  if (found === null) return undefined;
  const [height, sequence, offset] = [found[1], found[2], found[4]].map(Number);
  if (Math.max(height, sequence, offset) > INT32_MAX) return undefined;
  const id = decodeBase58(found[3], MAX_ID_TEXT);
  return id.length === ID_BYTES ? { unit: { height, sequence, id }, offset } : undefined;
}
