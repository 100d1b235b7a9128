/** Finds and reads the recorded vectors that the conformance tests compare against. */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { JsonNumber, type JsonValue, parseJson } from "../src/bytes/json.ts";

/** Folder of the vectors: `HOLDFAST_VECTORS`, or the project's copy. */
export const vectorsFolder = resolve(process.env.HOLDFAST_VECTORS ?? join(import.meta.dirname, "vectors"));

/** Path of a file or folder of vectors, e.g. `crypto.json`. */
export function vectorsPath(name: string): string {
  return join(vectorsFolder, name);
}

/** Returns true if that file or folder exists. Tests without their vectors are skipped by name. */
export function hasVectors(name: string): boolean {
  return existsSync(vectorsPath(name));
}

/** The vectors with exact numbers: numbers keep their text. Vectors nest deeper than requests may. */
export function loadVectorsJson(name: string): JsonValue {
  return parseJson(readFileSync(vectorsPath(name), "utf8"), { maxDepth: 10_000 });
}

/** JSON as ordinary objects; integers that a double cannot hold are `bigint`, all other numbers `number`. */
export function plain(value: JsonValue): unknown {
  if (value instanceof JsonNumber) {
    const number = value.toNumber();
    return value.isIntegral() && !Number.isSafeInteger(number) ? value.toBigInt() : number;
  }
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Map) {
    // No prototype, so that a member `__proto__` is a member.
    const object: Record<string, unknown> = Object.create(null);
    for (const [name, member] of value) object[name] = plain(member);
    return object;
  }
  return value;
}

/** The vectors as ordinary objects (see `plain`). The caller provides the type of the file. */
export function loadVectors<T>(name: string): T {
  return plain(loadVectorsJson(name)) as T;
}

/** Throws if `names` contains a name that is not in `known`, so that no unknown section is ignored. */
export function expectKnown(names: Iterable<string>, known: readonly string[], where: string): void {
  const unknown = [...names].filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`${where}: unknown ${unknown.join(", ")}`);
}
