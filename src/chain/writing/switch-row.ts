/**
 * A switch to another branch that takes more than one commit. Until it has ended the store says how to come back: our
 * units are in the log of reverted units, and a row names them. So a refused block, or a start after a kill, restores
 * the chain as it was.
 */
import { bytesEqual } from "../../bytes/compare.ts";
import { decodeHex, encodeHex } from "../../bytes/hex.ts";
import { decodeUtf8, encodeUtf8 } from "../../bytes/utf8.ts";
import type { Reader, Writer } from "../../storage/kv.ts";
import type { UnitKey } from "../../storage/places.ts";
import { tables } from "../../storage/tables.ts";
import { newestUnit } from "../reading/changes.ts";

const KEY = "switch";

/** How to come back from a switch. */
export interface UnfinishedSwitch {
  /** The newest unit that both branches have. */
  readonly floor: UnitKey;
  /** Numbers in the log of reverted units: our units are those behind `after` up to `last`, the newest first. */
  readonly after: number;
  readonly last: number;
  /** Whether our newest block was persisted without a child. */
  readonly isPersisted: boolean;
}

/** Number of the newest entry of the log of reverted units; 0 when it is empty. */
export function newestReverted(reader: Reader): number {
  for (const [serial] of reader.range(tables.revertedOrder, { reverse: true, limit: 1 })) return serial;
  return 0;
}

/** Writes the row: in each commit of a switch but the last one. It is valid for the chain that the commit leaves. */
export function writeSwitchRow(writer: Writer & Reader, unfinished: UnfinishedSwitch): void {
  const current = encodeHex(newestUnit(writer).id);
  writer.put(tables.meta, KEY, encodeUtf8(JSON.stringify({ ...unfinished, current })));
}

/** Returns whether the store has the row of a switch; it may be void. */
export function hasSwitchRow(reader: Reader): boolean {
  return reader.get(tables.meta, KEY) !== undefined;
}

/** Removes the row: in the commit that ends a switch, and in each commit of another change. */
export function removeSwitchRow(writer: Writer): void {
  writer.remove(tables.meta, KEY);
}

/** The switch that was not ended; undefined when there is none, or the chain has changed since. */
export function readUnfinishedSwitch(reader: Reader): UnfinishedSwitch | undefined {
  const bytes = reader.get(tables.meta, KEY);
  if (bytes === undefined) return undefined;
  const { current, ...unfinished } = JSON.parse(decodeUtf8(bytes)) as UnfinishedSwitch & { current: string };
  return bytesEqual(decodeHex(current), newestUnit(reader).id) ? unfinished : undefined;
}
