/** Formats values in a run's log. Page 08 §13. */

import { hashString, immutableOrder } from "../../collections/hash-trie.ts";
import { runTask, type Task } from "../trampoline.ts";
import { byteVectorText } from "./byte-vector-text.ts";
import { isList, ObjectValue, OpaqueValue, type Value } from "./values.ts";

/** Removes blanks and a bar at line starts. Lines end at LF or FF. */
function stripMargins(text: string): string {
  // A blank is any character up to U+0020 except a line end.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the reference's rule names all of them
  return text.replace(/(^|[\n\f])[\0-\x09\x0b\x0d-\x20]*\|/g, "$1");
}

class TextLimitError extends Error {}

/**
 * Work left: units written, again for every enclosing object, and bytes hashed. Nested objects take far more work than
 * their text has units.
 */
export class TextBudget {
  left: number;

  constructor(left: number) {
    this.left = left;
  }

  /** @throws TextLimitError above the budget */
  spend(amount: number): void {
    this.left -= amount;
    if (this.left < 0) throw new TextLimitError();
  }
}

/** Returns undefined above `limit` UTF-16 units or the budget: shared parts let small scripts create texts of any length. */
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
      if (field === undefined) continue; // its own names
      const text = `${name} -> ${yield print(field, limit - length, work)}`;
      fields.push(text);
      length += text.length + 2;
    }
    return stripMargins(`\n${value.type.name} {\n  ${fields.join(", ")}\n}\n     `);
  }
  if (value instanceof OpaqueValue) return `${value.kind}(${bytesText(value.bytes, work)})`;
  return "()";
}
