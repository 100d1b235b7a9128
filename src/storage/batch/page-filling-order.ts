/** Bytes per row besides key and value: header, offset, table prefix. */
const ROW_OVERHEAD = 11;
const PAGE_BYTES = 4_080;
const SAMPLED_ROWS = 16;

/** Yields rows in an order that fills LMDB pages (docs/store.md). @param sorted rows of a table in key order */
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

/** `x`: a row of the second pass. LMDB splits a full page in half. */
const SECOND_OF_SMALL = pattern(".x.x.x.x.");
/** A split of a page with fewer than 48 rows leaves two rows more than half on the left page. */
const SECOND_OF_MEDIUM = pattern(".x..x.x.");

function pattern(text: string): readonly boolean[] {
  return [...text].map((character) => character === "x");
}

/** Returns a repeating pattern, true for rows of the second pass; undefined for a single pass. */
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
