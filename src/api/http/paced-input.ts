/**
 * What arrives on a connection goes to Node's parser in small pieces. Node reads 64 KiB at a time, which may hold
 * thousands of requests: it makes objects of all of them before anybody can refuse one, for every connection on which
 * something arrived, while everybody else waits.
 */
import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "../../interfaces.ts";
import { Turns } from "./turns.ts";

/** Parsed at once: most requests are shorter, and no more than a hundred fit into it. */
const PIECE_BYTES = 2_048;

interface Input {
  readonly socket: Socket;
  readonly parse: (bytes: Buffer) => void;
  /** What was read and not parsed, in order; nothing is read meanwhile. */
  readonly left: Buffer[];
  /** Node has paused the connection, since its answers are not taken: what is left waits for them. */
  held: boolean;
}

/** Has the connections of a server take turns where more than a piece has arrived. */
export function paceInput(server: Server, clock: Pick<Clock, "now">): void {
  const turns = new Turns<Input>(clock, 1, ([input]) => {
    const { socket, parse, left } = input;
    if (socket.destroyed) return;
    const [first] = left;
    if (first.length > PIECE_BYTES) left[0] = first.subarray(PIECE_BYTES);
    else left.shift();
    // So that it can be seen whether Node pauses it.
    socket.resume();
    parse(first.subarray(0, PIECE_BYTES));
    if (left.length > 0) wait(input);
  });
  const wait = (input: Input): void => {
    input.held = input.socket.isPaused();
    if (input.held) return;
    input.socket.pause();
    turns.add(input);
  };
  server.on("connection", (socket: Socket) => {
    // Node's own listener, which was there first; with one in its place, what arrives comes here.
    const [parse, ...others] = socket.listeners("data") as ((bytes: Buffer) => void)[];
    // A version of Node that reads in another way is left to it; the tests of this one say so.
    if (parse === undefined || others.length > 0) return;
    socket.removeListener("data", parse);
    const input: Input = { socket, parse, left: [], held: false };
    socket.on("data", (bytes: Buffer) => {
      const isIdle = input.left.length === 0;
      if (isIdle && bytes.length <= PIECE_BYTES) {
        parse(bytes);
        return;
      }
      input.left.push(bytes);
      if (isIdle) wait(input);
    });
    // Said too of what was resumed and paused again.
    socket.on("resume", () => {
      if (input.held && !socket.isPaused()) wait(input);
    });
  });
}
