/** Prints long answers in chunks. */
import { type JsonOut, printJson } from "../../bytes/json.ts";
import { apiError } from "../errors.ts";

/** Maximum answer that is not streamed, bytes. */
export const MAX_ANSWER_BYTES = 64 * 2 ** 20;

/** Text length before encoding, UTF-16 units. */
const CHUNK_LENGTH = 64 * 1024;

/** UTF-8 in its own buffer. A lone surrogate becomes U+FFFD. */
function utf8(text: string): Uint8Array {
  const bytes = new Uint8Array(Buffer.byteLength(text));
  Buffer.from(bytes.buffer).write(text);
  return bytes;
}

/** Collects text as bytes in chunks, each with its own buffer. */
class ChunkedText {
  readonly #pieces: Uint8Array[] = [];
  #text = "";
  #bytes = 0;

  /** @throws ApiError 10 if the answer is too long */
  add(text: string): void {
    this.#text += text;
    if (this.#text.length >= CHUNK_LENGTH) this.#flush();
  }

  /** @throws ApiError 10 */
  end(): Uint8Array[] {
    if (this.#text !== "") this.#flush();
    return this.#pieces;
  }

  #flush(): void {
    const piece = utf8(this.#text);
    this.#text = "";
    this.#bytes += piece.length;
    if (this.#bytes > MAX_ANSWER_BYTES) throw apiError("tooBigArray");
    this.#pieces.push(piece);
  }
}

/** Converts rows to JSON lazily, while they are printed. */
export function* mapLazily<T>(list: Iterable<T>, json: (one: T) => JsonOut): Iterable<JsonOut> {
  for (const one of list) yield json(one);
}

/**
 * Prints a list.
 * @param open opening brackets, all closed at the end
 * @throws ApiError 10
 */
export function printList(rows: Iterable<JsonOut>, open: "[" | "[[" = "["): Uint8Array[] {
  const text = new ChunkedText();
  text.add(open);
  let before = "";
  for (const row of rows) {
    text.add(before + printJson(row));
    before = ",";
  }
  text.add("]".repeat(open.length));
  return text.end();
}

/** Prints an object with many members lazily. @throws ApiError 10 */
export function printMembers(members: Iterable<readonly [string, JsonOut]>): Uint8Array[] {
  const text = new ChunkedText();
  let before = "{";
  for (const [name, value] of members) {
    text.add(`${before}${printJson(name)}:${printJson(value)}`);
    before = ",";
  }
  text.add(before === "{" ? "{}" : "}");
  return text.end();
}
