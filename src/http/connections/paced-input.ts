/** Passes input to Node.js's parser in small chunks, so that one client does not delay others. */
import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "../../interfaces.ts";
import { TimeSlicedQueue } from "../../runtime/time-sliced-queue.ts";
import type { RequestPipeline } from "./pipelining.ts";

/** Larger than most requests. */
const CHUNK_BYTES = 1_024;
/** Time slice for parsing, ms; short, because Node.js accepts one connection per turn of the event loop. */
const SLICE_MS = 2;
/** Maximum chunks parsed on arrival in one turn of the event loop. */
const MAX_DIRECT_CHUNKS = 64;

interface ConnectionInput {
  readonly socket: Socket;
  readonly parse: (bytes: Buffer) => void;
  readonly unparsed: Buffer[];
  /** True if Node.js paused the socket. */
  isPaused: boolean;
  /** True until the connection's earlier requests are answered. */
  isAwaitingAnswers: boolean;
}

export function paceInput(server: Server, pipeline: RequestPipeline, clock: Pick<Clock, "monotonic">): void {
  const inputs = new WeakMap<Socket, ConnectionInput>();
  let directChunks = 0;
  const reserveDirectChunk = (): boolean => {
    if (directChunks === MAX_DIRECT_CHUNKS) return false;
    if (directChunks === 0) {
      setImmediate(() => {
        directChunks = 0;
      });
    }
    directChunks++;
    return true;
  };
  const queue = new TimeSlicedQueue<ConnectionInput>(
    clock,
    1,
    ([input]) => {
      const { socket, parse, unparsed } = input;
      if (socket.destroyed) return;
      const [first] = unparsed;
      if (first.length > CHUNK_BYTES) unparsed[0] = first.subarray(CHUNK_BYTES);
      else unparsed.shift();
      // Resume the socket, so that `enqueue` can detect a pause by Node.js.
      socket.resume();
      parse(first.subarray(0, CHUNK_BYTES));
      if (unparsed.length > 0) enqueue(input);
    },
    SLICE_MS,
  );
  const enqueue = (input: ConnectionInput): void => {
    const { socket } = input;
    input.isPaused = socket.isPaused();
    if (input.isPaused) return;
    socket.pause();
    input.isAwaitingAnswers = pipeline.hasQueued(socket);
    if (!input.isAwaitingAnswers) queue.add(input);
  };
  pipeline.onQueueEmpty = (socket) => {
    const input = inputs.get(socket);
    if (input?.isAwaitingAnswers !== true) return;
    input.isAwaitingAnswers = false;
    queue.add(input);
  };
  server.on("connection", (socket: Socket) => {
    const [parse, ...others] = socket.listeners("data") as ((bytes: Buffer) => void)[];
    // Another version of Node.js may read differently: then keep its listeners.
    if (parse === undefined || others.length > 0) return;
    socket.removeListener("data", parse);
    const input: ConnectionInput = { socket, parse, unparsed: [], isPaused: false, isAwaitingAnswers: false };
    inputs.set(socket, input);
    socket.on("data", (bytes: Buffer) => {
      const isIdle = input.unparsed.length === 0;
      if (isIdle && bytes.length <= CHUNK_BYTES && reserveDirectChunk()) {
        parse(bytes);
        return;
      }
      input.unparsed.push(bytes);
      if (isIdle) enqueue(input);
      else socket.pause();
    });
    // The socket may be paused again when this event arrives.
    socket.on("resume", () => {
      if (input.isPaused && !socket.isPaused()) enqueue(input);
    });
  });
}
