/** Page 08 §9. */
import { encodeHex } from "../../bytes/hex.ts";
import { int8 } from "../../bytes/int64.ts";

/** From this many bytes on, the text contains a hash instead. */
const MIN_HASHED_LENGTH = 512;
const CHUNK_LENGTH = 65_536;

function rotateLeft(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

function mix(hash: number, data: number): number {
  const mixed = hash ^ Math.imul(rotateLeft(Math.imul(data, 0xcc9e2d51), 15), 0x1b873593);
  return (Math.imul(rotateLeft(mixed, 13), 5) + 0xe6546b64) | 0;
}

function finish(hash: number, length: number): number {
  let h = hash ^ length;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

function hashChunk(chunk: Uint8Array): number {
  let hash = 0x3c074a61;
  for (const byte of chunk) hash = mix(hash, int8(byte));
  return finish(hash, chunk.length);
}

/** MurmurHash3, a signed 32-bit integer. */
function byteVectorHash(bytes: Uint8Array): number {
  let hash = 0x068cf10b;
  let count = 1;
  for (let start = 0; start < bytes.length; start += CHUNK_LENGTH) {
    hash = mix(hash, hashChunk(bytes.subarray(start, start + CHUNK_LENGTH)));
    count++;
  }
  return finish(hash, count);
}

/** `ByteVector(empty)`, `ByteVector(2 bytes, 0x0102)` or, if long, `ByteVector(600 bytes, #-12345)`. */
export function byteVectorText(bytes: Uint8Array): string {
  if (bytes.length === 0) return "ByteVector(empty)";
  const content = bytes.length < MIN_HASHED_LENGTH ? `0x${encodeHex(bytes)}` : `#${byteVectorHash(bytes)}`;
  return `ByteVector(${bytes.length} bytes, ${content})`;
}
