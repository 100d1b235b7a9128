/**
 * Passes input to Node's parser in small chunks. Node reads 64 KiB at a time and would parse thousands of requests in
 * it, on every connection, before the server can refuse one or do other work.
 */
import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "../../interfaces.ts";
import { TimeSlicedQueue } from "../../runtime/time-sliced-queue.ts";
import type { RequestPipeline } from "./pipelining.ts";

/** Longer than most requests; at most some dozens fit. */
const CHUNK_BYTES = 1_024;
/** Time slice for parsing, ms. Node accepts one connection per event loop turn. */
const SLICE_MS = 2;
/** Maximum short chunks parsed on arrival per turn: about 2 ms of light requests. */
const MAX_DIRECT_CHUNKS = 64;

interface ConnectionInput {
  readonly socket: Socket;
  readonly parse: (bytes: Buffer) => void;
  /** Read but not parsed, in order; reading is paused meanwhile. */
  readonly unparsed: Buffer[];
  /** Node has paused the connection: the chunks wait until it resumes. */
  isPaused: boolean;
  /** Waits for earlier requests of this connection. */
  isQueued: boolean;
}

export function paceInput(server: Server, pipeline: RequestPipeline, clock: Pick<Clock, "monotonic">): void {
  const inputs = new WeakMap<Socket, ConnectionInput>();
  let parsed = 0;
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
  const queue = new TimeSlicedQueue<ConnectionInput>(
    clock,
    1,
    ([input]) => {
      const { socket, parse, unparsed } = input;
      if (socket.destroyed) return;
      const [first] = unparsed;
      if (first.length > CHUNK_BYTES) unparsed[0] = first.subarray(CHUNK_BYTES);
      else unparsed.shift();
      // So that a pause by Node can be detected.
      socket.resume();
      parse(first.subarray(0, CHUNK_BYTES));
      if (unparsed.length > 0) enqueue(input);
    },
    SLICE_MS,
  );
  /** Node pauses a connection if its answers or bodies are not read. */
  const enqueue = (input: ConnectionInput): void => {
    const { socket } = input;
    input.isPaused = socket.isPaused();
    if (input.isPaused) return;
    socket.pause();
    input.isQueued = pipeline.hasQueued(socket);
    if (!input.isQueued) queue.add(input);
  };
  pipeline.onEmpty = (socket) => {
    const input = inputs.get(socket);
    if (input?.isQueued !== true) return;
    input.isQueued = false;
    queue.add(input);
  };
  server.on("connection", (socket: Socket) => {
    // Node's own listener comes first; it is replaced below.
    const [parse, ...others] = socket.listeners("data") as ((bytes: Buffer) => void)[];
    // Leave other versions of Node.js that read differently alone; tests would notice.
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
      if (isIdle) enqueue(input);
      else socket.pause();
    });
    // Also emitted when the socket was resumed and paused again.
    socket.on("resume", () => {
      if (input.isPaused && !socket.isPaused()) enqueue(input);
    });
  });
}
