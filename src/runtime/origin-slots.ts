import { originOf } from "../bytes/ip.ts";

/** Limits slots, such as connections, in total and per origin. Page 04 §4.2. */
export class OriginSlots {
  readonly #max: number;
  readonly #maxOfOrigin: number;
  readonly #ofOrigin = new Map<string, number>();
  #total = 0;

  constructor(max: number, maxOfOrigin: number) {
    this.#max = max;
    this.#maxOfOrigin = maxOfOrigin;
  }

  get total(): number {
    return this.#total;
  }

  get isFull(): boolean {
    return this.#total >= this.#max;
  }

  isFullFor(host: string): boolean {
    return (this.#ofOrigin.get(originOf(host)) ?? 0) >= this.#maxOfOrigin;
  }

  /** Takes a slot. @returns releases it; undefined if no slot is free */
  take(host: string): (() => void) | undefined {
    if (this.isFull || this.isFullFor(host)) return undefined;
    const key = originOf(host);
    this.#total++;
    this.#ofOrigin.set(key, (this.#ofOrigin.get(key) ?? 0) + 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.#total--;
      const left = (this.#ofOrigin.get(key) ?? 1) - 1;
      if (left > 0) this.#ofOrigin.set(key, left);
      else this.#ofOrigin.delete(key);
    };
  }
}
