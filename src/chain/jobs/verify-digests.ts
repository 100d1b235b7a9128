import { bytesEqual } from "../../bytes/compare.ts";
import { PERSIST_SEQUENCE } from "../../storage/batch/write-batch.ts";
import type { Reader } from "../../storage/kv.ts";
import { isAfter, type UnitKey } from "../../storage/places.ts";
import { tables } from "../../storage/tables.ts";
import { type FaultOrPause, mergeSorted } from "./verify-differences.ts";

const ROWS_PER_SLICE = 2_000;

/**
 * Compares units' digests, from the first one in `stored`.
 * @param expected the correct store
 */
export function* digestFaults(stored: Reader, expected: Reader): Generator<FaultOrPause, number> {
  const table = tables.unitDigests;
  let rows = 0;
  let work = 0;
  const compare = ([a]: [UnitKey, Uint8Array], [b]: [UnitKey, Uint8Array]): number =>
    isAfter(a, b) ? 1 : isAfter(b, a) ? -1 : 0;
  for (const [first] of stored.range(table, { limit: 1 }))
    for (const [found, correct] of mergeSorted(
      stored.range(table),
      expected.range(table, { from: first }),
      compare,
    )) {
      if (found !== undefined) rows++;
      const [unit] = found ?? correct;
      if (found === undefined) yield fault(unit, "is missing");
      else if (correct === undefined) yield fault(unit, "is unexpected");
      else if (!bytesEqual(found[1], correct[1])) yield fault(unit, "is not the digest of this unit's rows");
      if (++work % ROWS_PER_SLICE === 0) yield undefined;
    }
  return rows;
}

function fault({ height, sequence }: UnitKey, problem: string) {
  const kind = sequence === PERSIST_SEQUENCE ? " (persist unit)" : "";
  return { table: tables.unitDigests.name, key: `height=${height} sequence=${sequence}${kind}`, problem };
}
