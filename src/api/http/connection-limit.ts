/**
 * Limits the connections of the HTTP servers, in all and per origin. When all places are taken, a new connection is still
 * accepted: the limit ends a connection that waits for its client instead, one of the origin with the most connections.
 * So half-sent requests only evict each other. Page 06 §2.1; page 00, part B, 8.
 */
import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import { type IpNetwork, isInside, isLoopback, originOf } from "../../bytes/ip.ts";
import type { RequestLines } from "./one-at-a-time.ts";

/** Connections of all servers and clients, if the process has enough file handles. Page 06 §2.1. */
export const MAX_CONNECTIONS = 1_024;
/** Connections of one origin other than loopback: at most this number, and at most one in `ORIGIN_SHARE` of all. */
const MAX_PER_ORIGIN = 256;
const ORIGIN_SHARE = 4;
/** Places that only loopback may take, so that a health check on this machine always gets through. */
const LOOPBACK_RESERVE = 8;
/** Connections that Node.js has accepted and this limit has not counted yet, or that have ended and are not closed yet. */
const MARGIN = 32;

interface Place {
  readonly socket: Socket;
  readonly origin: Origin;
  /** Number of the wait, counted up by all connections: the smallest has waited longest. */
  waitingSince: number;
  /** The request that is being answered; undefined: none. */
  request: IncomingMessage | undefined;
}

/** The connections of one origin. */
interface Origin {
  readonly key: string;
  /** A trusted proxy carries many clients, so no limit per origin applies to it. */
  readonly isProxy: boolean;
  count: number;
  /** Connections whose client has not sent a whole request. The longest wait is first. */
  readonly waiting: Set<Place>;
}

/** The connections of all HTTP servers of a node. */
export class ConnectionLimit {
  readonly #maxTotal: number;
  readonly #maxPerOrigin: number;
  readonly #proxies: readonly IpNetwork[];
  readonly #places = new Map<Socket, Place>();
  readonly #origins = new Map<string, Origin>();
  #waits = 0;

  /**
   * @param maxTotal connections of all servers at a time
   * @param proxies networks of trusted proxies, which may have any number of connections
   */
  constructor(maxTotal: number = MAX_CONNECTIONS, proxies: readonly IpNetwork[] = []) {
    this.#maxTotal = maxTotal;
    this.#maxPerOrigin = Math.min(MAX_PER_ORIGIN, Math.ceil(maxTotal / ORIGIN_SHARE));
    this.#proxies = proxies;
  }

  /** Scales a limit that is meant for 1,024 connections to the connections that this process may have. */
  scaled(limit: number): number {
    return Math.floor((limit * this.#maxTotal) / MAX_CONNECTIONS);
  }

  /** Number of open connections. */
  get count(): number {
    return this.#places.size;
  }

  /** Applies the limit to a server. @param lines tell when a request begins and when its connection is idle */
  watch(server: Server, lines: RequestLines): void {
    // A second bound: above it Node.js closes a connection right after accepting it.
    server.maxConnections = this.#maxTotal + MARGIN;
    server.on("connection", (socket: Socket) => this.#enter(socket));
    lines.onBegin = (request) => this.#begin(request);
    lines.onIdle = (socket) => this.#wait(this.#places.get(socket));
  }

  #enter(socket: Socket): void {
    const address = socket.remoteAddress ?? "";
    const isOwn = isLoopback(address);
    const origin = this.#originAt(address);
    if (!isOwn && !origin.isProxy && origin.count >= this.#maxPerOrigin) {
      socket.destroy();
      return;
    }
    const place: Place = { socket, origin, waitingSince: 0, request: undefined };
    origin.count++;
    this.#origins.set(origin.key, origin);
    this.#places.set(socket, place);
    this.#wait(place);
    socket.once("close", () => this.#leave(place));
    const places = isOwn ? this.#maxTotal : this.#maxTotal - Math.min(LOOPBACK_RESERVE, this.#maxTotal >> 1);
    if (this.#places.size > places) this.#evict();
  }

  #originAt(address: string): Origin {
    const key = originOf(address);
    const known = this.#origins.get(key);
    if (known !== undefined) return known;
    return { key, isProxy: isInside(address, this.#proxies), count: 0, waiting: new Set() };
  }

  /** The head of a request has arrived. If a body follows, the connection keeps waiting for its client. */
  #begin(request: IncomingMessage): void {
    const place = this.#places.get(request.socket);
    if (place === undefined) return;
    const { "transfer-encoding": coding, "content-length": length } = request.headers;
    place.request = request;
    const stopWaiting = (): void => {
      // The end of a body may come after its answer: by then the connection waits for another request.
      if (place.request === request) place.origin.waiting.delete(place);
    };
    if (coding === undefined && (length === undefined || Number(length) === 0)) stopWaiting();
    else request.once("end", stopWaiting);
  }

  #wait(place: Place | undefined): void {
    if (place === undefined) return;
    place.request = undefined;
    place.waitingSince = this.#waits++;
    // Move it to the end of the set.
    place.origin.waiting.delete(place);
    place.origin.waiting.add(place);
  }

  #leave(place: Place): void {
    if (!this.#places.delete(place.socket)) return;
    const { origin } = place;
    origin.waiting.delete(place);
    if (--origin.count === 0) this.#origins.delete(origin.key);
  }

  /**
   * Ends the connection that has waited longest, of the origin with the most connections. That is the new connection
   * if all others are being answered.
   */
  #evict(): void {
    let worst: Place | undefined;
    for (const { waiting } of this.#origins.values()) {
      const [longest] = waiting;
      if (longest !== undefined && (worst === undefined || isEvictedBefore(longest, worst))) worst = longest;
    }
    if (worst === undefined) return;
    this.#leave(worst);
    worst.socket.destroy();
  }
}

/** Connections of trusted proxies go last, then those of the largest origin go first, then the longest wait. */
function isEvictedBefore(one: Place, other: Place): boolean {
  if (one.origin.isProxy !== other.origin.isProxy) return other.origin.isProxy;
  if (one.origin.count !== other.origin.count) return one.origin.count > other.origin.count;
  return one.waitingSince < other.waitingSince;
}
