/** Requests that a client sends without waiting for answers: taken in order, one of a connection at a time. */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Most requests that wait on a connection behind the one being answered. */
const MAX_WAITING = 64;

type Exchange = readonly [request: IncomingMessage, response: ServerResponse];

/**
 * Passes the next request of a connection on when the answer before it was taken: whoever sends a thousand at once gets
 * no more of this thread than others, and keeps no more than one answer waiting. Longer lines end the connection.
 */
export function oneAtATime(handle: (...exchange: Exchange) => void): RequestListener {
  /** What waits, for each connection of which a request is under way. */
  const lines = new WeakMap<Socket, Exchange[]>();
  const begin = (socket: Socket, line: Exchange[], [request, response]: Exchange): void => {
    response.once("close", () => {
      const next = line.shift();
      if (next === undefined) lines.delete(socket);
      else if (!socket.destroyed) begin(socket, line, next);
    });
    handle(request, response);
  };
  return (request, response) => {
    const { socket } = request;
    // What was read in one piece with the request that ended the connection.
    if (socket.destroyed) return;
    const line = lines.get(socket);
    if (line === undefined) {
      const own: Exchange[] = [];
      lines.set(socket, own);
      begin(socket, own, [request, response]);
    } else if (line.length < MAX_WAITING) line.push([request, response]);
    else socket.destroy();
  };
}
