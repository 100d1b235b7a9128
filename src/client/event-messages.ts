export interface EventMessage {
  readonly event: string | undefined;
  readonly id: string | undefined;
  /** Delay before reconnecting that the server requests, ms. */
  readonly retry: number | undefined;
  readonly data: string;
}

/** In UTF-16 units. Transactions are far smaller. */
const MAX_MESSAGE_LENGTH = 16 * 2 ** 20;

export class EventStreamError extends Error {
  override readonly name = "EventStreamError";
}

function parseMessage(lines: readonly string[]): EventMessage {
  const values = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    const earlierData = name === "data" ? values.get("data") : undefined;
    values.set(name, earlierData === undefined ? value : `${earlierData}\n${value}`);
  }
  const retry = values.get("retry") ?? "";
  return {
    event: values.get("event") || undefined,
    id: values.get("id"),
    retry: /^\d{1,9}$/.test(retry) ? Number(retry) : undefined,
    data: values.get("data") ?? "",
  };
}

const MESSAGE_END = /\r?\n\r?\n/;
/** Up to three characters of a message end may be in the previous chunk. */
const MAX_PARTIAL_END = 3;

export class EventMessages {
  readonly #decoder = new TextDecoder();
  #chunks: string[] = [];
  #length = 0;
  #lastCharacters = "";

  /** Returns the messages that end in this chunk. @throws EventStreamError if a message is too long */
  add(chunk: Uint8Array): EventMessage[] {
    const text = this.#decoder.decode(chunk, { stream: true });
    const joined = this.#lastCharacters + text;
    this.#chunks.push(text);
    this.#length += text.length;
    this.#lastCharacters = joined.slice(-MAX_PARTIAL_END);
    const parts = MESSAGE_END.test(joined) ? this.#chunks.join("").split(MESSAGE_END) : undefined;
    if (parts !== undefined) {
      const unfinished = parts.pop() ?? "";
      this.#chunks = [unfinished];
      this.#length = unfinished.length;
      this.#lastCharacters = unfinished.slice(-MAX_PARTIAL_END);
    }
    if (this.#length > MAX_MESSAGE_LENGTH)
      throw new EventStreamError(`a message of the stream exceeds ${MAX_MESSAGE_LENGTH} characters`);
    return (parts ?? []).map((part) => parseMessage(part.split(/\r?\n/)));
  }
}
