/** Values of columns from PostgreSQL's text format. */

const Oid = { bytea: 17, int8: 20, numeric: 1700, timestamptz: 1184, int8Array: 1016 } as const;

function parseBytes(text: string): Uint8Array {
  // Node.js shares memory between small buffers.
  return Uint8Array.from(Buffer.from(text.slice(2), "hex"));
}

/** Our queries return whole numbers. Fractions remain texts. */
function parseNumeric(text: string): bigint | string {
  return /^-?\d+$/.test(text) ? BigInt(text) : text;
}

/** These parsers replace those of pg and pglite, which lose digits or share memory. */
export const parsers: ReadonlyMap<number, (text: string) => unknown> = new Map<
  number,
  (text: string) => unknown
>([
  [Oid.bytea, parseBytes],
  [Oid.int8, BigInt],
  [Oid.numeric, parseNumeric],
  [Oid.int8Array, (text) => text.slice(1, -1).split(",").filter(Boolean).map(BigInt)],
]);
