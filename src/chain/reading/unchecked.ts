/** The record of blocks whose signatures and scripts were not checked (`--assume-valid`). */
import type { UncheckedBlocks } from "../../interfaces.ts";
import type { Reader, Writer } from "../../storage/kv.ts";
import { tables } from "../../storage/tables.ts";

const KEY = "unchecked";

/**
 * Returns the heights between which blocks are unchecked; undefined if all are checked. After a rollback, some of the
 * blocks may have been checked.
 */
export function uncheckedBlocks(reader: Reader): UncheckedBlocks | undefined {
  const row = readRow(reader);
  if (row === undefined) return undefined;
  const to = Math.min(row.to, reader.get(tables.tip, undefined)?.height ?? 0);
  return to < row.from ? undefined : { from: row.from, to };
}

export function addUncheckedHeight(writer: Reader & Writer, height: number): void {
  const row = readRow(writer);
  writeUnchecked(writer, {
    from: Math.min(row?.from ?? height, height),
    to: Math.max(row?.to ?? height, height),
  });
}

export function writeUnchecked(writer: Writer, { from, to }: UncheckedBlocks): void {
  const bytes = new Uint8Array(8);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, from);
  view.setUint32(4, to);
  writer.put(tables.meta, KEY, bytes);
}

export function removeUnchecked(writer: Writer): void {
  writer.remove(tables.meta, KEY);
}

function readRow(reader: Reader): UncheckedBlocks | undefined {
  const bytes = reader.get(tables.meta, KEY);
  if (bytes === undefined) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return { from: view.getUint32(0), to: view.getUint32(4) };
}
