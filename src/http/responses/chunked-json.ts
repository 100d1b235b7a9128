import { type JsonOut, printJson } from "../../bytes/json.ts";
import { apiError } from "../errors.ts";

/** Limit of an answer that is not streamed. */
export const MAX_ANSWER_BYTES = 64 * 2 ** 20;

/** In UTF-16 code units. */
const CHUNK_LENGTH = 64 * 1024;

/** Encodes lone surrogates as U+FFFD. */
function utf8(text: string): Uint8Array {
  const bytes = new Uint8Array(Buffer.byteLength(text));
  Buffer.from(bytes.buffer).write(text);
  return bytes;
}

class ChunkedText {
  readonly #chunks: Uint8Array[] = [];
  #text = "";
  #bytes = 0;

  /** @throws ApiError 10 above `MAX_ANSWER_BYTES` */
  add(text: string): void {
    this.#text += text;
    if (this.#text.length >= CHUNK_LENGTH) this.#flush();
  }

  end(): Uint8Array[] {
    if (this.#text !== "") this.#flush();
    return this.#chunks;
  }

  #flush(): void {
    const chunk = utf8(this.#text);
    this.#text = "";
    this.#bytes += chunk.length;
    if (this.#bytes > MAX_ANSWER_BYTES) throw apiError("tooBigArray");
    this.#chunks.push(chunk);
  }
}

export function* mapLazily<T, Json extends JsonOut>(
  items: Iterable<T>,
  toJson: (item: T) => Json,
): Iterable<Json> {
  for (const item of items) yield toJson(item);
}

/**
 * @param open `[[` for a list inside a list
 * @throws ApiError 10 above `MAX_ANSWER_BYTES`
 */
export function printList(rows: Iterable<JsonOut>, open: "[" | "[[" = "["): Uint8Array[] {
  const text = new ChunkedText();
  text.add(open);
  let separator = "";
  for (const row of rows) {
    text.add(separator + printJson(row));
    separator = ",";
  }
  text.add("]".repeat(open.length));
  return text.end();
}

/** @throws ApiError 10 above `MAX_ANSWER_BYTES` */
export function printText(pieces: Iterable<string>): Uint8Array[] {
  const text = new ChunkedText();
  for (const piece of pieces) text.add(piece);
  return text.end();
}

/** @throws ApiError 10 above `MAX_ANSWER_BYTES` */
export function printMembers(members: Iterable<readonly [string, JsonOut]>): Uint8Array[] {
  const text = new ChunkedText();
  let separator = "{";
  for (const [name, value] of members) {
    text.add(`${separator}${printJson(name)}:${printJson(value)}`);
    separator = ",";
  }
  text.add(separator === "{" ? "{}" : "}");
  return text.end();
}
