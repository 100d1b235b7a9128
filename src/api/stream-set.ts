import type { ServerResponse } from "node:http";
import { isLocal, type Sender } from "../http/access/proxies.ts";
import type { ConnectionLimit } from "../http/connections/connection-limit.ts";
import type { HttpCounts } from "../http/counts.ts";
import { apiError } from "../http/errors.ts";
import type { RequestLimit } from "../http/metrics.ts";
import type { ResponseBackpressure } from "../http/responses/backpressure.ts";
import { StreamingBody } from "../http/responses/reply.ts";
import type { Cancel, Clock, Log } from "../interfaces.ts";
import { type OriginCounts, OriginSlots } from "../runtime/origin-slots.ts";
import { TimeSlicedQueue } from "../runtime/time-sliced-queue.ts";

/** Heartbeats let both ends detect a broken connection. */
const HEARTBEAT_INTERVAL_MS = 15_000;
const HEARTBEAT_CHECK_INTERVAL_MS = HEARTBEAT_INTERVAL_MS / 3;
const SLICE_MS = 10;

/** A stream with this backlog gets no further page. */
const MAX_BACKLOG_BYTES = 64 * 1024;

/** An endless answer, which `ResponseBackpressure` closes if the client reads nothing. */
export abstract class ChainStream {
  /** Set by `StreamSet`. */
  isQueued = false;
  readonly #response: ServerResponse;
  readonly #clock: Clock;
  readonly #reportUnread: (unread: number) => void;
  /** Monotonic time of the last write, ms. */
  #sentAt: number;

  constructor(response: ServerResponse, clock: Clock, backpressure: ResponseBackpressure) {
    this.#response = response;
    this.#clock = clock;
    this.#reportUnread = backpressure.trackStream(response);
    this.#sentAt = clock.monotonic();
    response.on("drain", () => this.#reportUnread(response.writableLength));
  }

  get unreadBytes(): number {
    return this.#response.writableLength;
  }

  get hasRoom(): boolean {
    return this.unreadBytes < MAX_BACKLOG_BYTES;
  }

  write(bytes: Uint8Array | string): void {
    this.#sentAt = this.#clock.monotonic();
    this.#response.write(bytes);
    this.#reportUnread(this.#response.writableLength);
  }

  checkHeartbeat(): void {
    if (this.hasRoom && this.#clock.monotonic() - this.#sentAt >= HEARTBEAT_INTERVAL_MS) this.sendHeartbeat();
  }

  protected abstract sendHeartbeat(): void;

  end(): void {
    this.#response.end();
  }
}

interface StreamSetOptions<Stream extends ChainStream> {
  readonly name: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly connections: ConnectionLimit;
  /** Maximum streams if the connection limit is 1,024; scales with that limit. */
  readonly max: number;
  /** Programs on this machine are exempt. */
  readonly maxPerOrigin: number;
  /** Name of these limits in metrics. */
  readonly limit: RequestLimit;
  readonly originCounts: OriginCounts;
  readonly runExclusively: HttpCounts["runExclusively"];
  /**
   * Sends a stream's next page.
   * @returns true if more is available
   */
  serve(stream: Stream): boolean;
  onOpen?(stream: Stream): void;
}

export class StreamSet<Stream extends ChainStream> {
  readonly #options: StreamSetOptions<Stream>;
  readonly #streams = new Set<Stream>();
  readonly #slots: OriginSlots;
  readonly #queue: TimeSlicedQueue<Stream>;
  #cancelHeartbeats: Cancel | undefined;
  #isClosed = false;

  constructor(options: StreamSetOptions<Stream>) {
    this.#options = options;
    const { clock, connections, max, maxPerOrigin, originCounts, runExclusively } = options;
    this.#slots = new OriginSlots(connections.scaled(max), maxPerOrigin, originCounts, runExclusively);
    this.#queue = new TimeSlicedQueue(clock, 1, ([stream]) => this.#serve(stream), SLICE_MS);
  }

  get streams(): ReadonlySet<Stream> {
    return this.#streams;
  }

  /**
   * @param start called when the headers have been sent
   * @throws ApiError 503 if there are too many streams, or at shutdown
   */
  open(sender: Sender, start: (response: ServerResponse) => Stream): StreamingBody {
    const { connections, limit } = this.#options;
    if (this.#isClosed) throw apiError("closing");
    const host = isLocal(sender) ? undefined : sender.address;
    const isFull = this.#slots.isFull || (host !== undefined && this.#slots.isFullFor(host));
    if (isFull || !connections.hasLongLivedRoom) throw apiError("busy", limit);
    return new StreamingBody((response) => {
      const releaseSlot = this.#slots.take(host);
      if (releaseSlot === undefined) {
        // Another thread has taken the last slot.
        response.destroy();
        return;
      }
      response.once("close", releaseSlot);
      response.once("close", connections.addLongLived(response.req.socket));
      this.#add(response, start(response));
    });
  }

  /** Serves all streams: call it after each commit. */
  wake(): void {
    for (const stream of this.#streams) this.#enqueue(stream);
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelHeartbeats?.();
    this.#queue.clear();
    for (const stream of this.#streams) stream.end();
    this.#streams.clear();
  }

  #add(response: ServerResponse, stream: Stream): void {
    this.#streams.add(stream);
    response.on("drain", () => this.#enqueue(stream));
    response.once("close", () => this.#streams.delete(stream));
    response.on("error", () => this.#streams.delete(stream));
    this.#scheduleHeartbeats();
    this.#enqueue(stream);
    this.#options.onOpen?.(stream);
  }

  #enqueue(stream: Stream): void {
    if (stream.isQueued || !stream.hasRoom) return;
    stream.isQueued = true;
    this.#queue.add(stream);
  }

  #serve(stream: Stream): void {
    stream.isQueued = false;
    if (!this.#streams.has(stream) || !stream.hasRoom) return;
    try {
      if (this.#options.serve(stream)) this.#enqueue(stream);
    } catch (error) {
      this.#options.log.error(`Cannot read the chain for ${this.#options.name}`, {
        error: error instanceof Error ? error.stack : error,
      });
      this.#streams.delete(stream);
      stream.end();
    }
  }

  #scheduleHeartbeats(): void {
    this.#cancelHeartbeats ??= this.#options.clock.after(HEARTBEAT_CHECK_INTERVAL_MS, () => {
      this.#cancelHeartbeats = undefined;
      for (const stream of this.#streams) stream.checkHeartbeat();
      if (this.#streams.size > 0) this.#scheduleHeartbeats();
    });
  }
}
