/** Where a transaction is: its height, and its position in the whole block from 0, micro blocks included. */
export interface Place {
  readonly height: number;
  readonly position: number;
}

/** A part of a block: the key block (sequence 0) or a micro block (1, 2, ...) at a height. */
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

/** Merges two iterations in the same direction, without duplicates. */
export function* mergePlaces(a: Iterable<Place>, b: Iterable<Place>, up: boolean): Generator<Place> {
  const others = a[Symbol.iterator]();
  try {
    let other = others.next();
    for (const place of b) {
      let order = -1;
      while (other.done !== true) {
        order = up ? comparePlaces(place, other.value) : comparePlaces(other.value, place);
        if (order <= 0) break;
        yield other.value;
        other = others.next();
      }
      if (other.done !== true && order === 0) other = others.next();
      yield place;
    }
    for (; other.done !== true; other = others.next()) yield other.value;
  } finally {
    others.return?.();
  }
}
