/** Page 04 §11.3. */
import { bytesEqual, bytesKey } from "../../bytes/compare.ts";
import type { ReceivedBlock } from "../../chain/checking/extension-intake.ts";
import type { Cancel, Clock, Log } from "../../interfaces.ts";
import { contain } from "../../runtime/contain.ts";
import type { Peer } from "../connections/peer.ts";
import { shortId } from "../short-id.ts";
import { SLOW_PEER_TIMEOUT_MS } from "./signatures-request.ts";

const TIMEOUT_PER_BLOCK_MS = 1_000;
/** The timeout grows by the time that the received bytes need at this speed. */
const MIN_BYTES_PER_SECOND = 262_144;
/** Minimum average time per block of a slow peer, ms, in addition to the time for bytes. */
const SLOW_PEER_TIMEOUT_PER_BLOCK_MS = 200;
/** Timeout of the last block if the peer has a new score, ms: the peer may have replaced its liquid block. */
const SUPERSEDED_TIMEOUT_MS = 3_000;

interface DownloadDependencies {
  readonly clock: Clock;
  readonly log: Log;
  readonly timeoutMs: number;
  /** Bytes of free memory for blocks. */
  readonly room: () => number;
  readonly expectedBlockBytes: () => number;
  readonly hasNewScore: () => boolean;
  /**
   * @param reason text of page 04 §21
   * @param isSilent true: no block came for `timeoutMs`; false: the whole download took too long
   */
  readonly onTimeout: (reason: string, isSilent: boolean) => void;
  /** The peer is slow: another one may be asked. */
  readonly onSlow: () => void;
  /** @returns the block to deliver; undefined if it is not signed */
  readonly check: (block: ReceivedBlock) => Promise<ReceivedBlock | undefined>;
  readonly onChecked: () => void;
  readonly onUnsigned: (block: ReceivedBlock) => void;
  readonly onFault: () => void;
  /** The peer has probably replaced the last block. */
  readonly onSuperseded: () => void;
}

/** `unlinked`: the block does not reference the one listed before it. */
export type Arrival = "not requested" | "accepted" | "unlinked";

function transferTimeMs(bytes: number): number {
  return (1_000 * bytes) / MIN_BYTES_PER_SECOND;
}

export function blockTimeoutMs(bytes: number): number {
  return TIMEOUT_PER_BLOCK_MS + transferTimeMs(bytes);
}

export class Download {
  readonly kind = "blocks";
  /** True after `onSlow`, until the next block arrives. */
  isLate = false;
  readonly #dependencies: DownloadDependencies;
  readonly #ids: readonly Uint8Array[];
  readonly #indexes: ReadonlyMap<string, number>;
  /** Received blocks by index in `#ids`; undefined while the signature is being checked. */
  readonly #blocks = new Map<number, ReceivedBlock | undefined>();
  readonly #requested = new Set<number>();
  readonly #startedAt: number;
  /** Id of the last delivered block, at first of the common block. */
  #parent: Uint8Array;
  #deliveredCount = 0;
  #receivedCount = 0;
  #runningChecks = 0;
  #receivedBytes = 0;
  #heldBytes = 0;
  /** Time without open requests because memory was full, ms. */
  #outOfRoomMs = 0;
  #outOfRoomSince: number | undefined;
  #timers: readonly Cancel[] = [];
  #hasEnded = false;

  constructor(
    readonly peer: Peer,
    readonly score: bigint,
    parent: Uint8Array,
    ids: readonly Uint8Array[],
    dependencies: DownloadDependencies,
  ) {
    this.#parent = parent;
    this.#ids = ids;
    this.#indexes = new Map(ids.map((id, index) => [bytesKey(id), index]));
    this.#dependencies = dependencies;
    this.#startedAt = dependencies.clock.monotonic();
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Total timeout, ms, without extensions for received bytes and full memory. */
  get limitMs(): number {
    return this.#dependencies.timeoutMs + TIMEOUT_PER_BLOCK_MS * this.#ids.length;
  }

  get isDelivered(): boolean {
    return this.#deliveredCount === this.#ids.length;
  }

  /** True if memory is full and no check is running. */
  get isStuck(): boolean {
    return this.#isOutOfRoom && this.#runningChecks === 0;
  }

  get #isOutOfRoom(): boolean {
    return this.#requested.size === 0 && this.#receivedCount < this.#ids.length;
  }

  get readyBytes(): number {
    let bytes = 0;
    for (let index = this.#deliveredCount; ; index++) {
      const block = this.#blocks.get(index);
      if (block === undefined) return bytes;
      bytes += block.bytes.length;
    }
  }

  get isComplete(): boolean {
    return this.#receivedCount === this.#ids.length && this.#runningChecks === 0;
  }

  requestMissing(): void {
    if (this.#hasEnded) return;
    const { room, expectedBlockBytes, clock } = this.#dependencies;
    const bytesPerBlock = expectedBlockBytes();
    for (let index = this.#deliveredCount; index < this.#ids.length; index++) {
      if (this.#blocks.has(index) || this.#requested.has(index)) continue;
      if ((this.#requested.size + 1) * bytesPerBlock > room()) break;
      const isFirst = this.#requested.size === 0;
      this.#requested.add(index);
      if (isFirst) this.#restartTimers();
      this.peer.send({ type: "GetBlock", id: this.#ids[index] });
    }
    if (!this.#isOutOfRoom) return;
    this.#stopTimers();
    this.#outOfRoomSince ??= clock.monotonic();
  }

  /** Accepts listed blocks in any order. Drops a block that exceeds the room, and requests it again later. */
  take(block: ReceivedBlock): Arrival {
    const { header } = block.scan;
    const index = this.#indexes.get(bytesKey(header.signature));
    if (this.#hasEnded || index === undefined || index < this.#deliveredCount || this.#blocks.has(index))
      return "not requested";
    const expectedParent = index === this.#deliveredCount ? this.#parent : this.#ids[index - 1];
    if (!bytesEqual(header.reference, expectedParent)) return "unlinked";
    this.#requested.delete(index);
    if (block.bytes.length <= this.#dependencies.room()) {
      this.#blocks.set(index, undefined);
      this.#receivedCount++;
      this.#receivedBytes += block.bytes.length;
      this.#heldBytes += block.bytes.length;
      this.#restartTimers();
      const { log, onFault: onFailure } = this.#dependencies;
      contain(
        {
          log,
          message: "Cannot process a downloaded block",
          facts: { peer: this.peer.label },
          onFailure,
        },
        () => this.#check(index, block),
      );
    }
    this.requestMissing();
    return "accepted";
  }

  async #check(index: number, block: ReceivedBlock): Promise<void> {
    const { check, onChecked, onUnsigned } = this.#dependencies;
    let checked: ReceivedBlock | undefined;
    this.#runningChecks++;
    try {
      checked = await check(block);
    } finally {
      this.#runningChecks--;
    }
    if (this.#hasEnded) return;
    if (checked === undefined) {
      onUnsigned(block);
      return;
    }
    this.#blocks.set(index, checked);
    onChecked();
  }

  /** Removes and returns the checked blocks before the first missing one. */
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
    this.#hasEnded = true;
    this.#stopTimers();
  }

  #stopTimers(): void {
    for (const cancel of this.#timers) cancel();
    this.#timers = [];
  }

  #restartTimers(): void {
    this.#stopTimers();
    const { clock, timeoutMs, onSlow, onTimeout, onSuperseded, hasNewScore } = this.#dependencies;
    const now = clock.monotonic();
    if (this.#outOfRoomSince !== undefined) {
      this.#outOfRoomMs += now - this.#outOfRoomSince;
      this.#outOfRoomSince = undefined;
    }
    if (this.#requested.size === 0) return;
    const totalMs = this.limitMs + this.#transferMs + this.#outOfRoomMs;
    const remainingMs = Math.max(0, Math.min(timeoutMs, this.#startedAt + totalMs - now));
    const timers = [
      clock.after(remainingMs, () => onTimeout(this.#timeoutReason(), remainingMs === timeoutMs)),
    ];
    const slowAfterMs =
      SLOW_PEER_TIMEOUT_MS +
      SLOW_PEER_TIMEOUT_PER_BLOCK_MS * this.#receivedCount +
      this.#transferMs +
      this.#outOfRoomMs;
    const slowInMs = Math.max(0, Math.min(SLOW_PEER_TIMEOUT_MS, this.#startedAt + slowAfterMs - now));
    if (slowInMs < remainingMs) timers.push(clock.after(slowInMs, onSlow));
    if (this.#isLastMissing && SUPERSEDED_TIMEOUT_MS < remainingMs)
      timers.push(
        clock.after(SUPERSEDED_TIMEOUT_MS, () => {
          if (hasNewScore()) onSuperseded();
        }),
      );
    this.#timers = timers;
  }

  get #transferMs(): number {
    return transferTimeMs(this.#receivedBytes);
  }

  get #isLastMissing(): boolean {
    return this.#receivedCount === this.#ids.length - 1 && this.#requested.has(this.#ids.length - 1);
  }

  #timeoutReason(): string {
    if (this.#receivedCount === 0) return "Timeout loading first requested block";
    const missing = this.#ids.length - this.#receivedCount;
    const missingText =
      missing === 1 ? `one=${shortId(this.#ids[this.#ids.length - 1])}` : `total=${missing}`;
    return `Timeout loading one of requested blocks, non-received: ${missingText}`;
  }
}
