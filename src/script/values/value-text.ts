/** How values print in the log of a run. Page 08 §13. */

import { hashString, immutableOrder } from "../../collections/hash-trie.ts";
import { runTask, type Task } from "../trampoline.ts";
import { byteVectorText } from "./byte-vector-text.ts";
import { isList, ObjectValue, OpaqueValue, type Value } from "./values.ts";

/** Drops blanks and a bar from the start of each line that begins so. Lines end at LF or FF. */
function stripMargins(text: string): string {
  // A blank is any character up to U+0020; a line end is one too, but ends the line.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the reference's rule names all of them
  return text.replace(/(^|[\n\f])[\0-\x09\x0b\x0d-\x20]*\|/g, "$1");
}

/** Thrown when a text would be longer, or take more work, than allowed. */
class TextLimitError extends Error {}

/**
 * Work left for texts: units written, each time anew for every object around them, and bytes hashed. An object in an
 * object in an object takes far more of it than its text has units.
 */
export class TextBudget {
  left: number;

  constructor(left: number) {
    this.left = left;
  }

  /** @throws TooLong when it is used up */
  spend(amount: number): void {
    this.left -= amount;
    if (this.left < 0) throw new TextLimitError();
  }
}

/**
 * The text of a value, or undefined when it would be longer than `limit` UTF-16 units, or when no work is left: values
 * can share parts, so that a small script makes texts without end.
 */
export function valueText(value: Value, limit: number, work: TextBudget): string | undefined {
  try {
    return runTask(print(value, limit, work));
  } catch (error) {
    if (error instanceof TextLimitError) return undefined;
    throw error;
  }
}

function* print(value: Value, limit: number, work: TextBudget): Task<string> {
  const text = typeof value === "object" ? yield printObject(value, limit, work) : String(value);
  if (text.length > limit) throw new TextLimitError();
  work.spend(text.length);
  return text;
}

function bytesText(bytes: Uint8Array, work: TextBudget): string {
  work.spend(bytes.length);
  return byteVectorText(bytes);
}

function* printObject(value: Value & object, limit: number, work: TextBudget): Task<string> {
  if (value instanceof Uint8Array) return bytesText(value, work);
  if (isList(value)) {
    const items: string[] = [];
    let length = 0;
    for (const item of value) {
      const text = yield print(item, limit - length, work);
      items.push(text);
      length += text.length + 2;
    }
    return `Vector(${items.join(", ")})`;
  }
  if (value instanceof ObjectValue) {
    const fields: string[] = [];
    let length = 0;
    for (const name of immutableOrder(value.names, hashString)) {
      const field = value.field(name);
      if (field === undefined) continue; // the names are its own
      const text = `${name} -> ${yield print(field, limit - length, work)}`;
      fields.push(text);
      length += text.length + 2;
    }
    return stripMargins(`\n${value.type.name} {\n  ${fields.join(", ")}\n}\n     `);
  }
  if (value instanceof OpaqueValue) return `${value.kind}(${bytesText(value.bytes, work)})`;
  return "()";
}
