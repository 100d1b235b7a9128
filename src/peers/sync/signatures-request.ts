/** Page 04 §11.2. */
import { bytesKey } from "../../bytes/compare.ts";
import type { Cancel, Clock } from "../../interfaces.ts";
import type { Peer } from "../connections/peer.ts";

/** Time without data until another peer, if any, is asked instead, ms. */
export const SLOW_PEER_TIMEOUT_MS = 10_000;

interface SignaturesRequestOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly onTimeout: () => void;
  readonly onSlow: () => void;
}

type Answer =
  /** All ids were in the request. */
  | { readonly kind: "nothing new" }
  /** `ids` follow `parent`, an id of the request. */
  | { readonly kind: "blocks"; readonly parent: Uint8Array; readonly ids: readonly Uint8Array[] }
  /** `isForeign`: the first id was not in the request. */
  | { readonly kind: "invalid"; readonly isForeign: boolean };

export class SignaturesRequest {
  readonly kind = "signatures";
  /** True after `onSlow`. */
  isLate = false;
  readonly #requested: ReadonlySet<string>;
  readonly #timers: readonly Cancel[];

  /** @param ids newest first */
  constructor(
    readonly peer: Peer,
    readonly score: bigint,
    ids: readonly Uint8Array[],
    { clock, timeoutMs, onTimeout, onSlow }: SignaturesRequestOptions,
  ) {
    const distinct = new Map(ids.map((id) => [bytesKey(id), id]));
    this.#requested = new Set(distinct.keys());
    const timers = [clock.after(timeoutMs, onTimeout)];
    if (SLOW_PEER_TIMEOUT_MS < timeoutMs) timers.push(clock.after(SLOW_PEER_TIMEOUT_MS, onSlow));
    this.#timers = timers;
    peer.send({ type: "GetSignatures", ids: [...distinct.values()] });
  }

  /** A valid answer has ids of the request, then other ids without repetition. */
  read(ids: readonly Uint8Array[]): Answer {
    const keys = ids.map(bytesKey);
    const first = keys.findIndex((key) => !this.#requested.has(key));
    if (first < 0) return { kind: "nothing new" };
    const following = keys.slice(first);
    const isValid =
      new Set(following).size === following.length && !following.some((key) => this.#requested.has(key));
    if (first === 0 || !isValid) return { kind: "invalid", isForeign: first === 0 };
    return { kind: "blocks", parent: ids[first - 1], ids: ids.slice(first) };
  }

  end(): void {
    for (const cancel of this.#timers) cancel();
  }
}

/** Counts abandoned requests, whose late answers are allowed. */
export class AbandonedRequests {
  readonly #counts = new WeakMap<Peer, number>();

  add({ peer }: SignaturesRequest): void {
    this.#counts.set(peer, (this.#counts.get(peer) ?? 0) + 1);
  }

  has(peer: Peer): boolean {
    return (this.#counts.get(peer) ?? 0) > 0;
  }

  /** @returns true if the answer can belong to an abandoned request */
  answered(peer: Peer): boolean {
    const count = this.#counts.get(peer) ?? 0;
    if (count > 0) this.#counts.set(peer, count - 1);
    return count > 0;
  }
}
