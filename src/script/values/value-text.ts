/** Page 08 §13. */

import { hashString, immutableSetOrder } from "../../collections/hash-trie.ts";
import { runTask, type Task } from "../trampoline.ts";
import { byteVectorText } from "./byte-vector-text.ts";
import { isList, ObjectValue, OpaqueValue, type Value } from "./values.ts";

/** Removes leading blanks and the bar after them from each line. Lines end at LF or FF. */
function stripMargins(text: string): string {
  // A blank is any character up to U+0020 except line ends.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the reference treats all of them as blanks
  return text.replace(/(^|[\n\f])[\0-\x09\x0b\x0d-\x20]*\|/g, "$1");
}

class TextLimitError extends Error {}

/** Limits the bytes and UTF-16 units formatted. */
export class TextBudget {
  workLeft: number;

  constructor(maxWork: number) {
    this.workLeft = maxWork;
  }

  /** @throws TextLimitError above the budget */
  spend(amount: number): void {
    this.workLeft -= amount;
    if (this.workLeft < 0) throw new TextLimitError();
  }
}

/** Returns undefined above `limit` UTF-16 units or the budget. */
export function valueText(value: Value, limit: number, budget: TextBudget): string | undefined {
  try {
    return runTask(formatValue(value, limit, budget));
  } catch (error) {
    if (error instanceof TextLimitError) return undefined;
    throw error;
  }
}

function* formatValue(value: Value, limit: number, budget: TextBudget): Task<string> {
  const text = typeof value === "object" ? yield formatObject(value, limit, budget) : String(value);
  if (text.length > limit) throw new TextLimitError();
  budget.spend(text.length);
  return text;
}

function bytesText(bytes: Uint8Array, budget: TextBudget): string {
  budget.spend(bytes.length);
  return byteVectorText(bytes);
}

function* formatObject(value: Value & object, limit: number, budget: TextBudget): Task<string> {
  if (value instanceof Uint8Array) return bytesText(value, budget);
  if (isList(value)) {
    const items: string[] = [];
    let length = 0;
    for (const item of value) {
      const text = yield formatValue(item, limit - length, budget);
      items.push(text);
      length += text.length + 2;
    }
    return `Vector(${items.join(", ")})`;
  }
  if (value instanceof ObjectValue) {
    const fields: string[] = [];
    let length = 0;
    for (const name of immutableSetOrder(value.names, hashString)) {
      const field = value.field(name);
      if (field === undefined) continue; // Never: all names are of present fields.
      const text = `${name} -> ${yield formatValue(field, limit - length, budget)}`;
      fields.push(text);
      length += text.length + 2;
    }
    return stripMargins(`\n${value.type.name} {\n  ${fields.join(", ")}\n}\n     `);
  }
  if (value instanceof OpaqueValue) return `${value.kind}(${bytesText(value.bytes, budget)})`;
  return "()";
}
