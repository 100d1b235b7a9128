/** Downloads the blocks of a `Signatures` answer. Page 04 §11.3. */
import { bytesEqual, bytesKey } from "../../bytes/compare.ts";
import type { ReceivedBlock } from "../../chain/checking/extension-intake.ts";
import type { Cancel, Clock, Log } from "../../interfaces.ts";
import { contain } from "../../runtime/contain.ts";
import type { Peer } from "../connections/peer.ts";
import { shortId } from "../short-id.ts";
import { SLOW_PEER_TIMEOUT_MS } from "./signatures-request.ts";

/** Added to a download's timeout for each block, and for its bytes. */
const TIMEOUT_PER_BLOCK_MS = 1_000;
const MIN_BYTES_PER_SECOND = 262_144;
/**
 * Average time per block, ms, before a peer counts as slow, besides the time for bytes: all blocks were requested at
 * once.
 */
const SLOW_PEER_TIMEOUT_PER_BLOCK_MS = 200;
/** Timeout of the last block if the peer has a new score, ms: it was liquid and is gone. */
const SUPERSEDED_MS = 3_000;

interface DownloadDependencies {
  readonly clock: Clock;
  readonly log: Log;
  readonly timeoutMs: number;
  readonly room: () => number;
  readonly expectedBytes: () => number;
  /** Returns true if the peer has sent another score since the request. */
  readonly hasNewScore: () => boolean;
  /**
   * Called when the peer did not send listed blocks in time.
   * @param reason by page 04 §21
   * @param isSilent true: nothing came within one block's timeout; false: the whole download took too long
   */
  readonly onTimeout: (reason: string, isSilent: boolean) => void;
  /** Called when nothing came for a while: ask another peer, if there is one. */
  readonly onSlow: () => void;
  /**
   * Checks a block's signature.
   * @returns the block to deliver; undefined: it is not signed
   */
  readonly check: (block: ReceivedBlock) => Promise<ReceivedBlock | undefined>;
  /** Called after a valid signature: more blocks may be ready. */
  readonly onChecked: () => void;
  readonly onUnsigned: (block: ReceivedBlock) => void;
  /** Called when this node failed to check or deliver a block. The download cannot continue. */
  readonly onFault: () => void;
  /** Called when only the last block is missing, and it is gone. */
  readonly onSuperseded: () => void;
}

export type Arrival = "none of these" | "taken" | "unlinked";

/** Allowed time, ms. */
function transferTimeMs(bytes: number): number {
  return (1_000 * bytes) / MIN_BYTES_PER_SECOND;
}

/** Allowed time for a block, ms. */
export function blockTimeMs(bytes: number): number {
  return TIMEOUT_PER_BLOCK_MS + transferTimeMs(bytes);
}

/** Downloads the blocks that a peer listed after one of ours. Starts with the first `ask`. */
export class Download {
  readonly kind = "blocks";
  isLate = false;
  readonly #dependencies: DownloadDependencies;
  readonly #ids: readonly Uint8Array[];
  readonly #places: ReadonlyMap<string, number>;
  /** Received blocks by place; undefined while the signature is being checked. */
  readonly #blocks = new Map<number, ReceivedBlock | undefined>();
  readonly #asked = new Set<number>();
  readonly #since: number;
  /** Id of the last delivered block, or the common one. */
  #parent: Uint8Array;
  #deliveredCount = 0;
  #received = 0;
  #inCheck = 0;
  #receivedBytes = 0;
  #heldBytes = 0;
  /** Time without open requests because memory was full, ms. */
  #outOfRoomMs = 0;
  #outOfRoomSince: number | undefined;
  #timers: readonly Cancel[] = [];
  #ended = false;

  /**
   * @param score the peer's claim
   * @param parent id of the block before the first one
   */
  constructor(
    readonly peer: Peer,
    readonly score: bigint,
    parent: Uint8Array,
    ids: readonly Uint8Array[],
    dependencies: DownloadDependencies,
  ) {
    this.#parent = parent;
    this.#ids = ids;
    this.#places = new Map(ids.map((id, place) => [bytesKey(id), place]));
    this.#dependencies = dependencies;
    this.#since = dependencies.clock.monotonic();
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Timeout of the whole download, without time for bytes and without room, ms. */
  get limitMs(): number {
    return this.#dependencies.timeoutMs + TIMEOUT_PER_BLOCK_MS * this.#ids.length;
  }

  get isDone(): boolean {
    return this.#deliveredCount === this.#ids.length;
  }

  /** True if out of room, and no block is being checked. */
  get isStuck(): boolean {
    return this.#isOutOfRoom && this.#inCheck === 0;
  }

  /** True if memory is too full to request a missing block. */
  get #isOutOfRoom(): boolean {
    return this.#asked.size === 0 && this.#received < this.#ids.length;
  }

  get readyBytes(): number {
    let bytes = 0;
    for (let at = this.#deliveredCount; ; at++) {
      const block = this.#blocks.get(at);
      if (block === undefined) return bytes;
      bytes += block.bytes.length;
    }
  }

  get isComplete(): boolean {
    return this.#received === this.#ids.length && this.#inCheck === 0;
  }

  /** Requests as many blocks as there is room for. The peer cannot tell if it offered more. */
  ask(): void {
    if (this.#ended) return;
    const { room, expectedBytes, clock } = this.#dependencies;
    const each = expectedBytes();
    for (let place = this.#deliveredCount; place < this.#ids.length; place++) {
      if (this.#blocks.has(place) || this.#asked.has(place)) continue;
      if ((this.#asked.size + 1) * each > room()) break;
      const isFirst = this.#asked.size === 0;
      this.#asked.add(place);
      if (isFirst) this.#await();
      this.peer.send({ type: "GetBlock", id: this.#ids[place] });
    }
    if (!this.#isOutOfRoom) return;
    this.#stopTimers();
    this.#outOfRoomSince ??= clock.monotonic();
  }

  /**
   * Accepts a block in any order, if it references the block before its place. Without room it is requested again
   * later.
   */
  take(block: ReceivedBlock): Arrival {
    const { header } = block.scan;
    const place = this.#places.get(bytesKey(header.signature));
    if (this.#ended || place === undefined || place < this.#deliveredCount || this.#blocks.has(place))
      return "none of these";
    const before = place === this.#deliveredCount ? this.#parent : this.#ids[place - 1];
    if (!bytesEqual(header.reference, before)) return "unlinked";
    this.#asked.delete(place);
    if (block.bytes.length <= this.#dependencies.room()) {
      this.#blocks.set(place, undefined);
      this.#received++;
      this.#receivedBytes += block.bytes.length;
      this.#heldBytes += block.bytes.length;
      this.#await();
      const { log, onFault: onFailure } = this.#dependencies;
      contain(
        {
          log,
          message: "Cannot process a downloaded block",
          facts: { peer: this.peer.label },
          onFailure,
        },
        () => this.#check(place, block),
      );
    }
    this.ask();
    return "taken";
  }

  async #check(place: number, block: ReceivedBlock): Promise<void> {
    const { check, onChecked, onUnsigned } = this.#dependencies;
    let checked: ReceivedBlock | undefined;
    this.#inCheck++;
    try {
      checked = await check(block);
    } finally {
      this.#inCheck--;
    }
    if (this.#ended) return;
    if (checked === undefined) {
      onUnsigned(block);
      return;
    }
    this.#blocks.set(place, checked);
    onChecked();
  }

  /** Removes and returns checked blocks up to the next gap. */
  takeReady(): ReceivedBlock[] {
    const ready: ReceivedBlock[] = [];
    for (;;) {
      const block = this.#blocks.get(this.#deliveredCount);
      if (block === undefined) return ready;
      ready.push(block);
      this.#blocks.delete(this.#deliveredCount);
      this.#heldBytes -= block.bytes.length;
      this.#parent = block.scan.header.signature;
      this.#deliveredCount++;
    }
  }

  end(): void {
    this.#ended = true;
    this.#stopTimers();
  }

  #stopTimers(): void {
    for (const cancel of this.#timers) cancel();
    this.#timers = [];
  }

  /** Restarts the timers: of the next block, and of the whole download. */
  #await(): void {
    this.#stopTimers();
    const { clock, timeoutMs, onSlow, onTimeout, onSuperseded, hasNewScore } = this.#dependencies;
    const now = clock.monotonic();
    if (this.#outOfRoomSince !== undefined) {
      this.#outOfRoomMs += now - this.#outOfRoomSince;
      this.#outOfRoomSince = undefined;
    }
    if (this.#asked.size === 0) return;
    const whole = this.limitMs + this.#bytesMs + this.#outOfRoomMs;
    const left = Math.max(0, Math.min(timeoutMs, this.#since + whole - now));
    const timers = [clock.after(left, () => onTimeout(this.#reason(), left === timeoutMs))];
    const slowAfterMs =
      SLOW_PEER_TIMEOUT_MS +
      SLOW_PEER_TIMEOUT_PER_BLOCK_MS * this.#received +
      this.#bytesMs +
      this.#outOfRoomMs;
    const slowInMs = Math.max(0, Math.min(SLOW_PEER_TIMEOUT_MS, this.#since + slowAfterMs - now));
    if (slowInMs < left) timers.push(clock.after(slowInMs, onSlow));
    if (this.#isLastMissing && SUPERSEDED_MS < left)
      timers.push(
        clock.after(SUPERSEDED_MS, () => {
          if (hasNewScore()) onSuperseded();
        }),
      );
    this.#timers = timers;
  }

  /** Allowed time for received bytes, ms. */
  get #bytesMs(): number {
    return transferTimeMs(this.#receivedBytes);
  }

  get #isLastMissing(): boolean {
    return this.#received === this.#ids.length - 1 && this.#asked.has(this.#ids.length - 1);
  }

  #reason(): string {
    if (this.#received === 0) return "Timeout loading first requested block";
    const missing = this.#ids.length - this.#received;
    const what = missing === 1 ? `one=${shortId(this.#ids[this.#ids.length - 1])}` : `total=${missing}`;
    return `Timeout loading one of requested blocks, non-received: ${what}`;
  }
}
