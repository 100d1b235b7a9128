/** Place of a transaction: height of its block, and position in the block, counted from 0 across micro blocks. */
export interface Place {
  readonly height: number;
  readonly position: number;
}

/** A unit at a height: the key block (sequence 0), a micro block (1, 2, ...) or a persist unit (`PERSIST_SEQUENCE`). */
export interface UnitKey {
  readonly height: number;
  readonly sequence: number;
}

export function comparePlaces(a: Place, b: Place): number {
  return a.height === b.height ? a.position - b.position : a.height - b.height;
}

export function isAfter(a: UnitKey, b: UnitKey): boolean {
  return a.height === b.height ? a.sequence > b.sequence : a.height > b.height;
}

/** Merges two ascending or two descending iterations. Yields equal places once. */
export function* mergePlaces(a: Iterable<Place>, b: Iterable<Place>, isAscending: boolean): Generator<Place> {
  const iteratorA = a[Symbol.iterator]();
  try {
    let nextA = iteratorA.next();
    for (const place of b) {
      let order = -1;
      while (nextA.done !== true) {
        order = isAscending ? comparePlaces(place, nextA.value) : comparePlaces(nextA.value, place);
        if (order <= 0) break;
        yield nextA.value;
        nextA = iteratorA.next();
      }
      if (nextA.done !== true && order === 0) nextA = iteratorA.next();
      yield place;
    }
    for (; nextA.done !== true; nextA = iteratorA.next()) yield nextA.value;
  } finally {
    iteratorA.return?.();
  }
}
