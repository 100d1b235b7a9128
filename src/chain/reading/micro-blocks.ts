import { lowerBound } from "../../collections/binary-search.ts";
import type { Reader } from "../../storage/kv.ts";
import type { Place, UnitKey } from "../../storage/places.ts";
import { tables } from "../../storage/tables.ts";
import type { MicroBlockRow } from "../../storage/values/chain.ts";
import type { UnitPlace } from "./bodies.ts";

export function microBlockRow(reader: Reader, unit: UnitKey): MicroBlockRow | undefined {
  return unit.sequence === 0 ? undefined : reader.get(tables.microBlocks, unit);
}

export function* microBlockRows(
  reader: Reader,
  height: number,
  first = 1,
): Generator<readonly [number, MicroBlockRow]> {
  const range = { from: { height, sequence: first }, to: { height: height + 1, sequence: 0 } };
  for (const [{ sequence }, row] of reader.range(tables.microBlocks, range)) yield [sequence, row];
}

export function lastSequence(reader: Reader, height: number): number {
  if (reader.get(tables.microBlocks, { height, sequence: 1 }) === undefined) return 0;
  const range = { from: { height, sequence: 1 }, to: { height: height + 1, sequence: 0 } };
  for (const [{ sequence }] of reader.range(tables.microBlocks, { ...range, reverse: true, limit: 1 }))
    return sequence;
  return 0;
}

export function unitPlaceOf(reader: Reader, { height, position }: Place): UnitPlace {
  let firstPosition = 0;
  const next = lowerBound(1, lastSequence(reader, height) + 1, (sequence) => {
    const start = reader.get(tables.microBlocks, { height, sequence })?.firstPosition;
    if (start === undefined || start > position) return false;
    firstPosition = start;
    return true;
  });
  return { height, sequence: next - 1, index: position - firstPosition };
}

/** Like `unitPlaceOf`, for a known unit. */
export function unitPlaceIn(reader: Reader, { height, sequence }: UnitKey, position: number): UnitPlace {
  const firstPosition = microBlockRow(reader, { height, sequence })?.firstPosition ?? 0;
  return { height, sequence, index: position - firstPosition };
}
