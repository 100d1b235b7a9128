/** Page 08 §14.1. */
import { encodeBase58 } from "../../bytes/base58.ts";
import { encodeBase64 } from "../../bytes/base64.ts";
import { concatBytes } from "../../bytes/compare.ts";
import { fitsInt64, INT64_MAX, INT64_MIN, int64 } from "../../bytes/int64.ts";
import { encodeUtf8 } from "../../bytes/utf8.ts";
import { ByteWriter } from "../../bytes/writer.ts";
import { fastHash, keccak256, sha256 } from "../../crypto/hashes.ts";
import { verify } from "../../crypto/signatures.ts";
import { ScriptException, ScriptRunError } from "../errors.ts";
import { decodeText } from "../text/decode-text.ts";
import { BOOLEAN, BYTES, INT, NOTHING, STRING, T } from "../values/types.ts";
import { typeNameOf, type Value } from "../values/values.ts";
import {
  arithmetic,
  checkArguments,
  joinedByteVectors,
  memoized,
  type NativeFunction,
  native,
  twoParameters,
  uncheckedNative,
  withWork,
} from "./define-native.ts";

const MAX_JOINED_BYTES = 65_536;
const MAX_JOINED_LENGTH = 32_767;
const MAX_BASE58_BYTES = 64;
const MAX_BASE58_TEXT = 100;
const MAX_BASE64_BYTES = 32_768;
const MAX_BASE64_TEXT = 45_056;
const SIGNATURE_LENGTH = 64;
const KEY_LENGTH = 32;

function checkInt64(value: bigint): bigint {
  if (!fitsInt64(value)) throw new ScriptRunError("long overflow");
  return value;
}

/** Rounds toward negative infinity; -2^63 / -1 wraps. */
function floorDivide(a: bigint, b: bigint): bigint {
  if (b === 0n) throw new ScriptRunError("/ by zero");
  const quotient = a / b;
  return int64(a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient);
}

function fraction(value: bigint, numerator: bigint, denominator: bigint): bigint {
  if (denominator === 0n) {
    throw new ScriptException("java.lang.ArithmeticException: BigInteger divide by zero");
  }
  const result = (value * numerator) / denominator;
  // Like the reference, rejects INT64_MAX and INT64_MIN too.
  if (result >= INT64_MAX) {
    throw new ScriptRunError(`Long overflow: value \`${result}\` greater than 2^63-1`);
  }
  if (result <= INT64_MIN) {
    throw new ScriptRunError(`Long overflow: value \`${result}\` less than -2^63-1`);
  }
  return result;
}

function clamp(count: bigint, length: number): number {
  if (count <= 0n) return 0;
  return count >= BigInt(length) ? length : Number(count);
}

function joinBytes(a: Uint8Array, b: Uint8Array): Uint8Array {
  if (a.length + b.length > MAX_JOINED_BYTES) throw new ScriptRunError("ByteVector is too large");
  const bytes = concatBytes(a, b);
  joinedByteVectors.add(bytes);
  return bytes;
}

function joinStrings(a: string, b: string): string {
  if (a.length + b.length > MAX_JOINED_LENGTH) throw new ScriptRunError("String is too large");
  return a + b;
}

function element(list: readonly Value[], position: bigint): Value {
  const index = Number(BigInt.asIntN(32, position));
  if (index < 0 || index >= list.length) {
    throw new ScriptRunError(`java.lang.IndexOutOfBoundsException: ${index}`);
  }
  return list[index];
}

function isSignatureValid(message: Uint8Array, signature: Uint8Array, key: Uint8Array): boolean {
  // The reference checks the key's length first, and throws even if the signature's length is wrong too.
  if (key.length !== KEY_LENGTH) {
    throw new ScriptException("java.lang.IllegalArgumentException: 'buf' must have length 32");
  }
  if (signature.length !== SIGNATURE_LENGTH) return false;
  return verify({ keyType: "ed25519", bytes: key }, message, signature);
}

function toBase58(bytes: Uint8Array): string {
  if (bytes.length > MAX_BASE58_BYTES) {
    throw new ScriptRunError(`base58Encode input exceeds ${MAX_BASE58_BYTES}`);
  }
  return encodeBase58(bytes);
}

function toBase64(bytes: Uint8Array): string {
  if (bytes.length > MAX_BASE64_BYTES) {
    throw new ScriptRunError(`base64Encode input exceeds ${MAX_BASE64_BYTES}`);
  }
  return encodeBase64(bytes);
}

function fromText(format: "58" | "64", text: string, limit: number): Uint8Array {
  const decoded = decodeText(format, text, limit);
  if (!decoded.ok) throw new ScriptRunError(decoded.error);
  return decoded.value;
}

// `Equality` caches results and counts work itself.
const equals = uncheckedNative(0, "==", 1, twoParameters(T), BOOLEAN, (args, equality) => {
  checkArguments("==", ["Any", "Any"], args);
  return equality.equal(args[0], args[1]);
});

const objectAndName = [
  ["obj", T],
  ["of", STRING],
] as const;
const isInstanceOf = uncheckedNative(1, "_isInstanceOf", 1, objectAndName, BOOLEAN, (args) => {
  return args.length === 2 && typeof args[1] === "string" && typeNameOf(args[0]) === args[1];
});

const throwError = uncheckedNative(2, "throw", 1, [["err", STRING]], NOTHING, (args) => {
  throw new ScriptRunError(
    args.length === 1 && typeof args[0] === "string" ? args[0] : "Explicit script termination",
  );
});

const bytesAndNumber = [
  ["xs", "ByteVector"],
  ["number", "Int"],
] as const;
const stringAndNumber = [
  ["xs", "String"],
  ["number", "Int"],
] as const;

/** Error messages list overloads in this order (page 08 §14.3). */
export const NATIVE_FUNCTIONS: readonly NativeFunction[] = [
  equals,
  isInstanceOf,
  throwError,
  arithmetic(100, "+", (a, b) => checkInt64(a + b)),
  arithmetic(101, "-", (a, b) => checkInt64(a - b)),
  native(102, ">", 1, twoParameters("Int"), BOOLEAN, (a, b) => a > b),
  native(103, ">=", 1, twoParameters("Int"), BOOLEAN, (a, b) => a >= b),
  arithmetic(104, "*", (a, b) => checkInt64(a * b)),
  arithmetic(105, "/", floorDivide),
  arithmetic(106, "%", (a, b) => int64(a - b * floorDivide(a, b))),
  native(
    107,
    "fraction",
    1,
    [
      ["value", "Int"],
      ["numerator", "Int"],
      ["denominator", "Int"],
    ],
    INT,
    fraction,
  ),
  native(200, "size", 1, [["byteVector", "ByteVector"]], INT, (bytes) => BigInt(bytes.length)),
  native(201, "take", 1, bytesAndNumber, BYTES, (xs, number) => xs.subarray(0, clamp(number, xs.length))),
  native(202, "drop", 1, bytesAndNumber, BYTES, (xs, number) => xs.subarray(clamp(number, xs.length))),
  withWork(300, 0.2, native(300, "+", 10, twoParameters("String"), STRING, joinStrings)),
  withWork(300, 1, native(203, "+", 10, twoParameters("ByteVector"), BYTES, joinBytes)),
  withWork(
    300,
    0.5,
    native(303, "take", 1, stringAndNumber, STRING, (xs, number) => xs.slice(0, clamp(number, xs.length))),
  ),
  withWork(
    300,
    0.5,
    native(304, "drop", 1, stringAndNumber, STRING, (xs, number) => xs.slice(clamp(number, xs.length))),
  ),
  native(305, "size", 1, [["xs", "String"]], INT, (xs) => BigInt(xs.length)),
  native(400, "size", 2, [["arr", "List"]], INT, (list) => BigInt(list.length)),
  native(
    401,
    "getElement",
    2,
    [
      ["arr", "List"],
      ["pos", "Int"],
    ],
    T,
    element,
  ),
  native(412, "toBytes", 1, [["b", "Boolean"]], BYTES, (b) => Uint8Array.of(b ? 1 : 0)),
  native(410, "toBytes", 1, [["n", "Int"]], BYTES, (n) => new ByteWriter(8).i64(n).toBytes()),
  memoized(300, 8, native(411, "toBytes", 1, [["s", "String"]], BYTES, encodeUtf8)),
  native(421, "toString", 1, [["b", "Boolean"]], STRING, String),
  native(420, "toString", 1, [["n", "Int"]], STRING, String),
  memoized(
    85_000,
    2,
    native(
      500,
      "sigVerify",
      100,
      [
        ["message", "ByteVector"],
        ["sig", "ByteVector"],
        ["pub", "ByteVector"],
      ],
      BOOLEAN,
      isSignatureValid,
    ),
  ),
  memoized(1_000, 3, native(501, "keccak256", 10, [["bytes", "ByteVector"]], BYTES, keccak256)),
  memoized(1_000, 2, native(502, "blake2b256", 10, [["bytes", "ByteVector"]], BYTES, fastHash)),
  memoized(1_000, 1, native(503, "sha256", 10, [["bytes", "ByteVector"]], BYTES, sha256)),
  withWork(5_000, 0, native(600, "toBase58String", 10, [["bytes", "ByteVector"]], STRING, toBase58)),
  withWork(
    5_000,
    0,
    native(601, "fromBase58String", 10, [["str", "String"]], BYTES, (text) =>
      fromText("58", text, MAX_BASE58_TEXT),
    ),
  ),
  memoized(300, 3, native(602, "toBase64String", 10, [["bytes", "ByteVector"]], STRING, toBase64)),
  memoized(
    300,
    4,
    native(603, "fromBase64String", 10, [["str", "String"]], BYTES, (text) =>
      fromText("64", text, MAX_BASE64_TEXT),
    ),
  ),
];
