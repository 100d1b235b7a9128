/** Requests that a client sends without waiting for answers: taken in order, one of a connection at a time. */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Most requests that wait on a connection behind the one being answered: more than one piece of real ones holds. */
const MAX_QUEUED = 32;

type Exchange = readonly [request: IncomingMessage, response: ServerResponse];

/**
 * Passes the next request of a connection on when the answer before it was taken: whoever sends a thousand at once gets
 * no more of this thread than others, and keeps no more than one answer waiting. Longer lines end the connection.
 */
export class RequestPipeline {
  /** What a server is to call for each request. */
  readonly listener: RequestListener;
  /** Called when the last request that waited on a connection is being answered. */
  onEmpty: (socket: Socket) => void = () => {};
  /** Called when a request is passed to its handler. */
  onBegin: (request: IncomingMessage) => void = () => {};
  /** Called when no request of a connection is left to answer. */
  onIdle: (socket: Socket) => void = () => {};
  /** What waits, for each connection of which a request is under way. */
  readonly #queues = new WeakMap<Socket, Exchange[]>();
  readonly #handle: (...exchange: Exchange) => void;

  constructor(handle: (...exchange: Exchange) => void) {
    this.#handle = handle;
    this.listener = (request, response) => this.#enqueue(request, response);
  }

  /** Whether requests of this connection wait behind the one being answered. */
  hasQueued(socket: Socket): boolean {
    return (this.#queues.get(socket)?.length ?? 0) > 0;
  }

  #enqueue(...exchange: Exchange): void {
    const [{ socket }] = exchange;
    // What was read in one piece with the request that ended the connection.
    if (socket.destroyed) return;
    const line = this.#queues.get(socket);
    if (line === undefined) {
      const own: Exchange[] = [];
      this.#queues.set(socket, own);
      this.#begin(socket, own, exchange);
    } else if (line.length < MAX_QUEUED) line.push(exchange);
    else socket.destroy();
  }

  #begin(socket: Socket, line: Exchange[], exchange: Exchange): void {
    const [request, response] = exchange;
    this.onBegin(request);
    response.once("close", () => {
      const next = line.shift();
      if (next === undefined) {
        this.#queues.delete(socket);
        this.onIdle(socket);
      } else if (!socket.destroyed) {
        this.#begin(socket, line, next);
        if (line.length === 0) this.onEmpty(socket);
      }
    });
    this.#handle(...exchange);
  }
}
