/** Server-sent events, read from the bytes of an answer. */

/** A message: what its lines say. */
export interface EventMessage {
  /** Undefined where it has none, or an empty one. */
  readonly event: string | undefined;
  /** Undefined where no line says one. */
  readonly id: string | undefined;
  /** How long to wait before connecting again, ms. */
  readonly retry: number | undefined;
  readonly data: string;
}

/** Longest message, UTF-16 units: a transaction is far below. */
const MAX_MESSAGE_LENGTH = 16 * 2 ** 20;

/** An answer that is no stream of events. */
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
/** UTF-16 units of an end but for its last one: so many may stand in a piece before. */
const PARTIAL_END = 3;

/** Puts pieces of an answer together. What has no end yet is not looked at again with each piece. */
export class EventMessages {
  readonly #decoder = new TextDecoder();
  #pieces: string[] = [];
  #length = 0;
  /** The last units of the pieces. */
  #last = "";

  /**
   * The messages that end in this piece.
   * @throws EventStreamError when one is longer than any can be
   */
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
    if (this.#length > MAX_MESSAGE_LENGTH) throw new EventStreamError("a message of the stream has no end");
    return (parts ?? []).map((part) => parseMessage(part.split(/\r?\n/)));
  }
}
