/** Answers pipelined requests in order, one per connection at a time. */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Per connection; one chunk of real requests holds fewer. */
const MAX_QUEUED = 32;

type Exchange = readonly [request: IncomingMessage, response: ServerResponse];

/**
 * Handles a connection's next request after the client received the previous answer. So many requests at once get no
 * extra time, and only one answer is buffered. More than `MAX_QUEUED` requests end the connection.
 */
export class RequestPipeline {
  readonly listener: RequestListener;
  /** Called when a connection's last queued request is being answered. */
  onEmpty: (socket: Socket) => void = () => {};
  /** Called before a request's handler. */
  onBegin: (request: IncomingMessage) => void = () => {};
  /** Called when a connection has nothing to answer. */
  onIdle: (socket: Socket) => void = () => {};
  /** Queued requests of busy connections. */
  readonly #queues = new WeakMap<Socket, Exchange[]>();
  readonly #handle: (...exchange: Exchange) => void;

  constructor(handle: (...exchange: Exchange) => void) {
    this.#handle = handle;
    this.listener = (request, response) => this.#enqueue(request, response);
  }

  hasQueued(socket: Socket): boolean {
    return (this.#queues.get(socket)?.length ?? 0) > 0;
  }

  #enqueue(...exchange: Exchange): void {
    const [{ socket }] = exchange;
    // Data that arrived with the request that ended the connection.
    if (socket.destroyed) return;
    const queue = this.#queues.get(socket);
    if (queue === undefined) {
      const own: Exchange[] = [];
      this.#queues.set(socket, own);
      this.#begin(socket, own, exchange);
    } else if (queue.length < MAX_QUEUED) queue.push(exchange);
    else socket.destroy();
  }

  #begin(socket: Socket, queue: Exchange[], exchange: Exchange): void {
    const [request, response] = exchange;
    this.onBegin(request);
    response.once("close", () => {
      const next = queue.shift();
      if (next === undefined) {
        this.#queues.delete(socket);
        this.onIdle(socket);
      } else if (!socket.destroyed) {
        this.#begin(socket, queue, next);
        if (queue.length === 0) this.onEmpty(socket);
      }
    });
    this.#handle(...exchange);
  }
}
