/** Long answers: printed piece by piece, and no longer than one may be. */
import { type JsonOut, printJson } from "../../bytes/json.ts";
import { apiError } from "../errors.ts";

/** Longest answer that is made as a whole, bytes. */
export const MAX_ANSWER_BYTES = 64 * 2 ** 20;

/** How much text is gathered before it becomes bytes, UTF-16 units. */
const CHUNK_LENGTH = 64 * 1024;

/** UTF-8 in a buffer of its own, as the platform writes an answer: a lone surrogate is U+FFFD. */
function utf8(text: string): Uint8Array {
  const bytes = new Uint8Array(Buffer.byteLength(text));
  Buffer.from(bytes.buffer).write(text);
  return bytes;
}

/** The bytes of an answer, in pieces that each fill a buffer. */
class ChunkedText {
  readonly #pieces: Uint8Array[] = [];
  #text = "";
  #bytes = 0;

  /** @throws ApiError 10 when the answer is longer than one may be */
  add(text: string): void {
    this.#text += text;
    if (this.#text.length >= CHUNK_LENGTH) this.#flush();
  }

  /** All of it. @throws ApiError 10 */
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

/** Each of these made into JSON when it is its turn to be printed. */
export function* mapLazily<T>(list: Iterable<T>, json: (one: T) => JsonOut): Iterable<JsonOut> {
  for (const one of list) yield json(one);
}

/**
 * A list, printed as it is walked.
 * @param open brackets before it, all of which are closed behind it
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

/** An object with many members, printed as they come. @throws ApiError 10 */
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
