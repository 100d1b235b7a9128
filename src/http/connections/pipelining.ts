/** Answers pipelined requests in order, one per connection at a time. */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { HttpCounters } from "../metrics.ts";
import type { ConnectionBalance } from "./connection-balance.ts";

/** Limit per connection; a further request closes it. */
const MAX_QUEUED = 32;

type Exchange = readonly [request: IncomingMessage, response: ServerResponse];

export class RequestPipeline {
  readonly listener: RequestListener;
  /** Called when a connection's last queued request is being handled. */
  onQueueEmpty: (socket: Socket) => void = () => {};
  onRequestBegin: (request: IncomingMessage) => void = () => {};
  onSocketIdle: (socket: Socket) => void = () => {};
  readonly #queues = new WeakMap<Socket, Exchange[]>();
  readonly #handle: (...exchange: Exchange) => void;
  readonly #counters: HttpCounters;
  readonly #balance: ConnectionBalance | undefined;

  constructor(
    handle: (...exchange: Exchange) => void,
    counters = new HttpCounters(),
    balance?: ConnectionBalance | undefined,
  ) {
    this.#balance = balance;
    this.#handle = handle;
    this.#counters = counters;
    this.listener = (request, response) => this.#enqueue(request, response);
  }

  hasQueued(socket: Socket): boolean {
    return (this.#queues.get(socket)?.length ?? 0) > 0;
  }

  #enqueue(...exchange: Exchange): void {
    const [{ socket }] = exchange;
    // An earlier request in these data closed the connection.
    if (socket.destroyed) return;
    const queue = this.#queues.get(socket);
    if (queue === undefined) {
      const newQueue: Exchange[] = [];
      this.#queues.set(socket, newQueue);
      this.#begin(socket, newQueue, exchange);
    } else if (queue.length < MAX_QUEUED) queue.push(exchange);
    else {
      this.#counters.limitReached("pipelined_requests");
      socket.destroy();
    }
  }

  #begin(socket: Socket, queue: Exchange[], exchange: Exchange): void {
    const [request, response] = exchange;
    this.onRequestBegin(request);
    // A connection with queued requests stays open.
    if (this.#balance?.countRequest(socket) === true && queue.length === 0)
      response.setHeader("connection", "close");
    const startedAt = this.#counters.startTime();
    response.once("close", () => {
      this.#counters.requestEnded(request, response, startedAt);
      const next = queue.shift();
      if (next === undefined) {
        this.#queues.delete(socket);
        this.onSocketIdle(socket);
      } else if (!socket.destroyed) {
        this.#begin(socket, queue, next);
        if (queue.length === 0) this.onQueueEmpty(socket);
      }
    });
    this.#handle(...exchange);
  }
}
