// biome-ignore format: a dozen curves per line
const FIELD_BITS: readonly (readonly [prefix: string, bits: Readonly<Record<number, number>>])[] = [
  ["1.3.132.0", {
    1: 163, 2: 163, 3: 239, 4: 113, 5: 113, 6: 112, 7: 112, 8: 160, 9: 160, 10: 256, 15: 163, 16: 283,
    17: 283, 22: 131, 23: 131, 24: 193, 25: 193, 26: 233, 27: 233, 28: 128, 29: 128, 30: 160, 31: 192, 32: 224,
    33: 224, 34: 384, 35: 521, 36: 409, 37: 409, 38: 571, 39: 571,
  }],
  ["1.2.840.10045.3.1", { 1: 192, 2: 192, 3: 192, 4: 239, 5: 239, 6: 239, 7: 256 }],
  ["1.2.840.10045.3.0", {
    1: 163, 2: 163, 3: 163, 4: 176, 5: 191, 6: 191, 7: 191, 10: 208, 11: 239, 12: 239, 13: 239, 16: 272,
    17: 304, 18: 359, 19: 368, 20: 431,
  }],
  ["1.3.36.3.3.2.8.1.1", { 1: 160, 3: 192, 5: 224, 7: 256, 9: 320, 11: 384, 13: 512 }],
];

/** Returns a coordinate's length in bytes; undefined for an unknown curve. @param curve dotted object identifier */
export function coordinateLength(curve: string): number | undefined {
  const dot = curve.lastIndexOf(".");
  const group = FIELD_BITS.find(([prefix]) => prefix === curve.slice(0, dot));
  const bits = group?.[1][Number(curve.slice(dot + 1))];
  return bits === undefined ? undefined : Math.ceil(bits / 8);
}
