/** How values print in the log of a run. Page 08 §13. */
import { byteVectorText } from "./byte-vector-text.ts";
import { mapOrder } from "./map-order.ts";
import { run, type Task } from "./trampoline.ts";
import { isList, ObjectValue, OpaqueValue, type Value } from "./values.ts";

/** Drops blanks and a bar from the start of each line that begins so. Lines end at LF or FF. */
function stripMargins(text: string): string {
  // A blank is any character up to U+0020; a line end is one too, but ends the line.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the reference's rule names all of them
  return text.replace(/(^|[\n\f])[\0-\x09\x0b\x0d-\x20]*\|/g, "$1");
}

/** Thrown when a text would be longer than allowed. */
class TooLong extends Error {}

/**
 * The text of a value, or undefined when it would be longer than `limit` UTF-16 units: values can share parts, so
 * that a small script makes texts without end.
 */
export function valueText(value: Value, limit: number): string | undefined {
  try {
    return run(print(value, limit));
  } catch (error) {
    if (error instanceof TooLong) return undefined;
    throw error;
  }
}

function* print(value: Value, limit: number): Task<string> {
  const text = typeof value === "object" ? yield printObject(value, limit) : String(value);
  if (text.length > limit) throw new TooLong();
  return text;
}

function* printObject(value: Value & object, limit: number): Task<string> {
  if (value instanceof Uint8Array) return byteVectorText(value);
  if (isList(value)) {
    const items: string[] = [];
    let length = 0;
    for (const item of value) {
      const text = yield print(item, limit - length);
      items.push(text);
      length += text.length + 2;
    }
    return `Vector(${items.join(", ")})`;
  }
  if (value instanceof ObjectValue) {
    const fields: string[] = [];
    let length = 0;
    for (const name of mapOrder(value.names)) {
      const field = value.field(name);
      if (field === undefined) continue; // the names are its own
      const text = `${name} -> ${yield print(field, limit - length)}`;
      fields.push(text);
      length += text.length + 2;
    }
    return stripMargins(`\n${value.type.name} {\n  ${fields.join(", ")}\n}\n     `);
  }
  if (value instanceof OpaqueValue) return `${value.kind}(${byteVectorText(value.bytes)})`;
  return "()";
}
