/** Client connections that send arbitrary bytes and read the answers. */
import { connect, type Socket } from "node:net";

/** Timeout of an answer, or of the end of a connection, by the real clock, ms. No correct answer takes that long. */
const RESPONSE_TIMEOUT_MS = 30_000;

/** An answer as received. */
export interface Heard {
  readonly status: number;
  /** Names are in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/** The answer is not valid HTTP, or is missing. */
export class ConnectionFault extends Error {
  override readonly name = "ConnectionFault";
}

const HEAD_END = "\r\n\r\n";
const NEXT = Buffer.from("HTTP/1.1 ");

/** Parses answers as their bytes arrive. */
class Answers {
  #bytes: Buffer = Buffer.alloc(0);

  /** @param isHead whether the next answer has no body; undefined if unknown */
  constructor(
    readonly isHead: () => boolean | undefined,
    readonly heard: (answer: Heard) => void,
  ) {}

  /** @throws ConnectionFault if it is not valid HTTP */
  take(bytes: Buffer): void {
    this.#bytes = this.#bytes.length === 0 ? bytes : Buffer.concat([this.#bytes, bytes]);
    while (this.#next(false));
  }

  /** The connection has ended. */
  end(): void {
    while (this.#next(true));
  }

  #next(isEnd: boolean): boolean {
    const end = this.#bytes.indexOf(HEAD_END);
    if (end < 0) return false;
    const [first, ...lines] = this.#bytes.subarray(0, end).toString("latin1").split("\r\n");
    const status = Number(/^HTTP\/1\.1 (\d{3}) [ -~]*$/.exec(first)?.[1]);
    if (Number.isNaN(status)) throw new ConnectionFault(`this is no HTTP: ${first.slice(0, 200)}`);
    const headers = new Map<string, string>();
    for (const line of lines) {
      const colon = line.indexOf(":");
      if (colon < 1) throw new ConnectionFault(`this is no header: ${line.slice(0, 200)}`);
      headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
    }
    const rest = this.#bytes.subarray(end + HEAD_END.length);
    const found = this.#bodyOf(status, headers, rest, isEnd);
    if (found === undefined) return false;
    this.#bytes = rest.subarray(found.end);
    if (status >= 200) this.heard({ status, headers, body: found.body });
    return true;
  }

  #bodyOf(status: number, headers: ReadonlyMap<string, string>, rest: Buffer, isEnd: boolean) {
    const none = { body: Buffer.alloc(0), end: 0 };
    if (status < 200 || status === 204 || status === 304) return none;
    const isHead = this.isHead();
    if (isHead === true) return none;
    const isFollowed = rest.subarray(0, NEXT.length).equals(NEXT) || (isEnd && rest.length === 0);
    if (isHead === undefined && isFollowed) return none;
    if (headers.get("transfer-encoding") === "chunked") return chunks(rest);
    const length = headers.get("content-length");
    if (length === undefined) return isEnd ? { body: rest, end: rest.length } : undefined;
    if (rest.length < Number(length)) return undefined;
    return { body: rest.subarray(0, Number(length)), end: Number(length) };
  }
}

function chunks(bytes: Buffer): { body: Buffer; end: number } | undefined {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const line = bytes.indexOf("\r\n", at);
    if (line < 0) return undefined;
    const length = Number.parseInt(bytes.toString("latin1", at, line), 16);
    const end = line + 2 + length;
    if (bytes.length < end + 2) return undefined;
    parts.push(bytes.subarray(line + 2, end));
    at = end + 2;
    if (length === 0) return { body: Buffer.concat(parts), end: at };
  }
}

/** A persistent connection that sends one request after another. */
export class Line {
  readonly #socket: Socket;
  readonly #answers: Answers;
  #waits: { resolve: (answer: Heard) => void; reject: (error: Error) => void; isHead: boolean } | undefined;
  #isOpen = true;

  constructor(port: number) {
    this.#answers = new Answers(
      () => this.#waits?.isHead,
      (answer) => {
        const waits = this.#waits;
        this.#waits = undefined;
        if (answer.headers.get("connection") === "close") this.close();
        waits?.resolve(answer);
      },
    );
    this.#socket = connect(port, "127.0.0.1");
    this.#socket.setNoDelay(true);
    this.#socket.on("data", (bytes) => {
      try {
        this.#answers.take(bytes);
      } catch (error) {
        this.#fail(error as Error);
      }
    });
    // An error shows as a missing answer.
    this.#socket.on("error", () => {});
    this.#socket.on("close", () => {
      this.#answers.end();
      this.#fail(new ConnectionFault("the connection was closed without an answer"));
    });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /**
   * Sends a request and returns the answer once the whole request is sent. The server may answer after the head, but
   * the body must precede the next request on the connection.
   * @throws ConnectionFault if there is no answer
   */
  async ask(pieces: readonly Uint8Array[], isHead: boolean): Promise<Heard> {
    let said = (): void => {};
    const isSaid = new Promise<void>((resolve) => {
      said = resolve;
    });
    const heard = await this.#answered(pieces, isHead, said);
    await isSaid;
    return heard;
  }

  #answered(pieces: readonly Uint8Array[], isHead: boolean, said: () => void): Promise<Heard> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#fail(new ConnectionFault("no answer came")), RESPONSE_TIMEOUT_MS);
      const done =
        <T>(call: (value: T) => void) =>
        (value: T): void => {
          clearTimeout(timer);
          call(value);
        };
      this.#waits = { resolve: done(resolve), reject: done(reject), isHead };
      say(this.#socket, pieces, said);
    });
  }

  close(): void {
    this.#isOpen = false;
    this.#socket.destroy();
  }

  #fail(error: Error): void {
    this.close();
    const waits = this.#waits;
    this.#waits = undefined;
    waits?.reject(error);
  }
}

/** Writes the pieces, each in its own turn of the event loop. */
function say(socket: Socket, [first, ...others]: readonly Uint8Array[], then: () => void): void {
  if (first === undefined || socket.destroyed) {
    then();
    return;
  }
  socket.write(first);
  if (others.length === 0) then();
  else setImmediate(() => say(socket, others, then));
}

/**
 * Sends bytes on a new connection and reads until it is closed.
 * @param breaks whether the client closes the connection without reading
 * @throws ConnectionFault if the server does not close it, or answers with invalid HTTP
 */
export function shout(
  port: number,
  pieces: readonly Uint8Array[],
  breaks: boolean,
): Promise<readonly Heard[]> {
  return new Promise((resolve, reject) => {
    const heard: Heard[] = [];
    const answers = new Answers(
      () => undefined,
      (answer) => heard.push(answer),
    );
    const socket = connect(port, "127.0.0.1");
    const timer = setTimeout(
      () => fail(new ConnectionFault("the connection is not closed")),
      RESPONSE_TIMEOUT_MS,
    );
    const fail = (error: unknown): void => {
      clearTimeout(timer);
      socket.destroy();
      reject(error);
    };
    socket.on("data", (bytes) => {
      try {
        answers.take(bytes);
      } catch (error) {
        fail(error);
      }
    });
    // A connection reset by the server is closed, too.
    socket.on("error", () => {});
    socket.on("close", () => {
      clearTimeout(timer);
      answers.end();
      resolve(heard);
    });
    socket.on("connect", () => say(socket, pieces, () => (breaks ? socket.destroy() : socket.end())));
  });
}
