/** Standard functions written in the language. Page 08 §14.2. */
import { type Expression, FALSE, type FunctionHeader, TRUE } from "../expression.ts";
import { ADDRESS } from "../values/object-types.ts";
import {
  BOOLEAN,
  BYTES,
  INT,
  NOTHING,
  OPTION_OF_T,
  type ParameterType,
  STRING,
  T,
  UNIT,
  unionOf,
} from "../values/types.ts";

export interface UserFunction {
  /** Name in source. */
  readonly name: string;
  /** Name in script bytes. */
  readonly internalName: string;
  readonly parameters: readonly (readonly [name: string, type: ParameterType])[];
  readonly result: ParameterType;
  /** Evaluated in the caller's environment: names other than parameters have the caller's values. */
  readonly body: Expression;
}

const ref = (name: string): Expression => ({ kind: "ref", name });
const int = (value: bigint): Expression => ({ kind: "long", value });
const text = (value: string): Expression => ({ kind: "string", value });
const bytes = (...value: number[]): Expression => ({ kind: "bytes", value: Uint8Array.from(value) });
const call = (header: FunctionHeader, args: readonly Expression[]): Expression => ({
  kind: "call",
  header,
  arguments: args,
});
const native = (id: number, ...args: Expression[]) => call({ kind: "native", id }, args);
const user = (name: string, ...args: Expression[]) => call({ kind: "user", name }, args);
const ifElse = (condition: Expression, whenTrue: Expression, whenFalse: Expression): Expression => ({
  kind: "if",
  condition,
  whenTrue,
  whenFalse,
});
const letIn = (name: string, value: Expression, body: Expression): Expression => ({
  kind: "block",
  name,
  value,
  body,
});

const equal = (a: Expression, b: Expression) => native(0, a, b);
const failWith = (message: string) => native(2, text(message));
const minus = (a: Expression, b: Expression) => native(101, a, b);
const sizeOfBytes = (a: Expression) => native(200, a);
const takeBytes = (a: Expression, n: Expression) => native(201, a, n);
const dropBytes = (a: Expression, n: Expression) => native(202, a, n);
const joinBytes = (a: Expression, b: Expression) => native(203, a, b);
const takeString = (a: Expression, n: Expression) => native(303, a, n);
const dropString = (a: Expression, n: Expression) => native(304, a, n);
const sizeOfString = (a: Expression) => native(305, a);
const secureHash = (a: Expression) => native(503, native(502, a));
const unit = ref("unit");

function define(
  name: string,
  parameters: UserFunction["parameters"],
  result: ParameterType,
  body: Expression,
  internalName = name,
): UserFunction {
  return { name, internalName, parameters, result, body };
}

/** Defines `takeRight` or `dropRight`. @param cut drops or takes all items except the last `@number` */
function fromEnd(
  name: string,
  internalName: string,
  type: ParameterType,
  cut: (items: Expression, count: Expression) => Expression,
  size: (items: Expression) => Expression,
): UserFunction {
  const count = minus(size(ref("@xs")), ref("@number"));
  const parameters = [["@xs", type] as const, ["@number", INT] as const];
  return define(name, parameters, type, cut(ref("@xs"), count), internalName);
}

const chainIndependent: readonly UserFunction[] = [
  define("-", [["@n", INT]], INT, minus(int(0n), ref("@n"))),
  define("!", [["@p", BOOLEAN]], BOOLEAN, ifElse(equal(ref("@p"), FALSE), TRUE, FALSE)),
  define(
    "!=",
    [
      ["@a", T],
      ["@b", T],
    ],
    BOOLEAN,
    user("!", equal(ref("@a"), ref("@b"))),
  ),
  define("throw", [], NOTHING, failWith("Explicit script termination")),
  define("isDefined", [["@a", OPTION_OF_T]], BOOLEAN, user("!=", ref("@a"), unit)),
  define(
    "extract",
    [["@a", OPTION_OF_T]],
    T,
    ifElse(equal(ref("@a"), unit), failWith("extract() called on unit value"), ref("@a")),
  ),
  fromEnd("takeRight", "takeRightBytes", BYTES, dropBytes, sizeOfBytes),
  fromEnd("dropRight", "dropRightBytes", BYTES, takeBytes, sizeOfBytes),
  fromEnd("takeRight", "takeRight", STRING, dropString, sizeOfString),
  fromEnd("dropRight", "dropRight", STRING, takeString, sizeOfString),
];

const ADDRESS_VERSION = 1;
const ADDRESS_PREFIX = "address:";

function addressFromPublicKey(chainId: number): UserFunction {
  const withoutChecksum = ref("@afpk_withoutChecksum");
  return define(
    "addressFromPublicKey",
    [["@publicKey", BYTES]],
    ADDRESS,
    user(
      "Address",
      letIn(
        "@afpk_withoutChecksum",
        joinBytes(bytes(ADDRESS_VERSION, chainId), takeBytes(secureHash(ref("@publicKey")), int(20n))),
        joinBytes(withoutChecksum, takeBytes(secureHash(withoutChecksum), int(4n))),
      ),
    ),
  );
}

function addressFromString(chainId: number): UserFunction {
  const string = ref("@string");
  const address = ref("@afs_addrBytes");
  const prefixLength = int(BigInt(ADDRESS_PREFIX.length));
  const checksum = user("takeRightBytes", address, int(4n));
  const content = user("dropRightBytes", address, int(4n));
  const checks = [
    equal(sizeOfBytes(address), int(26n)),
    equal(takeBytes(address, int(1n)), bytes(ADDRESS_VERSION)),
    equal(takeBytes(dropBytes(address, int(1n)), int(1n)), bytes(chainId)),
    equal(checksum, takeBytes(secureHash(content), int(4n))),
  ];
  return define(
    "addressFromString",
    [["@string", STRING]],
    unionOf(ADDRESS, UNIT),
    letIn(
      "@afs_addrBytes",
      native(
        601,
        ifElse(
          equal(takeString(string, prefixLength), text(ADDRESS_PREFIX)),
          dropString(string, prefixLength),
          string,
        ),
      ),
      checks.reduceRight<Expression>(
        (whenTrue, check) => ifElse(check, whenTrue, unit),
        user("Address", address),
      ),
    ),
  );
}

/** @param chainId unsigned byte */
export function userFunctions(chainId: number): readonly UserFunction[] {
  return [...chainIndependent, addressFromPublicKey(chainId), addressFromString(chainId)];
}
