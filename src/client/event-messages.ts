/** Parser of server-sent events. */

export interface EventMessage {
  /** Undefined if missing or empty. */
  readonly event: string | undefined;
  /** Undefined if missing. */
  readonly id: string | undefined;
  /** Reconnection delay, ms. */
  readonly retry: number | undefined;
  readonly data: string;
}

/** UTF-16 units; transactions are far smaller. */
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
    const before = name === "data" ? values.get("data") : undefined;
    values.set(name, before === undefined ? value : `${before}\n${value}`);
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
/** Number of UTF-16 units of a message end that an earlier chunk can contain. */
const PARTIAL_END = 3;

/** Scans each chunk only once. */
export class EventMessages {
  readonly #decoder = new TextDecoder();
  #pieces: string[] = [];
  #length = 0;
  #last = "";

  /** Returns the messages that end in this chunk. @throws EventStreamError for one that is too long */
  add(piece: Uint8Array): EventMessage[] {
    const text = this.#decoder.decode(piece, { stream: true });
    const seam = this.#last + text;
    this.#pieces.push(text);
    this.#length += text.length;
    this.#last = seam.slice(-PARTIAL_END);
    const parts = MESSAGE_END.test(seam) ? this.#pieces.join("").split(MESSAGE_END) : undefined;
    if (parts !== undefined) {
      const rest = parts.pop() ?? "";
      this.#pieces = [rest];
      this.#length = rest.length;
      this.#last = rest.slice(-PARTIAL_END);
    }
    if (this.#length > MAX_MESSAGE_LENGTH)
      throw new EventStreamError(`a message of the stream exceeds ${MAX_MESSAGE_LENGTH} characters`);
    return (parts ?? []).map((part) => parseMessage(part.split(/\r?\n/)));
  }
}
