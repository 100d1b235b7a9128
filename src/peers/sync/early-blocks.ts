/** Timers for blocks dated slightly ahead of our clock. Page 03 §8.6. */
import type { Cancel, Clock } from "../../interfaces.ts";
import type { Peer } from "../connections/peer.ts";

const MAX_WAIT_MS = 60_000;

export class EarlyBlockTimers {
  readonly #clock: Pick<Clock, "after">;
  readonly #onDue: (peer: Peer) => void;
  readonly #waits = new Map<Peer, Cancel>();

  constructor(clock: Pick<Clock, "after">, onDue: (peer: Peer) => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  wait(peer: Peer, ms: number): void {
    this.forget(peer);
    if (ms > MAX_WAIT_MS || peer.isClosed) return;
    const cancel = this.#clock.after(ms, () => {
      this.#waits.delete(peer);
      this.#onDue(peer);
    });
    this.#waits.set(peer, cancel);
  }

  forget(peer: Peer): void {
    this.#waits.get(peer)?.();
    this.#waits.delete(peer);
  }

  end(): void {
    for (const cancel of this.#waits.values()) cancel();
    this.#waits.clear();
  }
}
