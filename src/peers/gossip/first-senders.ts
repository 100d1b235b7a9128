/** Page 04 §25. */
import { bytesKey } from "../../bytes/compare.ts";
import type { Clock } from "../../interfaces.ts";
import type { Peer } from "../connections/peer.ts";

/** Maximum per peer; above it, the peer's oldest transaction is forgotten. */
export const MAX_REMEMBERED_OF_PEER = 2_000;
/** The half-life of credit, ms. */
export const REMEMBER_MS = 1_800_000;

interface Sent {
  readonly peer: Peer;
  /** Monotonic time, ms. */
  readonly at: number;
}

/**
 * First senders of transactions that the pool accepted and the chain does not have yet. The pool accepts any number
 * that spend the same money; only those on the chain cost a fee.
 */
export class FirstSenders {
  readonly #clock: Clock;
  readonly #sent = new Map<string, Sent>();
  /** Oldest first. */
  readonly #ofPeer = new Map<Peer, Set<string>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** At most `MAX_REMEMBERED_OF_PEER` per connected peer. */
  get size(): number {
    return this.#sent.size;
  }

  /** Remembers the sender, unless another peer was first or the connection is closed. */
  add(id: Uint8Array, peer: Peer): void {
    if (peer.isClosed) return;
    const key = bytesKey(id);
    const known = this.#sent.get(key);
    if (known !== undefined && !this.#isExpired(known)) return;
    if (known !== undefined) this.#remove(key, known.peer);
    const own = this.#ofPeer.get(peer) ?? new Set();
    const [oldest] = own;
    if (own.size >= MAX_REMEMBERED_OF_PEER) this.#remove(oldest, peer);
    own.add(key);
    this.#ofPeer.set(peer, own);
    this.#sent.set(key, { peer, at: this.#clock.monotonic() });
  }

  /** Returns the first sender, if remembered, and forgets the transaction. */
  take(id: Uint8Array): Peer | undefined {
    const key = bytesKey(id);
    const known = this.#sent.get(key);
    if (known === undefined) return undefined;
    this.#remove(key, known.peer);
    return this.#isExpired(known) ? undefined : known.peer;
  }

  forget(peer: Peer): void {
    for (const key of this.#ofPeer.get(peer) ?? []) this.#sent.delete(key);
    this.#ofPeer.delete(peer);
  }

  #isExpired({ at }: Sent): boolean {
    return this.#clock.monotonic() - at >= REMEMBER_MS;
  }

  #remove(key: string, peer: Peer): void {
    this.#sent.delete(key);
    const own = this.#ofPeer.get(peer);
    own?.delete(key);
    if (own?.size === 0) this.#ofPeer.delete(peer);
  }
}
