/** Mutations of valid bytes. */
import { concatBytes } from "../../src/bytes/compare.ts";
import { fastHash } from "../../src/crypto/hashes.ts";
import type { SeededRandom } from "../../src/testing/seeded-random.ts";
import type { Sample } from "./corpus.ts";

const MAGIC = 0x12345678;
/** Lengths and counts close to a limit or far above it. */
const NUMBERS = [
  0, 1, 2, 8, 63, 64, 65, 100, 127, 128, 200, 201, 255, 256, 1_000, 1_001, 65_535, 65_536, 0x1fffff, 0x200000,
  0x200001, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff,
];
/** Maximum length of random noise. */
const MAX_NOISE = 200;

/** The messages of one outer frame, each with a correct length and checksum. */
export function framed(...samples: readonly Sample[]): Uint8Array {
  const inner = concatBytes(...samples.map(innerFrame));
  const frame = new Uint8Array(4 + inner.length);
  new DataView(frame.buffer).setUint32(0, inner.length);
  frame.set(inner, 4);
  return frame;
}

function innerFrame({ code, payload }: Sample): Uint8Array {
  const header = payload.length === 0 ? 9 : 13;
  const bytes = new Uint8Array(header + payload.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, MAGIC);
  view.setUint8(4, code);
  view.setInt32(5, payload.length);
  if (payload.length > 0) bytes.set(fastHash(payload).subarray(0, 4), 9);
  bytes.set(payload, header);
  return bytes;
}

type Change = (bytes: Uint8Array, random: SeededRandom) => Uint8Array;

const flipped: Change = (bytes, random) => {
  const out = bytes.slice();
  for (let i = random.below(8); i >= 0 && out.length > 0; i--)
    out[random.below(out.length)] ^= 1 << random.below(8);
  return out;
};

const cut: Change = (bytes, random) => bytes.slice(0, random.below(bytes.length + 1));

const extended: Change = (bytes, random) => concatBytes(bytes, random.bytes(1 + random.below(MAX_NOISE)));

/** Changes a number of 1, 2, 4 or 8 bytes, most often near the beginning, where counts and lengths are. */
const numbered: Change = (bytes, random) => {
  const width = random.pick([1, 2, 4, 4, 4, 8]);
  if (bytes.length < width) return extended(bytes, random);
  const out = bytes.slice();
  const room = out.length - width + 1;
  const at = random.below(random.chance(50) ? Math.min(room, 16) : room);
  const view = new DataView(out.buffer);
  const number = random.chance(80) ? random.pick(NUMBERS) : Math.floor(bytes.length / (1 + random.below(70)));
  if (width === 1) view.setUint8(at, number & 0xff);
  else if (width === 2) view.setUint16(at, number & 0xffff);
  else if (width === 4) view.setUint32(at, number);
  else
    view.setBigUint64(
      at,
      random.chance(50) ? BigInt(number) << 32n : BigInt.asUintN(64, BigInt(number) - 2n),
    );
  return out;
};

/** Repeats, removes or moves a section. */
const shuffled: Change = (bytes, random) => {
  const [from, to] = [random.below(bytes.length + 1), random.below(bytes.length + 1)].sort((a, b) => a - b);
  const piece = bytes.subarray(from, to);
  const kind = random.below(3);
  if (kind === 0) return concatBytes(bytes.subarray(0, to), piece, bytes.subarray(to));
  const rest = concatBytes(bytes.subarray(0, from), bytes.subarray(to));
  if (kind === 1) return rest;
  const at = random.below(rest.length + 1);
  return concatBytes(rest.subarray(0, at), piece, rest.subarray(at));
};

const overwritten: Change = (bytes, random) => {
  const out = bytes.slice();
  const noise = random.bytes(random.below(MAX_NOISE));
  const at = random.below(out.length + 1);
  out.set(noise.subarray(0, out.length - at), at);
  return out;
};

const CHANGES: readonly Change[] = [flipped, cut, extended, numbered, numbered, shuffled, overwritten];

/** Joins the beginning of one input with the end of another. */
export function spliced(one: Uint8Array, other: Uint8Array, random: SeededRandom): Uint8Array {
  const isSamePlace = random.chance(60);
  const at = random.below(one.length + 1);
  const from = isSamePlace ? Math.min(at, other.length) : random.below(other.length + 1);
  return concatBytes(one.subarray(0, at), other.subarray(from));
}

/** Changes bytes in one or several ways. */
export function changed(bytes: Uint8Array, random: SeededRandom): Uint8Array {
  let out = bytes;
  for (let i = random.chance(80) ? 0 : random.below(3); i >= 0; i--) out = random.pick(CHANGES)(out, random);
  return out;
}

/**
 * Returns the mutated bytes of a message: either its content, with correct lengths and checksum, or its frame.
 * @param other returns another message of any kind
 */
export function mutatedFrame(sample: Sample, other: () => Sample, random: SeededRandom): Uint8Array {
  const { code, payload } = sample;
  switch (random.below(10)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return framed({ code, payload: changed(payload, random) });
    case 4:
      return framed({ code, payload: spliced(payload, other().payload, random) });
    case 5:
      return framed({ code: random.chance(80) ? other().code : random.below(256), payload });
    case 6:
      return changed(framed(sample), random);
    case 7:
      return spliced(framed(sample), framed(other()), random);
    case 8:
      // Several messages in one frame, one of which may be broken.
      return framed(sample, other(), {
        code,
        payload: random.chance(50) ? payload : changed(payload, random),
      });
    default:
      return repeated(framed(sample), random);
  }
}

function repeated(bytes: Uint8Array, random: SeededRandom): Uint8Array {
  const times = 2 + random.below(bytes.length > 5_000 ? 3 : 20);
  return concatBytes(...Array<Uint8Array>(times).fill(bytes));
}

/** Returns the mutated bytes of a handshake. @param other returns another one */
export function mutatedHandshake(
  bytes: Uint8Array,
  other: () => Uint8Array,
  random: SeededRandom,
): Uint8Array {
  const kind = random.below(8);
  if (kind === 0) return spliced(bytes, other(), random);
  return kind === 1 ? concatBytes(bytes, other()) : changed(bytes, random);
}
