/**
 * Returns the first integer in [low, high) for which `isBelow` is false, or `high` if there is none. After that
 * integer, `isBelow` must stay false. The bounds are at most 2^31.
 */
export function lowerBound(low: number, high: number, isBelow: (at: number) => boolean): number {
  let from = low;
  let to = high;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (isBelow(middle)) from = middle + 1;
    else to = middle;
  }
  return from;
}
