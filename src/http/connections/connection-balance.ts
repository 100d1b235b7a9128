import type { Socket } from "node:net";
import type { HttpCounts } from "../counts.ts";

/** Requests after which a thread compares its load with the mean. */
const WINDOW_REQUESTS = 512;
/** Tolerated load above the mean, as a fraction of the mean. */
const TOLERANCE = 0.15;

/** A busy thread closes connections, so that their clients connect to other threads. */
export class ConnectionBalance {
  readonly #counts: Pick<HttpCounts, "requests" | "threads">;
  /** Requests of this thread until the window ends. */
  #remaining = WINDOW_REQUESTS;
  /** Requests of all threads before the window. */
  #totalBefore: number;
  /** Connections with a request in the window. */
  #active = new WeakSet<Socket>();
  #activeCount = 0;
  #connectionsToClose = 0;

  constructor(counts: Pick<HttpCounts, "requests" | "threads">) {
    this.#counts = counts;
    this.#totalBefore = counts.requests.total;
  }

  /** Returns true if the answer should close the connection. */
  countRequest(socket: Socket): boolean {
    this.#counts.requests.add(1);
    if (!this.#active.has(socket)) {
      this.#active.add(socket);
      this.#activeCount++;
    }
    if (--this.#remaining === 0) this.#endWindow();
    if (this.#connectionsToClose === 0) return false;
    this.#connectionsToClose--;
    return true;
  }

  #endWindow(): void {
    const { requests, threads } = this.#counts;
    const { total } = requests;
    // The 32-bit counts may overflow; `| 0` corrects their difference.
    const mean = ((total - this.#totalBefore) | 0) / threads;
    const keptFraction = mean / WINDOW_REQUESTS;
    // Round down: a connection with more load than the thread's excess stays.
    this.#connectionsToClose =
      keptFraction * (1 + TOLERANCE) < 1 ? Math.floor(this.#activeCount * (1 - keptFraction)) : 0;
    this.#totalBefore = total;
    this.#remaining = WINDOW_REQUESTS;
    this.#active = new WeakSet();
    this.#activeCount = 0;
  }
}
