/** Page 04 §25. */
import { bytesKey } from "../../bytes/compare.ts";
import type { Clock } from "../../interfaces.ts";
import type { Peer } from "../connections/peer.ts";

/** Further transactions of a peer displace its oldest one. */
export const MAX_REMEMBERED_OF_PEER = 2_000;
/** A first sender is forgotten after this time, ms: the half-life of credit. */
export const REMEMBER_MS = 1_800_000;

interface FirstSender {
  readonly peer: Peer;
  /** Monotonic, ms. */
  readonly at: number;
}

/** The first sender of a transaction gets credit only once the transaction is on the chain, where it costs a fee. */
export class FirstSenders {
  readonly #clock: Clock;
  readonly #firstSenders = new Map<string, FirstSender>();
  readonly #keysByPeer = new Map<Peer, Set<string>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#firstSenders.size;
  }

  add(id: Uint8Array, peer: Peer): void {
    if (peer.isClosed) return;
    const key = bytesKey(id);
    const earlier = this.#firstSenders.get(key);
    if (earlier !== undefined && !this.#isExpired(earlier)) return;
    if (earlier !== undefined) this.#remove(key, earlier.peer);
    const keys = this.#keysByPeer.get(peer) ?? new Set();
    const [oldest] = keys;
    if (keys.size >= MAX_REMEMBERED_OF_PEER) this.#remove(oldest, peer);
    keys.add(key);
    this.#keysByPeer.set(peer, keys);
    this.#firstSenders.set(key, { peer, at: this.#clock.monotonic() });
  }

  take(id: Uint8Array): Peer | undefined {
    const key = bytesKey(id);
    const sent = this.#firstSenders.get(key);
    if (sent === undefined) return undefined;
    this.#remove(key, sent.peer);
    return this.#isExpired(sent) ? undefined : sent.peer;
  }

  forget(peer: Peer): void {
    for (const key of this.#keysByPeer.get(peer) ?? []) this.#firstSenders.delete(key);
    this.#keysByPeer.delete(peer);
  }

  #isExpired({ at }: FirstSender): boolean {
    return this.#clock.monotonic() - at >= REMEMBER_MS;
  }

  #remove(key: string, peer: Peer): void {
    this.#firstSenders.delete(key);
    const keys = this.#keysByPeer.get(peer);
    keys?.delete(key);
    if (keys?.size === 0) this.#keysByPeer.delete(peer);
  }
}
