/** The row that makes a switch of several commits revertible. */
import { bytesEqual } from "../../bytes/compare.ts";
import { decodeHex, encodeHex } from "../../bytes/hex.ts";
import { decodeUtf8, encodeUtf8 } from "../../bytes/utf8.ts";
import type { Reader, Writer } from "../../storage/kv.ts";
import type { UnitKey } from "../../storage/places.ts";
import { tables } from "../../storage/tables.ts";
import { newestUnit } from "../reading/changes.ts";

const KEY = "switch";

export interface UnfinishedSwitch {
  /** Our newest unit that was not undone. */
  readonly floor: UnitKey;
  /** Our undone units have the serials `after + 1` to `last` in the log of reverted units, newest first. */
  readonly after: number;
  readonly last: number;
  /** True if our tip was persisted without a child. */
  readonly isPersisted: boolean;
}

/** Call this in each commit of a switch except the last. */
export function writeSwitchRow(writer: Writer & Reader, unfinished: UnfinishedSwitch): void {
  const current = encodeHex(newestUnit(writer).id);
  writer.put(tables.meta, KEY, encodeUtf8(JSON.stringify({ ...unfinished, current })));
}

export function hasSwitchRow(reader: Reader): boolean {
  return reader.get(tables.meta, KEY) !== undefined;
}

/** Call this in a switch's last commit, and in each commit of another change. */
export function removeSwitchRow(writer: Writer): void {
  writer.remove(tables.meta, KEY);
}

/** Returns undefined without a row, or if the chain has changed since the row was written. */
export function readUnfinishedSwitch(reader: Reader): UnfinishedSwitch | undefined {
  const bytes = reader.get(tables.meta, KEY);
  if (bytes === undefined) return undefined;
  const { current, ...unfinished } = JSON.parse(decodeUtf8(bytes)) as UnfinishedSwitch & { current: string };
  return bytesEqual(decodeHex(current), newestUnit(reader).id) ? unfinished : undefined;
}
