/** Reads the recorded scenarios and exchanges of the index. */
import { JsonNumber, type JsonValue } from "../../src/bytes/json.ts";
import type { IndexMode } from "../../src/indexes/modes.ts";

/** Account of the wallet if a scenario or recording names none. */
export const ROOT = "3N6mZMgGqYn9EVAR2Vbf637iej4fFipECq8";

export type JsonObject = ReadonlyMap<string, JsonValue>;

export function object(value: JsonValue | undefined): JsonObject {
  if (!(value instanceof Map)) throw new Error("not an object");
  return value;
}

export function list(value: JsonValue | undefined): readonly JsonValue[] {
  if (!Array.isArray(value)) throw new Error("not a list");
  return value;
}

export function number(value: JsonValue | undefined): number {
  if (!(value instanceof JsonNumber)) throw new Error("not a number");
  return value.toNumber();
}

export function modeOf(value: JsonValue | undefined): IndexMode {
  const mode = value ?? "all";
  if (mode !== "none" && mode !== "trust" && mode !== "all") throw new Error(`unknown mode ${String(mode)}`);
  return mode;
}
