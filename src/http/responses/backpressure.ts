import type { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { Readable } from "node:stream";
import type { Cancel, Clock } from "../../interfaces.ts";
import type { Sum } from "../../runtime/threads/sum.ts";
import { type HttpCounts, localHttpCounts } from "../counts.ts";
import { HttpCounters } from "../metrics.ts";

interface BackpressureLimits {
  /** Maximum for all connections together. */
  readonly unreadBytes: number;
  /** Maximum time in which a client reads nothing. */
  readonly stallMs: number;
}

const DEFAULT_LIMITS: BackpressureLimits = {
  unreadBytes: 160 * 2 ** 20,
  stallMs: 30_000,
};

/** A client must read one chunk within `stallMs`. */
export const CHUNK_BYTES = 64 * 1024;

interface PendingAnswers {
  /** Total size of answers, including bytes read; of streams, only unread bytes. */
  bytes: number;
  answerCount: number;
  /** Bytes that the client has read on this connection. */
  bytesRead: number;
  /** When `bytesRead` last grew, monotonic, ms. */
  lastReadAt: number;
}

function bytesReadByClient(socket: Socket): number {
  return socket.bytesWritten - socket.writableLength;
}

export function chunkStream(parts: readonly Uint8Array[]): Readable {
  const remaining = [...parts];
  let offset = 0;
  // A generator would be several times slower.
  return new Readable({
    highWaterMark: CHUNK_BYTES,
    read() {
      const [part] = remaining;
      if (part === undefined) {
        this.push(null);
        return;
      }
      const chunk = part.subarray(offset, offset + CHUNK_BYTES);
      offset += CHUNK_BYTES;
      if (offset >= part.length) {
        remaining.shift();
        offset = 0;
      }
      this.push(chunk);
    },
  });
}

/** Closes connections of clients that do not read their answers. */
export class ResponseBackpressure {
  readonly #clock: Clock;
  readonly #limits: BackpressureLimits;
  readonly #counters: HttpCounters;
  readonly #connections = new Map<Socket, PendingAnswers>();
  /** Unread bytes of this thread, and of all threads. */
  readonly #unread: Sum;
  readonly #threads: number;
  #cancel: Cancel | undefined;
  #isClosed = false;

  constructor(
    clock: Clock,
    limits: BackpressureLimits = DEFAULT_LIMITS,
    counters = new HttpCounters(),
    { unreadBytes, threads }: Pick<HttpCounts, "unreadBytes" | "threads"> = localHttpCounts(),
  ) {
    this.#unread = unreadBytes;
    this.#threads = threads;
    this.#counters = counters;
    this.#clock = clock;
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#unread.own;
  }

  get freeBytes(): number {
    return this.#limits.unreadBytes - this.#unread.total;
  }

  /** Counts an answer until the client has read it or disconnects. */
  track(response: ServerResponse<IncomingMessage>, bytes: number): void {
    const { socket } = response.req;
    // A request of the server to itself (`inject`) has another object, which would never close.
    if (socket.destroyed || !(socket instanceof Socket)) return;
    const pending = this.#connections.get(socket) ?? this.#enter(socket);
    this.#countAnswer(socket, pending);
    pending.bytes += bytes;
    this.#unread.add(bytes);
    response.once("close", () => {
      if (!this.#connections.has(socket)) return;
      pending.bytes -= bytes;
      pending.answerCount--;
      this.#unread.add(-bytes);
    });
    this.#enforceLimits();
  }

  /** Returns a function to call with the stream's unread bytes at each change; finally with 0. */
  trackStream(response: ServerResponse<IncomingMessage>): (unread: number) => void {
    const { socket } = response.req;
    let counted = 0;
    return (unread) => {
      if (socket.destroyed || unread === counted) return;
      const pending = this.#connections.get(socket) ?? this.#enter(socket);
      if (counted === 0) this.#countAnswer(socket, pending);
      if (unread === 0) pending.answerCount--;
      pending.bytes += unread - counted;
      this.#unread.add(unread - counted);
      counted = unread;
      this.#enforceLimits();
    };
  }

  #enter(socket: Socket): PendingAnswers {
    const pending: PendingAnswers = { bytes: 0, answerCount: 0, bytesRead: 0, lastReadAt: 0 };
    this.#connections.set(socket, pending);
    socket.once("close", () => {
      this.#connections.delete(socket);
      this.#unread.add(-pending.bytes);
    });
    return pending;
  }

  #countAnswer(socket: Socket, pending: PendingAnswers): void {
    if (pending.answerCount++ > 0) return;
    pending.bytesRead = bytesReadByClient(socket);
    pending.lastReadAt = this.#clock.monotonic();
  }

  #enforceLimits(): void {
    if (this.#unread.total > this.#limits.unreadBytes) this.#dropExcess();
    if (this.#isClosed) return;
    this.#cancel ??= this.#clock.after(this.#limits.stallMs / 4, () => this.#closeStalled());
  }

  /** Closes the slowest client's connection, unless this thread has less than its share of unread bytes. */
  dropSlowestClient(): void {
    const { own, total } = this.#unread;
    if (own * this.#threads >= total) this.#closeSlowest();
  }

  /** Closes the connection with the greatest product of unread bytes and time without progress. */
  #closeSlowest(): void {
    const now = this.#clock.monotonic();
    let worst: Socket | undefined;
    let worstBurden = -1;
    for (const [socket, pending] of this.#connections) {
      if (socket.destroyed || pending.answerCount === 0) continue;
      this.#updateProgress(socket, pending, now);
      const burden = pending.bytes * (1 + now - pending.lastReadAt);
      if (burden <= worstBurden) continue;
      worst = socket;
      worstBurden = burden;
    }
    if (worst === undefined) return;
    this.#counters.limitReached("unread_bytes");
    worst.destroy();
  }

  /** From then on, no timer starts: a timer for a later answer would keep the thread alive. */
  close(): void {
    this.#isClosed = true;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #dropExcess(): void {
    const openBytes = (): number => {
      let bytes = 0;
      for (const [socket, pending] of this.#connections) if (!socket.destroyed) bytes += pending.bytes;
      return bytes;
    };
    const otherBytes = this.#unread.total - this.#unread.own;
    const { unreadBytes } = this.#limits;
    // A thread with less than its share closes no connection.
    const isExcessive = (bytes: number): boolean =>
      bytes > unreadBytes / this.#threads && otherBytes + bytes > unreadBytes;
    while (isExcessive(openBytes())) this.#closeSlowest();
  }

  #updateProgress(socket: Socket, pending: PendingAnswers, now: number): void {
    const bytesRead = bytesReadByClient(socket);
    if (bytesRead === pending.bytesRead) return;
    pending.bytesRead = bytesRead;
    pending.lastReadAt = now;
  }

  #closeStalled(): void {
    this.#cancel = undefined;
    const now = this.#clock.monotonic();
    for (const [socket, pending] of this.#connections) {
      if (pending.answerCount === 0) continue;
      this.#updateProgress(socket, pending, now);
      if (now - pending.lastReadAt < this.#limits.stallMs || socket.destroyed) continue;
      this.#counters.limitReached("read_timeout");
      socket.destroy();
    }
    this.#cancel =
      this.#connections.size === 0
        ? undefined
        : this.#clock.after(this.#limits.stallMs / 4, () => this.#closeStalled());
  }
}
