/**
 * Limits the connections of the HTTP servers, in total and per origin. When full, a new connection is still accepted:
 * the limit ends one that waits for its client, of the origin with the most connections. If few wait, it ends one
 * that is being answered, of an origin with more connections than the new one's. So half-sent requests only evict
 * each other, and a few clients with slow or endless answers keep no other out. Page 06 §2.1; page 00, part B, 8.
 */
import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import { type IpNetwork, isInside, isLoopback, originOf } from "../../bytes/ip.ts";
import type { Cancel } from "../../interfaces.ts";
import type { RequestPipeline } from "./pipelining.ts";

/** Limit over all servers and clients, if the process has enough file handles. Page 06 §2.1. */
export const MAX_CONNECTIONS = 1_024;
/** Limit per origin except loopback, also at most 1 in `ORIGIN_SHARE` of all. */
const MAX_PER_ORIGIN = 256;
const ORIGIN_SHARE = 4;
/** Reserved for loopback, so that local health checks always get through. */
const LOOPBACK_RESERVE = 8;
/** Connections not counted yet, or ended but not closed yet. */
const MARGIN = 32;
/** Share of event streams, waits for commits and delayed answers. */
const LONG_LIVED_SHARE = 3 / 4;
/**
 * A new connection may evict one that is being answered while at most 1 in this number waits for its client.
 * Otherwise new clients would evict each other before they send a request.
 */
const WAITING_SHARE = 16;

interface Place {
  readonly socket: Socket;
  readonly origin: Origin;
  set: Set<Place>;
  /** Sequence number: the smallest has waited longest. */
  waitingSince: number;
  request: IncomingMessage | undefined;
}

interface Origin {
  readonly key: string;
  /** Loopback or a trusted proxy, which may carry many clients: without a limit, and evicted last. */
  readonly isPreferred: boolean;
  count: number;
  /** Without a whole request yet. */
  readonly waiting: Set<Place>;
  /** Being answered, or its client is reading the answer. */
  readonly answering: Set<Place>;
  /** Event streams, waits for commits, delayed answers. */
  readonly longLived: Set<Place>;
}

export class ConnectionLimit {
  readonly #maxTotal: number;
  readonly #maxPerOrigin: number;
  readonly #proxies: readonly IpNetwork[];
  readonly #places = new Map<Socket, Place>();
  readonly #origins = new Map<string, Origin>();
  #waits = 0;
  #longLived = 0;

  /**
   * @param maxTotal of all servers
   * @param proxies trusted networks, without a limit
   */
  constructor(maxTotal: number = MAX_CONNECTIONS, proxies: readonly IpNetwork[] = []) {
    this.#maxTotal = maxTotal;
    this.#maxPerOrigin = Math.min(MAX_PER_ORIGIN, Math.ceil(maxTotal / ORIGIN_SHARE));
    this.#proxies = proxies;
  }

  /** Scales a limit for 1,024 connections. */
  scaled(limit: number): number {
    return Math.floor((limit * this.#maxTotal) / MAX_CONNECTIONS);
  }

  get count(): number {
    return this.#places.size;
  }

  get hasLongLivedRoom(): boolean {
    return this.#longLived < Math.floor(this.#maxTotal * LONG_LIVED_SHARE);
  }

  /**
   * Counts a long-lived connection. Check `hasLongLivedRoom` first.
   * @returns ends the count; must be called once
   */
  takeLongLived(socket: Socket): Cancel {
    const place = this.#places.get(socket);
    this.#longLived++;
    // Until its body is complete, a request still waits for its client.
    if (place !== undefined && place.set === place.origin.answering) move(place, place.origin.longLived);
    return () => {
      this.#longLived--;
      if (place !== undefined && place.set === place.origin.longLived) move(place, place.origin.answering);
    };
  }

  watch(server: Server, pipeline: RequestPipeline): void {
    // Above this Node.js closes a connection right after accepting it.
    server.maxConnections = this.#maxTotal + MARGIN;
    server.on("connection", (socket: Socket) => this.#enter(socket));
    pipeline.onBegin = (request) => this.#begin(request);
    pipeline.onIdle = (socket) => this.#wait(this.#places.get(socket));
  }

  #enter(socket: Socket): void {
    const address = socket.remoteAddress ?? "";
    const origin = this.#originAt(address);
    if (!origin.isPreferred && origin.count >= this.#maxPerOrigin) {
      socket.destroy();
      return;
    }
    const place: Place = { socket, origin, set: origin.waiting, waitingSince: 0, request: undefined };
    origin.count++;
    origin.waiting.add(place);
    this.#origins.set(origin.key, origin);
    this.#places.set(socket, place);
    this.#wait(place);
    socket.once("close", () => this.#leave(place));
    const reserve = isLoopback(address) ? 0 : Math.min(LOOPBACK_RESERVE, this.#maxTotal >> 1);
    if (this.#places.size > this.#maxTotal - reserve) this.#evict();
  }

  #originAt(address: string): Origin {
    const key = originOf(address);
    const known = this.#origins.get(key);
    if (known !== undefined) return known;
    return {
      key,
      isPreferred: isLoopback(address) || isInside(address, this.#proxies),
      count: 0,
      waiting: new Set(),
      answering: new Set(),
      longLived: new Set(),
    };
  }

  /** Begins a request. If a body follows, the connection keeps waiting for its client. */
  #begin(request: IncomingMessage): void {
    const place = this.#places.get(request.socket);
    if (place === undefined) return;
    const { "transfer-encoding": coding, "content-length": length } = request.headers;
    const stopWaiting = (): void => {
      // A body may end after its answer: by then the connection waits for another request.
      if (place.request === request) move(place, place.origin.answering);
    };
    const hasBody = coding !== undefined || (length !== undefined && Number(length) !== 0);
    // Pipelined: the connection was not waiting.
    if (hasBody && place.set !== place.origin.waiting) this.#wait(place);
    place.request = request;
    if (hasBody) request.once("end", stopWaiting);
    else stopWaiting();
  }

  #wait(place: Place | undefined): void {
    if (place === undefined) return;
    place.request = undefined;
    place.waitingSince = this.#waits++;
    move(place, place.origin.waiting);
  }

  #leave(place: Place): void {
    if (!this.#places.delete(place.socket)) return;
    const { origin } = place;
    place.set.delete(place);
    if (--origin.count === 0) this.#origins.delete(origin.key);
  }

  /**
   * Ends the longest-waiting connection of the origin with the most connections, possibly the new one. If few wait,
   * ends one that is being answered instead, of the origin with the most connections, if that has more than the
   * other.
   */
  #evict(): void {
    let waiting = 0;
    let longest: Place | undefined;
    let largest: Origin | undefined;
    for (const origin of this.#origins.values()) {
      const [first] = origin.waiting;
      if (first !== undefined && (longest === undefined || isEvictedBefore(first, longest))) longest = first;
      if (origin.isPreferred) continue;
      waiting += origin.waiting.size;
      const isBusy = origin.waiting.size < origin.count;
      if (isBusy && origin.count > (largest?.count ?? 0)) largest = origin;
    }
    // The new connection waits, so there is one.
    if (longest === undefined) return;
    let worst = longest;
    if (largest !== undefined && waiting <= this.#maxTotal / WAITING_SHARE) {
      const { isPreferred, count } = longest.origin;
      if (isPreferred || largest.count > count) worst = slowestOf(largest) ?? longest;
    }
    this.#leave(worst);
    worst.socket.destroy();
  }
}

/** Moves a connection to the end of another set. A closed one is in no set. */
function move(place: Place, set: Set<Place>): void {
  if (!place.set.delete(place)) return;
  place.set = set;
  set.add(place);
}

/** Returns the oldest long-lived connection, else the one whose answer has taken longest. */
function slowestOf({ longLived, answering }: Origin): Place | undefined {
  const [first] = longLived.size > 0 ? longLived : answering;
  return first;
}

/** Compares: preferred origins last, then the largest origin first, then the longest wait. */
function isEvictedBefore(one: Place, other: Place): boolean {
  if (one.origin.isPreferred !== other.origin.isPreferred) return other.origin.isPreferred;
  if (one.origin.count !== other.origin.count) return one.origin.count > other.origin.count;
  return one.waitingSince < other.waitingSince;
}
