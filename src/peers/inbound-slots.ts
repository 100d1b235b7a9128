/** How many connections others may open to this node. Page 04 §4.2. */
import { originOf } from "../bytes/ip.ts";

/** Counts inbound connections, in all and of each origin. */
export class InboundSlots {
  readonly #max: number;
  readonly #maxOfHost: number;
  readonly #ofHost = new Map<string, number>();
  #total = 0;

  /**
   * @param max `max-inbound-connections` of page 04 §23.1
   * @param maxOfHost `max-single-host-connections`
   */
  constructor(max: number, maxOfHost: number) {
    this.#max = max;
    this.#maxOfHost = maxOfHost;
  }

  /** Connections that are counted now. */
  get total(): number {
    return this.#total;
  }

  /** Whether there is no place for anybody. */
  get isFull(): boolean {
    return this.#total >= this.#max;
  }

  /** Whether a host has as many as it may. */
  isFullFor(host: string): boolean {
    return (this.#ofHost.get(originOf(host)) ?? 0) >= this.#maxOfHost;
  }

  /**
   * Takes a place for a connection.
   * @returns what gives it back when the connection ends, as often as it is called; undefined when there is none
   */
  take(host: string): (() => void) | undefined {
    if (this.isFull || this.isFullFor(host)) return undefined;
    const key = originOf(host);
    this.#total++;
    this.#ofHost.set(key, (this.#ofHost.get(key) ?? 0) + 1);
    let taken = true;
    return () => {
      if (!taken) return;
      taken = false;
      this.#total--;
      const left = (this.#ofHost.get(key) ?? 1) - 1;
      if (left > 0) this.#ofHost.set(key, left);
      else this.#ofHost.delete(key);
    };
  }
}
