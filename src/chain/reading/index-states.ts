/** The progress of indexes, see `Indexing`. A disabled index without rows has no state. */
import { ByteReader } from "../../bytes/reader.ts";
import { decodeUtf8, encodeUtf8 } from "../../bytes/utf8.ts";
import { ByteWriter } from "../../bytes/writer.ts";
import { indexNames } from "../../indexes/all.ts";
import type { IndexName, IndexProgress } from "../../interfaces.ts";
import type { Reader, Writer } from "../../storage/kv.ts";
import { isAfter, type UnitKey } from "../../storage/places.ts";
import { tables } from "../../storage/tables.ts";

/** `whole`: has all units; `partial`: the units before `next`. */
export type IndexState =
  | { readonly kind: "whole"; readonly configurationText: string }
  | { readonly kind: "partial"; readonly configurationText: string; readonly next: UnitKey }
  /** Rows are being removed. `configurationText` belongs to the next configuration; undefined if there is none. */
  | { readonly kind: "clearing"; readonly configurationText: string | undefined };

/** `disabling` means `clearing` without a next configuration. */
const kinds = ["whole", "partial", "clearing", "disabling"] as const;

function rowName(name: IndexName): string {
  return `index ${name}`;
}

/** Kind u8, height u32 and sequence u16 of `next`, text in UTF-8. */
function encode(state: IndexState): Uint8Array {
  const kind = state.kind === "clearing" && state.configurationText === undefined ? "disabling" : state.kind;
  const next = state.kind === "partial" ? state.next : { height: 0, sequence: 0 };
  return new ByteWriter()
    .u8(kinds.indexOf(kind))
    .u32(next.height)
    .u16(next.sequence)
    .bytes(encodeUtf8(state.configurationText ?? ""))
    .toBytes();
}

function decode(bytes: Uint8Array): IndexState {
  const reader = new ByteReader(bytes);
  const kind = kinds[reader.u8()];
  const next = { height: reader.u32(), sequence: reader.u16() };
  const configurationText = decodeUtf8(reader.rest());
  if (kind === "partial") return { kind, configurationText, next };
  if (kind === "whole") return { kind, configurationText };
  return { kind: "clearing", configurationText: kind === "disabling" ? undefined : configurationText };
}

export function indexState(reader: Reader, name: IndexName): IndexState | undefined {
  const bytes = reader.get(tables.meta, rowName(name));
  return bytes && decode(bytes);
}

export function putIndexState(writer: Writer, name: IndexName, state: IndexState | undefined): void {
  if (state === undefined) writer.remove(tables.meta, rowName(name));
  else writer.put(tables.meta, rowName(name), encode(state));
}

export function indexStates(reader: Reader): Map<IndexName, IndexState> {
  const states = indexNames.map((name) => [name, indexState(reader, name)] as const);
  return new Map(states.filter((entry): entry is [IndexName, IndexState] => entry[1] !== undefined));
}

/** Returns true if an index has the unit, or receives it when the chain appends it. */
export function holdsUnit(state: IndexState | undefined, unit: UnitKey): boolean {
  if (state === undefined || state.kind === "clearing") return false;
  return state.kind === "whole" || isAfter(state.next, unit);
}

export function indexProgress(name: IndexName, state: IndexState | undefined, height: number): IndexProgress {
  if (state === undefined) return { name, state: "off", isEnabled: false, height: 0 };
  switch (state.kind) {
    case "whole":
      return { name, state: "ready", isEnabled: true, height };
    case "partial":
      return { name, state: "building", isEnabled: true, height: Math.min(state.next.height - 1, height) };
    case "clearing":
      return { name, state: "clearing", isEnabled: state.configurationText !== undefined, height: 0 };
  }
}
