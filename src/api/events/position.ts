/** Positions of events; as text, they are the events' ids. */
import type { AppliedUnit, ChainCursor } from "../../interfaces.ts";
import { formatCursor, parseCursor, startCursor } from "../chain-position.ts";

/** Position in a unit, after `offset` transactions. */
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

export const startPosition: EventPosition = { unit: startCursor, offset: 0, isWhole: true };

const POSITION_PATTERN = /^(.+)\.(0|[1-9]\d{0,9})$/;
const INT32_MAX = 2_147_483_647;

/** Formats `height.sequence.id.offset`, or `0` for the start. */
export function formatPosition({ unit, offset }: EventPosition): string {
  const text = formatCursor(unit);
  return unit.height === 0 ? text : `${text}.${offset}`;
}

export function parsePosition(text: string): EventPosition | undefined {
  if (parseCursor(text)?.height === 0) return startPosition;
  const found = POSITION_PATTERN.exec(text);
  const unit = found === null ? undefined : parseCursor(found[1]);
  const offset = Number(found?.[2]);
  return unit === undefined || unit.height === 0 || offset > INT32_MAX ? undefined : { unit, offset };
}
