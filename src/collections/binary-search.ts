/**
 * Returns the first number of [low, high) for which `isBelow` is false; `high` if it is true for all of them. The numbers
 * for which it is true come first. They are integers from 0 to 2^31.
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
