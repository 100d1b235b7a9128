/** Bytes per row besides key and value: header, offset, table prefix. */
const ROW_OVERHEAD = 11;
const PAGE_BYTES = 4_080;
const SAMPLED_ROWS = 16;

/** Yields the rows of a table, sorted by key, in an order that fills the pages of LMDB (docs/store.md). */
export function* pageFillingOrder<R>(sorted: readonly R[], sizeOf: (row: R) => number): Generator<R> {
  const second = secondPass(sorted, sizeOf);
  if (second === undefined) {
    yield* sorted;
    return;
  }
  const isSecond = (i: number): boolean => second[i % second.length];
  for (let i = 0; i < sorted.length; i++) if (!isSecond(i)) yield sorted[i];
  for (let i = 0; i < sorted.length; i++) if (isSecond(i)) yield sorted[i];
}

/** `x`: a row of the second pass. LMDB splits a page of many rows in half. */
const SECOND_OF_SMALL = pattern(".x.x.x.x.");
/** Of fewer than 48 rows, the left half keeps two more. */
const SECOND_OF_MEDIUM = pattern(".x..x.x.");

function pattern(text: string): readonly boolean[] {
  return [...text].map((character) => character === "x");
}

/** Returns which rows of each group are for the second pass; undefined for a single pass. */
function secondPass<R>(sorted: readonly R[], sizeOf: (row: R) => number): readonly boolean[] | undefined {
  let bytes = 0;
  const count = Math.min(SAMPLED_ROWS, sorted.length);
  for (let i = 0; i < count; i++)
    bytes += sizeOf(sorted[Math.floor((i * sorted.length) / count)]) + ROW_OVERHEAD;
  const perPage = (PAGE_BYTES * count) / bytes;
  // The order matters little for a few pages, or for a few rows per page.
  if (sorted.length < 2 * perPage || perPage < 12) return undefined;
  return perPage < 48 ? SECOND_OF_MEDIUM : SECOND_OF_SMALL;
}
