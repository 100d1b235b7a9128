/**
 * What arrives on a connection goes to Node's parser in small pieces. Node reads 64 KiB at a time, which may hold
 * thousands of requests: it makes objects of all of them before anybody can refuse one, for every connection on which
 * something arrived, while everybody else waits.
 */
import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "../../interfaces.ts";
import { TimeSlicedQueue } from "../../runtime/time-sliced-queue.ts";
import type { RequestPipeline } from "./pipelining.ts";

/** Parsed at once: most requests are shorter, and no more than some dozens fit into it. */
const CHUNK_BYTES = 1_024;
/** How long pieces are parsed in a turn of the event loop, ms: Node takes one new connection in each turn. */
const SLICE_MS = 2;
/**
 * Short pieces parsed as they arrive, in a turn of the event loop: light requests of some 2 ms. What comes on top takes
 * turns as long ones do.
 */
const MAX_DIRECT_CHUNKS = 64;

interface ConnectionInput {
  readonly socket: Socket;
  readonly parse: (bytes: Buffer) => void;
  /** What was read and not parsed, in order; nothing is read meanwhile. */
  readonly unparsed: Buffer[];
  /** Node has paused the connection: what is left waits until it goes on. */
  isPaused: boolean;
  /** What is left waits for the requests before it. */
  isQueued: boolean;
}

/** Has the connections of a server take turns where more than a piece has arrived. */
export function paceInput(server: Server, lines: RequestPipeline, clock: Pick<Clock, "monotonic">): void {
  const inputs = new WeakMap<Socket, ConnectionInput>();
  let parsed = 0;
  /** Whether a short piece may be parsed as it arrives. */
  const mayParse = (): boolean => {
    if (parsed === MAX_DIRECT_CHUNKS) return false;
    if (parsed === 0) {
      setImmediate(() => {
        parsed = 0;
      });
    }
    parsed++;
    return true;
  };
  const turns = new TimeSlicedQueue<ConnectionInput>(
    clock,
    1,
    ([input]) => {
      const { socket, parse, unparsed } = input;
      if (socket.destroyed) return;
      const [first] = unparsed;
      if (first.length > CHUNK_BYTES) unparsed[0] = first.subarray(CHUNK_BYTES);
      else unparsed.shift();
      // So that it can be seen whether Node pauses it.
      socket.resume();
      parse(first.subarray(0, CHUNK_BYTES));
      if (unparsed.length > 0) wait(input);
    },
    SLICE_MS,
  );
  /** Goes on with what is left when it may. Node pauses a connection of which answers or bodies are not taken. */
  const wait = (input: ConnectionInput): void => {
    const { socket } = input;
    input.isPaused = socket.isPaused();
    if (input.isPaused) return;
    socket.pause();
    input.isQueued = lines.hasQueued(socket);
    if (!input.isQueued) turns.add(input);
  };
  lines.onEmpty = (socket) => {
    const input = inputs.get(socket);
    if (input?.isQueued !== true) return;
    input.isQueued = false;
    turns.add(input);
  };
  server.on("connection", (socket: Socket) => {
    // Node's own listener, which was there first; with one in its place, what arrives comes here.
    const [parse, ...others] = socket.listeners("data") as ((bytes: Buffer) => void)[];
    // A version of Node that reads in another way is left to it; the tests of this one say so.
    if (parse === undefined || others.length > 0) return;
    socket.removeListener("data", parse);
    const input: ConnectionInput = { socket, parse, unparsed: [], isPaused: false, isQueued: false };
    inputs.set(socket, input);
    socket.on("data", (bytes: Buffer) => {
      const isIdle = input.unparsed.length === 0;
      if (isIdle && bytes.length <= CHUNK_BYTES && mayParse()) {
        parse(bytes);
        return;
      }
      input.unparsed.push(bytes);
      if (isIdle) wait(input);
      else socket.pause();
    });
    // Said too of what was resumed and paused again.
    socket.on("resume", () => {
      if (input.isPaused && !socket.isPaused()) wait(input);
    });
  });
}
