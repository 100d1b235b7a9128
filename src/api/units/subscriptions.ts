import type { ServerResponse } from "node:http";
import type { Sender } from "../../http/access/proxies.ts";
import type { ConnectionLimit } from "../../http/connections/connection-limit.ts";
import type { HttpCounts } from "../../http/counts.ts";
import type { ResponseBackpressure } from "../../http/responses/backpressure.ts";
import type { StreamingBody } from "../../http/responses/reply.ts";
import type {
  ChainEvents,
  ChainReader,
  Clock,
  FollowedPosition,
  Log,
  SourceDescription,
} from "../../interfaces.ts";
import { encodeFrame } from "../../units/frames.ts";
import { ChainStream, StreamSet } from "../stream-set.ts";
import { type StreamPosition, type UnitPage, UnitPages } from "./pages.ts";

/** See `StreamSetOptions.max`. Low, because each stream may buffer a page. */
export const MAX_UNIT_STREAMS = 100;
export const MAX_UNIT_STREAMS_PER_ORIGIN = 20;

const heartbeat = encodeFrame({ kind: "heartbeat" });

class UnitStream extends ChainStream {
  position: StreamPosition;

  constructor(
    response: ServerResponse,
    position: StreamPosition,
    clock: Clock,
    backpressure: ResponseBackpressure,
  ) {
    super(response, clock, backpressure);
    this.position = position;
  }

  sendPage({ bytes, next }: UnitPage): void {
    this.position = next;
    if (bytes !== undefined) this.write(bytes);
  }

  protected sendHeartbeat(): void {
    this.write(heartbeat);
  }
}

export class UnitStreams {
  readonly #clock: Clock;
  readonly #backpressure: ResponseBackpressure;
  readonly #description: SourceDescription | undefined;
  readonly #pages: UnitPages;
  readonly #set: StreamSet<UnitStream>;
  readonly #unsubscribe: () => void;

  constructor(options: {
    readonly reader: ChainReader;
    readonly events: ChainEvents;
    readonly clock: Clock;
    readonly backpressure: ResponseBackpressure;
    readonly log: Log;
    readonly connections: ConnectionLimit;
    readonly counts: Pick<HttpCounts, "unitStreams" | "runExclusively">;
    readonly description: SourceDescription | undefined;
  }) {
    const { reader, events, counts } = options;
    this.#clock = options.clock;
    this.#backpressure = options.backpressure;
    this.#description = options.description;
    this.#pages = new UnitPages(reader);
    this.#set = new StreamSet({
      ...options,
      name: "a stream of units",
      max: MAX_UNIT_STREAMS,
      maxPerOrigin: MAX_UNIT_STREAMS_PER_ORIGIN,
      limit: "unit_streams",
      originCounts: counts.unitStreams,
      runExclusively: counts.runExclusively,
      serve: (stream) => this.#serve(stream),
    });
    this.#unsubscribe = events.onCommit(() => {
      this.#pages.clear();
      this.#set.wake();
    });
  }

  get count(): number {
    return this.#set.streams.size;
  }

  /** In blocks, of the slowest stream. */
  lag(tipHeight: number): number {
    let lag = 0;
    for (const { position } of this.#set.streams) lag = Math.max(lag, tipHeight - position.height);
    return lag;
  }

  get isAvailable(): boolean {
    return this.#description !== undefined;
  }

  begin(after: FollowedPosition): UnitPage | undefined {
    return this.#pages.begin(after);
  }

  /**
   * Opens a stream with a page of `begin`, if `isAvailable`.
   * @throws ApiError 503 if there are too many streams, or at shutdown
   */
  open(first: UnitPage, sender: Sender): StreamingBody {
    const description = this.#description;
    if (description === undefined) throw new Error("This node serves no units");
    return this.#set.open(sender, (response) => {
      const stream = new UnitStream(response, first.next, this.#clock, this.#backpressure);
      stream.write(encodeFrame({ kind: "source", description }));
      stream.sendPage(first);
      return stream;
    });
  }

  close(): void {
    this.#unsubscribe();
    this.#set.close();
  }

  #serve(stream: UnitStream): boolean {
    const page = this.#pages.page(stream.position);
    if (page === undefined) {
      stream.end();
      return false;
    }
    stream.sendPage(page);
    return !page.isComplete;
  }
}
