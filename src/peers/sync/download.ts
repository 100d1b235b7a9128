/** Fetching the blocks of one `Signatures` answer. Page 04 §11.3. */
import { bytesEqual, bytesKey } from "../../bytes/compare.ts";
import type { ReceivedBlock } from "../../chain/checking/extension-intake.ts";
import type { Cancel, Clock, Log } from "../../interfaces.ts";
import { contain } from "../../runtime/contain.ts";
import type { Peer } from "../connections/peer.ts";
import { shortId } from "../short-id.ts";
import { SLOW_PEER_TIMEOUT_MS } from "./signatures-request.ts";

/** Above the time limit of one block a whole download may take so long for each block and each so many bytes. */
const TIMEOUT_PER_BLOCK_MS = 1_000;
const MIN_BYTES_PER_SECOND = 262_144;
/** What a block may take on average above that, beside the time for its bytes, ms: all were asked for at once. */
const SLOW_PEER_TIMEOUT_PER_BLOCK_MS = 200;
/** How long the last block is waited for when the peer has a new score: it was liquid then, and has been passed over. */
const SUPERSEDED_MS = 3_000;

interface DownloadDependencies {
  readonly clock: Clock;
  readonly log: Log;
  /** `synchronization-timeout` */
  readonly timeoutMs: number;
  /** Bytes that may still be held. */
  readonly room: () => number;
  /** What a block is expected to have, in bytes. */
  readonly expectedBytes: () => number;
  /** Whether the peer has told another score since it was asked. */
  readonly hasNewScore: () => boolean;
  /**
   * The peer has not sent what it listed in time.
   * @param reason as page 04 §21 has it
   * @param isSilent true: nothing came within the time limit of one block; false: the whole download took too long
   */
  readonly onTimeout: (reason: string, isSilent: boolean) => void;
  /** Nothing came for a while: whoever has another peer to ask had better do so. */
  readonly onSlow: () => void;
  /**
   * Checks the signature of a block.
   * @returns the block to hand on; undefined: it is not signed
   */
  readonly check: (block: ReceivedBlock) => Promise<ReceivedBlock | undefined>;
  /** A block's signature is valid: there may be more to hand on. */
  readonly onChecked: () => void;
  /** A block is not signed by its generator. */
  readonly onUnsigned: (block: ReceivedBlock) => void;
  /** This node failed to check a block or to hand it on. The download cannot be continued. */
  readonly onFault: () => void;
  /** What is missing is only the last block, which is no longer to be had. */
  readonly onSuperseded: () => void;
}

/** What a block that arrived was. */
export type Arrival = "none of these" | "taken" | "unlinked";

/** Returns how long the transfer of so many bytes may take, ms. */
function transferTimeMs(bytes: number): number {
  return (1_000 * bytes) / MIN_BYTES_PER_SECOND;
}

/** Returns how long a peer may take for a block of so many bytes, ms. */
export function blockTimeMs(bytes: number): number {
  return TIMEOUT_PER_BLOCK_MS + transferTimeMs(bytes);
}

/** The blocks that a peer listed behind one of ours, on their way here from the first `ask` on. */
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
  /** Id of the block that the next one to be handed on has to refer to. */
  #parent: Uint8Array;
  /** Blocks handed on: all before this number. */
  #handedOn = 0;
  #received = 0;
  /** Number of blocks whose signatures are being checked. */
  #inCheck = 0;
  #receivedBytes = 0;
  #heldBytes = 0;
  /** How long nothing was asked for since there was no room, ms. */
  #restedMs = 0;
  #restingSince: number | undefined;
  #timers: readonly Cancel[] = [];
  #ended = false;

  /**
   * @param score the score that the peer claims
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

  /** Bytes of the blocks that lie here. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Time limit of the whole download, without the time for its bytes and the time without room, ms. */
  get limitMs(): number {
    return this.#dependencies.timeoutMs + TIMEOUT_PER_BLOCK_MS * this.#ids.length;
  }

  /** Whether all blocks came and were handed on. */
  get isDone(): boolean {
    return this.#handedOn === this.#ids.length;
  }

  /** Whether there is no room to ask for a missing block, and no block is being checked. */
  get isStuck(): boolean {
    return this.#isResting && this.#inCheck === 0;
  }

  /** Whether there is no room to ask for a missing block. */
  get #isResting(): boolean {
    return this.#asked.size === 0 && this.#received < this.#ids.length;
  }

  /** Bytes of the blocks that can be handed on. */
  get readyBytes(): number {
    let bytes = 0;
    for (let at = this.#handedOn; ; at++) {
      const block = this.#blocks.get(at);
      if (block === undefined) return bytes;
      bytes += block.bytes.length;
    }
  }

  /** Whether all blocks have come and are checked. */
  get isComplete(): boolean {
    return this.#received === this.#ids.length && this.#inCheck === 0;
  }

  /** Asks for as many blocks as there is room for: fewer than offered is invisible to the peer. */
  ask(): void {
    if (this.#ended) return;
    const { room, expectedBytes, clock } = this.#dependencies;
    const each = expectedBytes();
    for (let place = this.#handedOn; place < this.#ids.length; place++) {
      if (this.#blocks.has(place) || this.#asked.has(place)) continue;
      if ((this.#asked.size + 1) * each > room()) break;
      const isFirst = this.#asked.size === 0;
      this.#asked.add(place);
      if (isFirst) this.#await();
      this.peer.send({ type: "GetBlock", id: this.#ids[place] });
    }
    if (!this.#isResting) return;
    this.#stopTimers();
    this.#restingSince ??= clock.monotonic();
  }

  /**
   * Takes a block that the peer sent. One for which there is no room is asked for again later. Its place decides what it
   * has to refer to, so that a block is taken only where it belongs, in whatever order blocks come.
   */
  take(block: ReceivedBlock): Arrival {
    const { header } = block.scan;
    const place = this.#places.get(bytesKey(header.signature));
    if (this.#ended || place === undefined || place < this.#handedOn || this.#blocks.has(place))
      return "none of these";
    const before = place === this.#handedOn ? this.#parent : this.#ids[place - 1];
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
          message: "A downloaded block could not be handed on",
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

  /** Removes and returns the checked blocks that follow each other from the first one on. */
  takeReady(): ReceivedBlock[] {
    const ready: ReceivedBlock[] = [];
    for (;;) {
      const block = this.#blocks.get(this.#handedOn);
      if (block === undefined) return ready;
      ready.push(block);
      this.#blocks.delete(this.#handedOn);
      this.#heldBytes -= block.bytes.length;
      this.#parent = block.scan.header.signature;
      this.#handedOn++;
    }
  }

  /** Waits for nothing any more. */
  end(): void {
    this.#ended = true;
    this.#stopTimers();
  }

  #stopTimers(): void {
    for (const cancel of this.#timers) cancel();
    this.#timers = [];
  }

  /** Begins the time anew in which the next block has to come, within that of the whole. */
  #await(): void {
    this.#stopTimers();
    const { clock, timeoutMs, onSlow, onTimeout, onSuperseded, hasNewScore } = this.#dependencies;
    const now = clock.monotonic();
    if (this.#restingSince !== undefined) {
      this.#restedMs += now - this.#restingSince;
      this.#restingSince = undefined;
    }
    if (this.#asked.size === 0) return;
    const whole = this.limitMs + this.#bytesMs + this.#restedMs;
    const left = Math.max(0, Math.min(timeoutMs, this.#since + whole - now));
    const timers = [clock.after(left, () => onTimeout(this.#reason(), left === timeoutMs))];
    const patience =
      SLOW_PEER_TIMEOUT_MS + SLOW_PEER_TIMEOUT_PER_BLOCK_MS * this.#received + this.#bytesMs + this.#restedMs;
    const patient = Math.max(0, Math.min(SLOW_PEER_TIMEOUT_MS, this.#since + patience - now));
    if (patient < left) timers.push(clock.after(patient, onSlow));
    if (this.#isLastMissing && SUPERSEDED_MS < left)
      timers.push(
        clock.after(SUPERSEDED_MS, () => {
          if (hasNewScore()) onSuperseded();
        }),
      );
    this.#timers = timers;
  }

  /** What the bytes that came may have taken, ms. */
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
