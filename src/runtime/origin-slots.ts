import { originOf } from "../bytes/ip.ts";

/** Limits how many slots, such as connections, are taken in total and per origin. Page 04 §4.2. */
export class OriginSlots {
  readonly #max: number;
  readonly #maxPerOrigin: number;
  readonly #takenByOrigin = new Map<string, number>();
  #total = 0;

  constructor(max: number, maxPerOrigin: number) {
    this.#max = max;
    this.#maxPerOrigin = maxPerOrigin;
  }

  get total(): number {
    return this.#total;
  }

  get isFull(): boolean {
    return this.#total >= this.#max;
  }

  isFullFor(host: string): boolean {
    return (this.#takenByOrigin.get(originOf(host)) ?? 0) >= this.#maxPerOrigin;
  }

  /** @returns a function that releases the slot; undefined if no slot is free */
  take(host: string): (() => void) | undefined {
    if (this.isFull || this.isFullFor(host)) return undefined;
    const origin = originOf(host);
    this.#total++;
    this.#takenByOrigin.set(origin, (this.#takenByOrigin.get(origin) ?? 0) + 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.#total--;
      const remaining = (this.#takenByOrigin.get(origin) ?? 1) - 1;
      if (remaining > 0) this.#takenByOrigin.set(origin, remaining);
      else this.#takenByOrigin.delete(origin);
    };
  }
}
