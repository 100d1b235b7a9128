/**
 * Keccak-256 as WebAssembly, some eight times as fast as the same in JavaScript, whose numbers have no 64 bits. No
 * engine that we run on has the original padding built in, only that of SHA-3.
 *
 * The module is put together here from the definition of the permutation (FIPS 202, section 3.2): the 25 lanes are locals, one
 * round is written out without loops. It has some 2 KB, takes a millisecond, and is made at the first use.
 */
import { keccak_256 } from "@noble/hashes/sha3.js";

/** Bytes of a block: 1600 bits less twice the 256 of the digest. */
const RATE = 136;
const DIGEST = 32;
const ROUNDS = 24;

/** Where things are in the module's memory: the state, the round constants, the blocks to absorb. */
const STATE = 0;
const CONSTANTS = 256;
const INPUT = 512;
const PAGES = 1;
const PAGE = 65_536;
/** Whole blocks that the memory takes at once. */
const CAPACITY = Math.floor((PAGES * PAGE - INPUT) / RATE) * RATE;

/** The round constants, from the shift register of FIPS 202, section 3.2.5. */
function roundConstants(): bigint[] {
  const constants: bigint[] = [];
  let register = 1;
  for (let round = 0; round < ROUNDS; round++) {
    let constant = 0n;
    for (let j = 0; j < 7; j++) {
      if (register & 1) constant |= 1n << BigInt((1 << j) - 1);
      register = (register << 1) ^ ((register >> 7) * 0x171);
    }
    constants.push(constant);
  }
  return constants;
}

/** Signed LEB128. */
function signed(value: bigint): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; ) {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    if ((rest === 0n && low < 0x40) || (rest === -1n && low >= 0x40)) return [...bytes, low];
    bytes.push(low | 0x80);
  }
}

/** Unsigned LEB128. */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

/** The instructions that are used, written one behind the other. */
class Code {
  readonly bytes: number[] = [];

  #op(code: number, ...operands: number[]): void {
    this.bytes.push(code, ...operands);
  }

  get(local: number): void {
    this.#op(0x20, ...unsigned(local));
  }

  set(local: number): void {
    this.#op(0x21, ...unsigned(local));
  }

  i32(value: number): void {
    this.#op(0x41, ...signed(BigInt(value)));
  }

  i64(value: bigint): void {
    this.#op(0x42, ...signed(value));
  }

  /** Reads 64 bits at the address in a local plus an offset. */
  load(local: number, offset: number): void {
    this.get(local);
    this.#op(0x29, 3, ...unsigned(offset));
  }

  /** Writes what `value` pushes at a fixed address. */
  store(address: number, value: () => void): void {
    this.i32(address);
    value();
    this.#op(0x37, 3, 0);
  }

  xor(): void {
    this.#op(0x85);
  }

  and(): void {
    this.#op(0x83);
  }

  or(): void {
    this.#op(0x84);
  }

  not(): void {
    this.i64(-1n);
    this.xor();
  }

  rotateLeft(bits: number): void {
    this.i64(BigInt(bits));
    this.#op(0x89);
  }

  /** Does `body`, raises the local by `step`, and begins again while it is below what `limit` pushes. */
  loop(local: number, step: number, limit: () => void, body: () => void): void {
    this.#op(0x03, 0x40);
    body();
    this.get(local);
    this.i32(step);
    this.#op(0x6a);
    this.set(local);
    this.get(local);
    limit();
    this.#op(0x49, 0x0d, 0, 0x0b);
  }
}

// Locals of the one function: its parameters, 32 of 64 bits, and an address.
const AT = 0;
const END = 1;
const lane = (index: number) => 2 + index;
const column = (x: number) => 27 + (x % 5);
const KEPT = 32;
const KEPT_TOO = 33;
const CONSTANT = 34;
const WIDE_LOCALS = 32;

/**
 * Lanes that are inverted as long as the function runs. With these, chi takes 8 inversions a round instead of 25
 * ("Keccak implementation overview", section 2.2).
 */
const INVERTED = [1, 2, 8, 12, 17, 20];

/**
 * Chi of each row of such lanes: how the next two lanes are joined before they go into a lane, `!` before the one of the
 * three that is inverted first.
 */
const CHI = [
  ["a ^ b | c", "a ^ !b | c", "a ^ b & c", "a ^ b | c", "a ^ b & c"],
  ["a ^ b | c", "a ^ b & c", "a ^ b | !c", "a ^ b | c", "a ^ b & c"],
  ["a ^ b | c", "a ^ b & c", "a ^ !b & c", "!a ^ b | c", "a ^ b & c"],
  ["a ^ b & c", "a ^ b | c", "a ^ !b | c", "!a ^ b & c", "a ^ b | c"],
  ["a ^ !b & c", "!a ^ b | c", "a ^ b & c", "a ^ b | c", "a ^ b & c"],
];

/** The steps theta, rho, pi, chi and iota on the lanes. */
function round(code: Code): void {
  for (let x = 0; x < 5; x++) {
    code.get(lane(x));
    for (let y = 5; y < 25; y += 5) {
      code.get(lane(x + y));
      code.xor();
    }
    code.set(column(x));
  }
  for (let x = 0; x < 5; x++) {
    code.get(column(x + 4));
    code.get(column(x + 1));
    code.rotateLeft(1);
    code.xor();
    code.set(KEPT);
    for (let y = 0; y < 25; y += 5) {
      code.get(lane(x + y));
      code.get(KEPT);
      code.xor();
      code.set(lane(x + y));
    }
  }
  code.get(lane(1));
  code.set(KEPT);
  for (let t = 0, x = 1, y = 0; t < 24; t++) {
    [x, y] = [y, (2 * x + 3 * y) % 5];
    code.get(lane(x + 5 * y));
    code.set(KEPT_TOO);
    code.get(KEPT);
    code.rotateLeft((((t + 1) * (t + 2)) / 2) % 64);
    code.set(lane(x + 5 * y));
    code.get(KEPT_TOO);
    code.set(KEPT);
  }
  for (let y = 0; y < 25; y += 5) {
    // The first two lanes of the row as they were are needed again at its end.
    code.get(lane(y));
    code.set(KEPT);
    code.get(lane(y + 1));
    code.set(KEPT_TOO);
    const before = (x: number) => (x < 5 ? lane(y + x) : x === 5 ? KEPT : KEPT_TOO);
    for (const [x, rule] of CHI[y / 5].entries()) {
      for (const [i, name] of ["a", "b", "c"].entries()) {
        code.get(before(x + i));
        if (rule.includes(`!${name}`)) code.not();
      }
      if (rule.includes("|")) code.or();
      else code.and();
      code.xor();
      code.set(lane(y + x));
    }
  }
  code.get(lane(0));
  code.load(CONSTANT, CONSTANTS);
  code.xor();
  code.set(lane(0));
}

/** The function that absorbs the blocks from its first argument up to its second into the state. */
function absorbBody(): number[] {
  const code = new Code();
  // The address of the round constant is still 0, which is where the state is.
  for (let i = 0; i < 25; i++) {
    code.load(CONSTANT, STATE + 8 * i);
    if (INVERTED.includes(i)) code.not();
    code.set(lane(i));
  }
  code.loop(
    AT,
    RATE,
    () => code.get(END),
    () => {
      for (let i = 0; i < RATE / 8; i++) {
        code.get(lane(i));
        code.load(AT, 8 * i);
        code.xor();
        code.set(lane(i));
      }
      code.i32(0);
      code.set(CONSTANT);
      code.loop(
        CONSTANT,
        8,
        () => code.i32(8 * ROUNDS),
        () => round(code),
      );
    },
  );
  for (let i = 0; i < 25; i++) {
    code.store(STATE + 8 * i, () => {
      code.get(lane(i));
      if (INVERTED.includes(i)) code.not();
    });
  }
  return code.bytes;
}

function vector(items: readonly (readonly number[])[]): number[] {
  return [...unsigned(items.length), ...items.flat()];
}

/** A section with its number, or anything else that begins with its length. */
function sized(content: readonly number[]): number[] {
  return [...unsigned(content.length), ...content];
}

const I32 = 0x7f;
const I64 = 0x7e;

/** The module: exports `memory` and `absorb`. */
function moduleBytes(): Uint8Array<ArrayBuffer> {
  const name = (text: string) => sized([...text].map((letter) => letter.charCodeAt(0)));
  const locals = vector([
    [WIDE_LOCALS, I64],
    [1, I32],
  ]);
  const constants = roundConstants().flatMap((constant) =>
    Array.from({ length: 8 }, (_, i) => Number((constant >> BigInt(8 * i)) & 0xffn)),
  );
  const sections: [id: number, content: number[]][] = [
    [1, vector([[0x60, ...vector([[I32], [I32]]), 0]])], // types: two addresses, no result
    [3, vector([[0]])], // functions and their types
    [5, vector([[0, PAGES]])], // memory
    [
      7, // exports
      vector([
        [...name("memory"), 2, 0],
        [...name("absorb"), 0, 0],
      ]),
    ],
    [10, vector([sized([...locals, ...absorbBody(), 0x0b])])], // code
    [11, vector([[0, 0x41, ...signed(BigInt(CONSTANTS)), 0x0b, ...sized(constants)]])], // data
  ];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...sections.flatMap(([id, content]) => [id, ...sized(content)]),
  ]);
}

type Hash = (bytes: Uint8Array) => Uint8Array;

/** The little that is used of it; the language's own library does not know it. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
};

/** Makes the module. @throws when the platform has no WebAssembly, or does not allow it */
function wasmKeccak(): Hash {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(moduleBytes()));
  // What the two exports are is written above.
  const { memory, absorb } = exports as {
    memory: { readonly buffer: ArrayBuffer };
    absorb: (at: number, end: number) => void;
  };
  const all = new Uint8Array(memory.buffer);
  return (bytes) => {
    all.fill(0, STATE, STATE + 200);
    // What does not fill a block stays for the last one, which always is there.
    const whole = bytes.length - (bytes.length % RATE);
    for (let at = 0; at < whole; at += CAPACITY) {
      const part = bytes.subarray(at, Math.min(at + CAPACITY, whole));
      all.set(part, INPUT);
      absorb(INPUT, INPUT + part.length);
    }
    const rest = bytes.subarray(whole);
    all.fill(0, INPUT, INPUT + RATE);
    all.set(rest, INPUT);
    all[INPUT + rest.length] ^= 0x01;
    all[INPUT + RATE - 1] ^= 0x80;
    absorb(INPUT, INPUT + RATE);
    return all.slice(STATE, STATE + DIGEST);
  };
}

let hash: Hash | undefined;

/** The original Keccak-256 (not SHA-3), 32 bytes. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  if (hash === undefined) {
    try {
      hash = wasmKeccak();
    } catch {
      // A page may forbid WebAssembly: the same digest then takes longer.
      hash = keccak_256;
    }
  }
  return hash(bytes);
}
