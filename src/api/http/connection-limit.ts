/**
 * How many connections the HTTP servers have, all together and from one origin. When all places are taken, a new
 * connection does not find the door closed: one that waits for its client ends instead, of the origin that has most.
 * So a crowd of half-sent requests only pushes out itself. Page 06 §2.1; page 00, part B, 8.
 */
import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import { type IpNetwork, isInside, isLoopback, originOf } from "../../bytes/ip.ts";
import type { RequestLines } from "./one-at-a-time.ts";

/** Connections of all, where the machine has handles for so many. Page 06 §2.1. */
export const MAX_CONNECTIONS = 1_024;
/** Connections of one origin that is not this machine: at most so many, and at most this part of all. */
const MAX_OF_AN_ORIGIN = 256;
const ORIGIN_SHARE = 4;
/** The last places are for this machine: a check of the node's health finds one while others work. */
const LOOPBACK_PLACES = 8;
/** Connections that Node has taken and that are not counted yet, or have ended and are not closed yet. */
const MARGIN = 32;

interface Place {
  readonly socket: Socket;
  readonly origin: Origin;
  /** Grows with each wait: the smallest has waited longest. */
  waitingSince: number;
  /** The request that is being answered. */
  request: IncomingMessage | undefined;
}

/** Everything that comes from one origin. */
interface Origin {
  readonly key: string;
  /** Many clients come through a proxy that the operator trusts. */
  readonly isProxy: boolean;
  count: number;
  /** Connections whose client has to act: it has not sent a whole request. The longest wait is first. */
  readonly waiting: Set<Place>;
}

/** The connections of all HTTP servers of a node. */
export class ConnectionLimit {
  readonly #total: number;
  readonly #ofAnOrigin: number;
  readonly #proxies: readonly IpNetwork[];
  readonly #places = new Map<Socket, Place>();
  readonly #origins = new Map<string, Origin>();
  #waits = 0;

  /**
   * @param total of all servers
   * @param proxies may have any number of them
   */
  constructor(total: number = MAX_CONNECTIONS, proxies: readonly IpNetwork[] = []) {
    this.#total = total;
    this.#ofAnOrigin = Math.min(MAX_OF_AN_ORIGIN, Math.ceil(total / ORIGIN_SHARE));
    this.#proxies = proxies;
  }

  /** Returns the part that a number out of 1,024 is of the connections that this machine has handles for. */
  partOf(most: number): number {
    return Math.floor((most * this.#total) / MAX_CONNECTIONS);
  }

  /** Connections that are open. */
  get count(): number {
    return this.#places.size;
  }

  /** Counts the connections of a server. @param lines which say whose request is being answered */
  watch(server: Server, lines: RequestLines): void {
    // Whatever happens: beyond that Node closes what it accepts before anything is made for it.
    server.maxConnections = this.#total + MARGIN;
    server.on("connection", (socket: Socket) => this.#enter(socket));
    lines.onBegin = (request) => this.#begin(request);
    lines.onIdle = (socket) => this.#wait(this.#places.get(socket));
  }

  #enter(socket: Socket): void {
    const address = socket.remoteAddress ?? "";
    const isOwn = isLoopback(address);
    const origin = this.#originAt(address);
    if (!isOwn && !origin.isProxy && origin.count >= this.#ofAnOrigin) {
      socket.destroy();
      return;
    }
    const place: Place = { socket, origin, waitingSince: 0, request: undefined };
    origin.count++;
    this.#origins.set(origin.key, origin);
    this.#places.set(socket, place);
    this.#wait(place);
    socket.once("close", () => this.#leave(place));
    const places = isOwn ? this.#total : this.#total - Math.min(LOOPBACK_PLACES, this.#total >> 1);
    if (this.#places.size > places) this.#evict();
  }

  #originAt(address: string): Origin {
    const key = originOf(address);
    const known = this.#origins.get(key);
    if (known !== undefined) return known;
    return { key, isProxy: isInside(address, this.#proxies), count: 0, waiting: new Set() };
  }

  /** Its head has arrived; with a body to come the client still has to act. */
  #begin(request: IncomingMessage): void {
    const place = this.#places.get(request.socket);
    if (place === undefined) return;
    const { "transfer-encoding": coding, "content-length": length } = request.headers;
    place.request = request;
    const work = (): void => {
      // Not the rest of a body behind its answer.
      if (place.request === request) place.origin.waiting.delete(place);
    };
    if (coding === undefined && (length === undefined || Number(length) === 0)) work();
    else request.once("end", work);
  }

  #wait(place: Place | undefined): void {
    if (place === undefined) return;
    place.request = undefined;
    place.waitingSince = this.#waits++;
    // Last in the order of the set.
    place.origin.waiting.delete(place);
    place.origin.waiting.add(place);
  }

  #leave(place: Place): void {
    if (!this.#places.delete(place.socket)) return;
    const { origin } = place;
    origin.waiting.delete(place);
    if (--origin.count === 0) this.#origins.delete(origin.key);
  }

  /** Ends the connection that has waited longest of the origin with most; the new one itself where all others work. */
  #evict(): void {
    let worst: Place | undefined;
    for (const { waiting } of this.#origins.values()) {
      const [longest] = waiting;
      if (longest !== undefined && (worst === undefined || goesBefore(longest, worst))) worst = longest;
    }
    if (worst === undefined) return;
    this.#leave(worst);
    worst.socket.destroy();
  }
}

function goesBefore(one: Place, other: Place): boolean {
  if (one.origin.isProxy !== other.origin.isProxy) return other.origin.isProxy;
  if (one.origin.count !== other.origin.count) return one.origin.count > other.origin.count;
  return one.waitingSince < other.waitingSince;
}
