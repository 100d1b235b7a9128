/** Reads the stream of units of another node (`GET /units`). */
import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { formatCursor, formatPersistUnits } from "../api/chain-position.ts";
import { UNIT_STREAM } from "../api/schemas/common.ts";
import { reasonOf } from "../bytes/errors.ts";
import { decodeUtf8 } from "../bytes/utf8.ts";
import type { Clock, FollowedPosition, UnitFrame, UnitSource } from "../interfaces.ts";
import { FrameDecoder } from "../units/frames.ts";
import { UnitSourceError, type UnitSourceFault } from "../units/source-error.ts";

/** Time for connection, TLS and headers, ms. */
const RESPONSE_TIMEOUT_MS = 10_000;
/** Three times the source's heartbeat interval. */
const STALL_TIMEOUT_MS = 45_000;
const KEEP_ALIVE_DELAY_MS = 15_000;
/** Size of an error response. */
const MAX_ERROR_BYTES = 4_096;
const MAX_MESSAGE_LENGTH = 200;

const faultsByStatus: Readonly<Record<number, UnitSourceFault>> = {
  401: "unauthorized",
  403: "unauthorized",
  409: "unknown position",
  429: "busy",
  // 502 and 504: a proxy cannot reach the source.
  502: "unreachable",
  503: "busy",
  504: "unreachable",
};

const hints: Readonly<Partial<Record<UnitSourceFault, string>>> = {
  unauthorized: "set --follow-key-file to a key of the source with the scope `read`",
};

interface HttpUnitSourceOptions {
  /** API of the source, `http:` or `https:`, with the source's path prefix. */
  readonly url: string;
  /** Returns the key, if the source requires one. Called for each stream. */
  readonly key?: (() => string | undefined) | undefined;
  /** Certificate authorities in PEM, in place of those of Node.js. */
  readonly ca?: string | undefined;
  readonly clock: Pick<Clock, "after">;
}

export class HttpUnitSource implements UnitSource {
  readonly name: string;
  readonly #base: URL;
  readonly #options: HttpUnitSourceOptions;

  /** @throws UnitSourceError `refused` if the URL is not http(s), or has a user or password, which would reach logs */
  constructor(options: HttpUnitSourceOptions) {
    const { protocol, origin, pathname, username, password } = new URL(options.url);
    const path = pathname.replace(/\/+$/, "");
    this.name = `${origin}${path}`;
    if (username !== "" || password !== "")
      throw new UnitSourceError("refused", `The URL of the source ${this.name} contains a user or password`);
    if (protocol !== "http:" && protocol !== "https:")
      throw new UnitSourceError("refused", `The source ${this.name} is not an http or https URL`);
    this.#base = new URL(`${path}/`, origin);
    this.#options = options;
  }

  async *open(after: FollowedPosition, signal: AbortSignal): AsyncGenerator<UnitFrame, void, undefined> {
    if (signal.aborted) return;
    const request = this.#request(after);
    const abort = (): void => void request.destroy();
    signal.addEventListener("abort", abort, { once: true });
    try {
      const response = await this.#send(request);
      await this.#checkResponse(response);
      yield* this.#frames(response);
    } catch (error) {
      if (signal.aborted) return;
      throw error instanceof UnitSourceError ? error : this.#unreachable(reasonOf(error));
    } finally {
      signal.removeEventListener("abort", abort);
      request.destroy();
    }
  }

  #request(after: FollowedPosition): ClientRequest {
    const { key, ca } = this.#options;
    const url = new URL("units", this.#base);
    url.searchParams.set("after", formatCursor(after));
    if (after.persists !== undefined) url.searchParams.set("persisted", formatPersistUnits(after.persists));
    const keyText = key?.();
    const headers = { accept: UNIT_STREAM, ...(keyText !== undefined && { "x-api-key": keyText }) };
    // Open a new connection: the source may have closed an idle one.
    const options = { headers, agent: false as const };
    return url.protocol === "https:" ? httpsRequest(url, { ...options, ca }) : httpRequest(url, options);
  }

  #send(request: ClientRequest): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const cancel = this.#options.clock.after(RESPONSE_TIMEOUT_MS, () =>
        request.destroy(this.#error("unreachable", `does not answer within ${RESPONSE_TIMEOUT_MS} ms`)),
      );
      request.once("response", (response) => {
        cancel();
        resolve(response);
      });
      // After the headers, rejecting has no effect, but the error also ends the response.
      request.on("error", (error) => {
        cancel();
        reject(error);
      });
      request.once("close", () => {
        cancel();
        reject(this.#unreachable("the connection was closed"));
      });
      request.once("socket", (socket) => socket.setKeepAlive(true, KEEP_ALIVE_DELAY_MS));
      request.end();
    });
  }

  /** @throws UnitSourceError if the response is not a stream of units */
  async #checkResponse(response: IncomingMessage): Promise<void> {
    const { statusCode = 0, headers } = response;
    if (statusCode === 200) {
      if (headers["content-type"] === UNIT_STREAM) return;
      throw this.#error("malformed", "does not answer with a stream of units");
    }
    const fault = faultsByStatus[statusCode] ?? "refused";
    const message = await this.#messageOf(response);
    throw this.#error(fault, `answers with status ${statusCode}${message === "" ? "" : ` (${message})`}`);
  }

  /** Returns the message of an error response; "" if unreadable. */
  async #messageOf(response: IncomingMessage): Promise<string> {
    const parts: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of this.#chunks(response)) {
      length += chunk.length;
      if (length > MAX_ERROR_BYTES) return "";
      parts.push(chunk);
    }
    try {
      const { message } = JSON.parse(decodeUtf8(Buffer.concat(parts))) as { readonly message?: unknown };
      // Control characters must not reach the log.
      return typeof message === "string" && /^[ -~]*$/.test(message)
        ? message.slice(0, MAX_MESSAGE_LENGTH)
        : "";
    } catch (error) {
      if (error instanceof SyntaxError || error instanceof TypeError) return "";
      throw error;
    }
  }

  async *#frames(response: IncomingMessage): AsyncGenerator<UnitFrame, void, undefined> {
    const decoder = new FrameDecoder(this.name);
    let isFirst = true;
    for await (const chunk of this.#chunks(response)) {
      for (const frame of decoder.decode(chunk)) {
        if ((frame.kind === "source") !== isFirst)
          throw this.#error("malformed", "does not begin its stream with exactly one description");
        isFirst = false;
        yield frame;
      }
    }
    throw this.#error("unreachable", "ended the stream");
  }

  /** Reads on demand, so that the source waits for a slow consumer. */
  async *#chunks(response: IncomingMessage): AsyncGenerator<Uint8Array, void, undefined> {
    const iterator = response[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
    for (;;) {
      const cancel = this.#options.clock.after(STALL_TIMEOUT_MS, () =>
        response.destroy(this.#error("stalled", `sent nothing for ${STALL_TIMEOUT_MS} ms`)),
      );
      const next = await iterator.next().finally(cancel);
      if (next.done === true) return;
      yield next.value;
    }
  }

  #unreachable(reason: string): UnitSourceError {
    return new UnitSourceError("unreachable", `The source ${this.name} is not reachable: ${reason}`);
  }

  #error(fault: UnitSourceFault, text: string): UnitSourceError {
    return new UnitSourceError(fault, `The source ${this.name} ${text}`, { hint: hints[fault] });
  }
}
