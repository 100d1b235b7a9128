/** The peer that first sent a transaction gets credit when the chain has the transaction. Page 04 §25. */
import { bytesKey } from "../../bytes/compare.ts";
import type { Clock } from "../../interfaces.ts";
import type { Peer } from "../connections/peer.ts";

/** Transactions remembered per peer; above it, the peer's oldest one is forgotten. */
export const MAX_REMEMBERED_OF_PEER = 2_000;
/** As long as credit keeps half of its points, ms. */
export const REMEMBER_MS = 1_800_000;

interface Sent {
  readonly peer: Peer;
  /** By the monotonic clock, ms. */
  readonly at: number;
}

/**
 * The first senders of transactions that the pool accepted and the chain does not have yet. The pool judges each
 * transaction on the tip alone, so it accepts any number that spend the same money. Their sender pays a fee only
 * for those that come to the chain.
 */
export class FirstSenders {
  readonly #clock: Clock;
  readonly #sent = new Map<string, Sent>();
  /** Ids per peer, oldest first. */
  readonly #ofPeer = new Map<Peer, Set<string>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Number of remembered transactions: at most `MAX_REMEMBERED_OF_PEER` per connected peer. */
  get size(): number {
    return this.#sent.size;
  }

  /** Remembers the sender of a transaction, unless another peer sent it before or the connection is closed. */
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

  /** Returns the first sender of a transaction and forgets the transaction; undefined if no sender is remembered. */
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
