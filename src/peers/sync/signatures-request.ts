/** Asking a peer which blocks follow ours. Page 04 §11.2. */
import { bytesKey } from "../../bytes/compare.ts";
import type { Cancel, Clock } from "../../interfaces.ts";
import type { Peer } from "../connections/peer.ts";

/** How long a peer may be silent where another one could be asked instead, ms: also between the blocks that it sends. */
export const SLOW_PEER_TIMEOUT_MS = 10_000;

interface SignaturesRequestOptions {
  readonly clock: Clock;
  /** `synchronization-timeout` */
  readonly timeoutMs: number;
  readonly onTimeout: () => void;
  /** Nothing came for a while: whoever has another peer to ask had better do so. */
  readonly onSlow: () => void;
}

/** What an answer says. */
type Answer =
  | { readonly kind: "nothing new" }
  /** Blocks behind one that was asked about: `parent`. */
  | { readonly kind: "blocks"; readonly parent: Uint8Array; readonly ids: readonly Uint8Array[] }
  /** No node that goes by the protocol says so to this question. `elsewhere`: it begins with none of the ids. */
  | { readonly kind: "unfit"; readonly elsewhere: boolean };

/** A peer was asked, with these ids. */
export class SignaturesRequest {
  readonly kind = "signatures";
  isLate = false;
  readonly #known: ReadonlySet<string>;
  readonly #timers: readonly Cancel[];

  /**
   * Asks.
   * @param ids newest first
   * @param score what the peer says of its chain
   */
  constructor(
    readonly peer: Peer,
    readonly score: bigint,
    ids: readonly Uint8Array[],
    { clock, timeoutMs, onTimeout, onSlow }: SignaturesRequestOptions,
  ) {
    const different = new Map(ids.map((id) => [bytesKey(id), id]));
    this.#known = new Set(different.keys());
    const timers = [clock.after(timeoutMs, onTimeout)];
    if (SLOW_PEER_TIMEOUT_MS < timeoutMs) timers.push(clock.after(SLOW_PEER_TIMEOUT_MS, onSlow));
    this.#timers = timers;
    peer.send({ type: "GetSignatures", ids: [...different.values()] });
  }

  /** Reads an answer: a run of ids that were asked about, then others, each of them once. */
  read(ids: readonly Uint8Array[]): Answer {
    const keys = ids.map(bytesKey);
    const first = keys.findIndex((key) => !this.#known.has(key));
    if (first < 0) return { kind: "nothing new" };
    const unknown = keys.slice(first);
    const isFit = new Set(unknown).size === unknown.length && !unknown.some((key) => this.#known.has(key));
    if (first === 0 || !isFit) return { kind: "unfit", elsewhere: first === 0 };
    return { kind: "blocks", parent: ids[first - 1], ids: ids.slice(first) };
  }

  /** Waits for the answer no longer. */
  end(): void {
    for (const cancel of this.#timers) cancel();
  }
}

/** Questions that were given up and may still be answered: such an answer is no fault. */
export class AbandonedRequests {
  readonly #counts = new WeakMap<Peer, number>();

  add({ peer }: SignaturesRequest): void {
    this.#counts.set(peer, (this.#counts.get(peer) ?? 0) + 1);
  }

  /** An answer came that belongs to none or to another question. @returns whether one was still to come */
  answered(peer: Peer): boolean {
    const count = this.#counts.get(peer) ?? 0;
    if (count > 0) this.#counts.set(peer, count - 1);
    return count > 0;
  }
}
