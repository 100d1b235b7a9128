/**
 * A full server closes a connection for each new one: of the origin with the most connections, preferably one that
 * waits for its client. Page 06 §2.1; page 00, part B, 8.
 */
import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import { type IpNetwork, isInside, isLoopback, originOf } from "../../bytes/ip.ts";
import type { Cancel } from "../../interfaces.ts";
import { type HttpCounts, localHttpCounts } from "../counts.ts";
import { HttpCounters } from "../metrics.ts";
import type { RequestPipeline } from "./pipelining.ts";

/** Default for all servers together. */
export const MAX_CONNECTIONS = 1_024;
/** Limit per origin, except loopback and trusted proxies; also at most `ORIGIN_SHARE` of all connections. */
const MAX_PER_ORIGIN = 256;
const ORIGIN_SHARE = 1 / 4;
/** Reserved for local health checks. */
const LOOPBACK_RESERVE = 8;
/** Allowance for connections that are not counted yet, or are closing. */
const MARGIN = 32;
/** Maximum share of connections with event streams, waits for commits or delayed answers. */
const LONG_LIVED_SHARE = 3 / 4;
/** Connections being answered are evicted only if at most this share of all connections waits for clients. */
const WAITING_SHARE = 1 / 16;

interface Connection {
  readonly socket: Socket;
  readonly origin: Origin;
  /** The set that contains the connection. */
  set: Set<Connection>;
  /** Start of its wait, as a sequence number: the smallest has waited longest. */
  waitingSince: number;
  /** The request being received or answered. */
  request: IncomingMessage | undefined;
}

/** Each connection is in one of the three sets. */
interface Origin {
  readonly key: string;
  /** True for loopback and trusted proxies, which have no limit and are evicted last. */
  readonly isPreferred: boolean;
  count: number;
  /** Connections whose client must send a request or the rest of a body; longest wait first. */
  readonly waiting: Set<Connection>;
  readonly answering: Set<Connection>;
  readonly longLived: Set<Connection>;
}

export class ConnectionLimit {
  readonly #maxTotal: number;
  readonly #maxPerOrigin: number;
  readonly #proxies: readonly IpNetwork[];
  readonly #counters: HttpCounters;
  readonly #connections = new Map<Socket, Connection>();
  readonly #origins = new Map<string, Origin>();
  readonly #counts: HttpCounts;
  #nextWait = 0;

  constructor(
    maxTotal: number = MAX_CONNECTIONS,
    proxies: readonly IpNetwork[] = [],
    counters = new HttpCounters(),
    counts: HttpCounts = localHttpCounts(),
  ) {
    this.#counters = counters;
    this.#counts = counts;
    this.#maxTotal = maxTotal;
    this.#maxPerOrigin = Math.min(MAX_PER_ORIGIN, Math.ceil(maxTotal * ORIGIN_SHARE));
    this.#proxies = proxies;
  }

  /** Scales a limit for 1,024 connections. */
  scaled(limit: number): number {
    return Math.floor((limit * this.#maxTotal) / MAX_CONNECTIONS);
  }

  get count(): number {
    return this.#connections.size;
  }

  /** Excludes long-lived connections. */
  get answeringCount(): number {
    let count = 0;
    for (const { answering } of this.#origins.values()) count += answering.size;
    return count;
  }

  get longLivedCount(): number {
    return this.#counts.longLived.own;
  }

  get hasLongLivedRoom(): boolean {
    return this.#counts.longLived.total < Math.floor(this.#maxTotal * LONG_LIVED_SHARE);
  }

  /** Requires `hasLongLivedRoom`. Call the result once, when the answer ends. */
  addLongLived(socket: Socket): Cancel {
    const connection = this.#connections.get(socket);
    this.#counts.longLived.add(1);
    // A connection with an incomplete body stays in `waiting`.
    if (connection !== undefined && connection.set === connection.origin.answering)
      move(connection, connection.origin.longLived);
    return () => {
      this.#counts.longLived.add(-1);
      if (connection !== undefined && connection.set === connection.origin.longLived)
        move(connection, connection.origin.answering);
    };
  }

  watch(server: Server, pipeline: RequestPipeline): void {
    // Node.js closes connections above this number after accepting them.
    server.maxConnections = this.#maxTotal + MARGIN;
    server.on("connection", (socket: Socket) => this.#enter(socket));
    pipeline.onRequestBegin = (request) => this.#beginRequest(request);
    pipeline.onSocketIdle = (socket) => this.#markWaiting(this.#connections.get(socket));
  }

  #enter(socket: Socket): void {
    const address = socket.remoteAddress ?? "";
    const origin = this.#originAt(address);
    const { connections, runExclusively } = this.#counts;
    const isRefused = runExclusively(() => {
      if (!origin.isPreferred && connections.of(origin.key) >= this.#maxPerOrigin) return true;
      connections.add(origin.key, 1);
      return false;
    });
    if (isRefused) {
      this.#counters.limitReached("connections_per_origin");
      socket.destroy();
      return;
    }
    const connection: Connection = {
      socket,
      origin,
      set: origin.waiting,
      waitingSince: 0,
      request: undefined,
    };
    origin.count++;
    origin.waiting.add(connection);
    this.#origins.set(origin.key, origin);
    this.#connections.set(socket, connection);
    this.#markWaiting(connection);
    socket.once("close", () => this.#leave(connection));
    const reserve = isLoopback(address) ? 0 : Math.min(LOOPBACK_RESERVE, this.#maxTotal >> 1);
    if (connections.total > this.#maxTotal - reserve) this.#evict();
  }

  #originAt(address: string): Origin {
    const key = originOf(address);
    const existing = this.#origins.get(key);
    if (existing !== undefined) return existing;
    return {
      key,
      isPreferred: isLoopback(address) || isInside(address, this.#proxies),
      count: 0,
      waiting: new Set(),
      answering: new Set(),
      longLived: new Set(),
    };
  }

  #beginRequest(request: IncomingMessage): void {
    const connection = this.#connections.get(request.socket);
    if (connection === undefined) return;
    const { "transfer-encoding": coding, "content-length": length } = request.headers;
    const stopWaiting = (): void => {
      // A body may end after its answer: then the connection already waits for the next request.
      if (connection.request === request) move(connection, connection.origin.answering);
    };
    const hasBody = coding !== undefined || (length !== undefined && Number(length) !== 0);
    // After a pipelined request, the connection is not waiting.
    if (hasBody && connection.set !== connection.origin.waiting) this.#markWaiting(connection);
    connection.request = request;
    if (hasBody) request.once("end", stopWaiting);
    else stopWaiting();
  }

  #markWaiting(connection: Connection | undefined): void {
    if (connection === undefined) return;
    connection.request = undefined;
    connection.waitingSince = this.#nextWait++;
    move(connection, connection.origin.waiting);
  }

  #leave(connection: Connection): void {
    if (!this.#connections.delete(connection.socket)) return;
    const { origin } = connection;
    connection.set.delete(connection);
    this.#counts.runExclusively(() => this.#counts.connections.add(origin.key, -1));
    if (--origin.count === 0) this.#origins.delete(origin.key);
  }

  /** Closes a connection of this thread, even if another thread has more of an origin. */
  #evict(): void {
    let waiting = 0;
    let firstWaiting: Connection | undefined;
    let largestBusy: Origin | undefined;
    for (const origin of this.#origins.values()) {
      const [first] = origin.waiting;
      if (first !== undefined && (firstWaiting === undefined || isEvictedBefore(first, firstWaiting)))
        firstWaiting = first;
      if (origin.isPreferred) continue;
      waiting += origin.waiting.size;
      const isBusy = origin.waiting.size < origin.count;
      if (isBusy && origin.count > (largestBusy?.count ?? 0)) largestBusy = origin;
    }
    // Impossible: the new connection is waiting.
    if (firstWaiting === undefined) return;
    let evicted = firstWaiting;
    if (largestBusy !== undefined && waiting <= this.#maxTotal * WAITING_SHARE) {
      const { isPreferred, count } = firstWaiting.origin;
      if (isPreferred || largestBusy.count > count) evicted = oldestBusyOf(largestBusy) ?? firstWaiting;
    }
    this.#counters.limitReached("connections");
    this.#leave(evicted);
    evicted.socket.destroy();
  }
}

function move(connection: Connection, set: Set<Connection>): void {
  if (!connection.set.delete(connection)) return;
  connection.set = set;
  set.add(connection);
}

function oldestBusyOf({ longLived, answering }: Origin): Connection | undefined {
  const [first] = longLived.size > 0 ? longLived : answering;
  return first;
}

function isEvictedBefore(one: Connection, other: Connection): boolean {
  if (one.origin.isPreferred !== other.origin.isPreferred) return other.origin.isPreferred;
  if (one.origin.count !== other.origin.count) return one.origin.count > other.origin.count;
  return one.waitingSince < other.waitingSince;
}
