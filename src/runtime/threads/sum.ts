/** A number that threads add to: the part of this thread, and the total. */
export interface Sum {
  readonly own: number;
  readonly total: number;
  add(change: number): void;
}

export function localSum(): Sum {
  return new SharedSum(new Int32Array(1), 0);
}

/** Each thread adds to its own cell, which is cleared if the thread ends. */
export class SharedSum implements Sum {
  readonly #cells: Int32Array;
  readonly #thread: number;

  /** @param cells one per thread */
  constructor(cells: Int32Array, thread: number) {
    this.#cells = cells;
    this.#thread = thread;
  }

  get own(): number {
    return Atomics.load(this.#cells, this.#thread);
  }

  get total(): number {
    let total = 0;
    for (let i = 0; i < this.#cells.length; i++) total += Atomics.load(this.#cells, i);
    return total;
  }

  add(change: number): void {
    Atomics.add(this.#cells, this.#thread, change);
  }
}
