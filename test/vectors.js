/** Finds and reads the recorded vectors that the conformance tests compare against. */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { JsonNumber, parseJson } from "../src/bytes/json.js";
/** Folder of the vectors: `HOLDFAST_VECTORS`, or the project's copy. */
export const vectorsFolder = resolve(process.env.HOLDFAST_VECTORS ?? join(import.meta.dirname, "vectors"));
/** Path of a file or folder of vectors, e.g. `crypto.json`. */
export function vectorsPath(name) {
  return join(vectorsFolder, name);
}
/** Whether that file or folder is there: a test whose vectors are absent is skipped by name. */
export function hasVectors(name) {
  return existsSync(vectorsPath(name));
}
/** The vectors as they are written: numbers keep their text. Vectors nest deeper than requests may. */
export function loadVectorsJson(name) {
  return parseJson(readFileSync(vectorsPath(name), "utf8"), { depth: 10_000 });
}
/** JSON as ordinary objects; integers that a double cannot hold are `bigint`, all other numbers `number`. */
export function plain(value) {
  if (value instanceof JsonNumber) {
    const number = value.toNumber();
    return value.isIntegral() && !Number.isSafeInteger(number) ? value.toBigInt() : number;
  }
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Map) {
    // No prototype, so that a member `__proto__` is a member.
    const object = Object.create(null);
    for (const [name, member] of value) object[name] = plain(member);
    return object;
  }
  return value;
}
/** The vectors as ordinary objects (see `plain`). The caller states the shape that the file has. */
export function loadVectors(name) {
  return plain(loadVectorsJson(name));
}
/** Fails when `names` holds one that is not in `known`: an unknown section must not pass unnoticed. */
export function expectKnown(names, known, where) {
  const unknown = [...names].filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`${where}: unknown ${unknown.join(", ")}`);
}
//# sourceMappingURL=vectors.js.map
