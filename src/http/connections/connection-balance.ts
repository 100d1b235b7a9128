import type { Socket } from "node:net";
import type { HttpCounts } from "../counts.ts";

/** A thread compares itself with the others after this number of its requests. */
const WINDOW_REQUESTS = 512;
/** Deviation from the mean that is not corrected. */
const TOLERANCE = 0.15;

export class ConnectionBalance {
  readonly #counts: Pick<HttpCounts, "requests" | "threads">;
  #remaining = WINDOW_REQUESTS;
  #total: number;
  /** Connections with a request in this window. */
  #active = new WeakSet<Socket>();
  #activeCount = 0;
  #surplus = 0;

  constructor(counts: Pick<HttpCounts, "requests" | "threads">) {
    this.#counts = counts;
    this.#total = counts.requests.total;
  }

  /** Returns true if the answer should close the connection. */
  countRequest(socket: Socket): boolean {
    this.#counts.requests.add(1);
    if (!this.#active.has(socket)) {
      this.#active.add(socket);
      this.#activeCount++;
    }
    if (--this.#remaining === 0) this.#endWindow();
    if (this.#surplus === 0) return false;
    this.#surplus--;
    return true;
  }

  #endWindow(): void {
    const { requests, threads } = this.#counts;
    const { total } = requests;
    // The cells have 32 bits and may overflow.
    const mean = ((total - this.#total) | 0) / threads;
    const share = mean / WINDOW_REQUESTS;
    // A connection moves only if its load is not greater than the excess.
    this.#surplus = share * (1 + TOLERANCE) < 1 ? Math.floor(this.#activeCount * (1 - share)) : 0;
    this.#total = total;
    this.#remaining = WINDOW_REQUESTS;
    this.#active = new WeakSet();
    this.#activeCount = 0;
  }
}
