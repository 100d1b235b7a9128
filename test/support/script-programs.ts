/** Random scripts for property tests: source of well-typed programs, and arbitrary trees. */
import type { Expression, FunctionHeader } from "../../src/script/expression.ts";
import { NATIVE_FUNCTIONS } from "../../src/script/library/native-functions.ts";
import { userFunctions } from "../../src/script/library/user-functions.ts";
import { OBJECT_TYPES } from "../../src/script/values/object-types.ts";
import type { SeededRandom } from "../../src/testing/seeded-random.ts";

type Kind = "Boolean" | "Int" | "String" | "ByteVector" | "Address" | "AddressOrUnit";
const KINDS: readonly Kind[] = ["Boolean", "Int", "String", "ByteVector", "Address", "AddressOrUnit"];

interface Variable {
  readonly name: string;
  readonly kind: Kind;
}

const NUMBERS = [
  "0",
  "1",
  "-1",
  "7",
  "1_000",
  "-5",
  "4294967296",
  "9223372036854775807",
  "-9223372036854775808",
];
const STRINGS = [
  '""',
  '"a"',
  '"3N1"',
  '"\\u00e9\\n"',
  '"\\uD83D"',
  '"base64:AQ=="',
  '"more than a few"',
  '"#{-"',
];
const BYTES = ["base58''", "base58'3x'", "base64'AQID'", "base64'base64:/w'", "base58'72k1xXWG59fYdzSNoA'"];

/** Fields of a transaction in a case, by the type of the case. */
const CASES: readonly (readonly [types: string, fields: readonly (readonly [Kind, string])[]])[] = [
  [
    "TransferTransaction",
    [
      ["Int", "amount"],
      ["Address", "recipient"],
      ["ByteVector", "attachment"],
    ],
  ],
  [
    "LeaseTransaction",
    [
      ["Int", "amount"],
      ["Address", "recipient"],
    ],
  ],
  [
    "TransferTransaction | LeaseTransaction",
    [
      ["Int", "amount"],
      ["Address", "recipient"],
    ],
  ],
  ["LeaseCancelTransaction", [["ByteVector", "leaseId"]]],
  [
    "MassTransferTransaction",
    [
      ["Int", "totalAmount"],
      ["Int", "transferCount"],
      ["Address", "transfers[0].recipient"],
    ],
  ],
  ["SetScriptTransaction", [["ByteVector", "id"]]],
  [
    "AnchorTransaction",
    [
      ["Int", "anchorCount"],
      ["ByteVector", "anchors[0]"],
    ],
  ],
  ["DataTransaction", [["String", "data[0].key"]]],
  ["IssueAssociationTransaction | RevokeAssociationTransaction", [["Int", "assocType"]]],
  ["SponsorshipTransaction", [["Address", "recipient"]]],
  ["RegisterTransaction", [["ByteVector", "accounts[0]"]]],
];

/** Generates the source of well-typed programs. Only the limits on size and cost can reject them. */
export class ProgramGenerator {
  readonly #random: SeededRandom;
  #names = 0;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  /** @param fuel approximate number of expressions */
  program(fuel: number): string {
    this.#names = 0;
    const head = this.#random.chance(10) ? "{-# LANGUAGE_VERSION 1 #-}\n" : "";
    return head + this.#body("Boolean", fuel, []);
  }

  /** White space. A comment here would hide the sign of a unary operator after it. */
  #space(): string {
    return this.#random.pick([" ", " ", "\n", "  ", "\r\n", "\t"]);
  }

  /** White space or a comment, where no expression follows. */
  #gap(): string {
    return this.#random.pick([" ", " ", " ", "\n", "  ", " # note\n", "\r\n", "\t"]);
  }

  /** Declarations and their scope. */
  #body(kind: Kind, fuel: number, scope: readonly Variable[]): string {
    const variables = [...scope];
    const parts: string[] = [];
    let left = fuel;
    while (left > 6 && this.#random.chance(60)) {
      const share = Math.floor(left / 3);
      const variable = { name: `v${this.#names++}`, kind: this.#random.pick(KINDS) };
      parts.push(`let ${variable.name} = ${this.#expression(variable.kind, share, variables)}`);
      variables.push(variable);
      left -= share;
    }
    parts.push(this.#expression(kind, left, variables));
    // A line that begins with a sign would continue the previous line.
    return parts.reduce((text, part) => {
      const needed = /^[-+]/.test(part) || this.#random.chance(40);
      return `${text}${needed ? this.#random.pick([";", ";\n", " ; "]) : this.#random.pick(["\n", "\n\n", " \n"])}${part}`;
    });
  }

  #expression(kind: Kind, fuel: number, scope: readonly Variable[]): string {
    const known = scope.filter((variable) => variable.kind === kind);
    if (known.length > 0 && this.#random.chance(fuel < 3 ? 60 : 15)) return this.#random.pick(known).name;
    if (fuel < 2) return this.#leaf(kind);
    const half = Math.floor((fuel - 1) / 2);
    const make = (of: Kind, share = half) => this.#expression(of, share, scope);
    const any = () => this.#general(kind, fuel, scope);
    return this.#random.chance(20) ? any() : this.#ofKind(kind, make, any);
  }

  #leaf(kind: Kind): string {
    switch (kind) {
      case "Boolean":
        return this.#random.pick(["true", "false"]);
      case "Int":
        return this.#random.pick([
          ...NUMBERS,
          "height",
          "tx.fee",
          "tx.timestamp",
          "tx.version",
          "size(tx.proofs)",
        ]);
      case "String":
        return this.#random.pick(STRINGS);
      case "ByteVector":
        return this.#random.pick([
          ...BYTES,
          "tx.id",
          "tx.bodyBytes",
          "tx.senderPublicKey",
          "tx.proofs[0]",
          "tx.sender.bytes",
        ]);
      case "Address":
        return this.#random.pick([
          "tx.sender",
          "Address(base58'')",
          "addressFromPublicKey(tx.senderPublicKey)",
        ]);
      case "AddressOrUnit":
        return this.#random.pick(['addressFromString("3N1")', 'addressFromString("address:")']);
    }
  }

  /** Expressions that can have any type. */
  #general(kind: Kind, fuel: number, scope: readonly Variable[]): string {
    const part = Math.floor((fuel - 1) / 3);
    const make = (of: Kind) => this.#expression(of, part, scope);
    switch (this.#random.below(5)) {
      case 0:
        return `(if${this.#space()}${make("Boolean")} then ${make(kind)}${this.#gap()}else ${make(kind)})`;
      case 1:
        return `(if (${make("Boolean")}) then throw(${make("String")}) else ${make(kind)})`;
      case 2:
        return `{${this.#space()}${this.#body(kind, fuel - 1, scope)}${this.#gap()}}`;
      case 3:
        return this.#matchTx(kind, part, scope);
      default:
        return this.#matchOption(kind, part, scope);
    }
  }

  #matchTx(kind: Kind, fuel: number, scope: readonly Variable[]): string {
    const cases = [0, 1, 2].slice(this.#random.below(3)).map(() => {
      const [types, fields] = this.#random.pick(CASES);
      const name = `v${this.#names++}`;
      const inner = fields.map(([of, field]) => ({ name: `${name}.${field}`, kind: of }));
      return `case ${name}:${this.#gap()}${types} => ${this.#expression(kind, fuel, [...scope, ...inner])}`;
    });
    return `(match tx {\n${cases.join("\n")}${this.#gap()}case _ => ${this.#expression(kind, fuel, scope)}\n})`;
  }

  #matchOption(kind: Kind, fuel: number, scope: readonly Variable[]): string {
    const name = `v${this.#names++}`;
    const bound = [...scope, { name, kind: "Address" as const }];
    const subject = this.#expression("AddressOrUnit", fuel, scope);
    const some = this.#expression(kind, fuel, bound);
    const none = this.#expression(kind, fuel, scope);
    return `(match ${subject} { case ${name}: Address => ${some} case _: Unit => ${none} })`;
  }

  #ofKind(kind: Kind, make: (of: Kind, share?: number) => string, any: () => string): string {
    const pick = this.#random.pick.bind(this.#random);
    const infix = (of: Kind, operators: readonly string[]) =>
      `(${make(of)}${this.#gap()}${pick(operators)}${this.#space()}${make(of)})`;
    switch (kind) {
      case "Boolean":
        return pick([
          () => infix("Boolean", ["&&", "||", "==", "!="]),
          () => infix("Int", ["<", "<=", ">", ">=", "==", "!="]),
          () => infix(pick(["String", "ByteVector", "Address"]), ["==", "!="]),
          () => `!${make("Boolean")}`,
          () => `isDefined(${make("AddressOrUnit")})`,
          () => `sigVerify(${make("ByteVector")}, ${make("ByteVector")}, tx.senderPublicKey)`,
        ])();
      case "Int":
        return pick([
          () => infix("Int", ["+", "-", "*", "/", "%"]),
          () => `-(${make("Int")})`,
          () => `fraction(${make("Int")}${this.#gap()},${this.#gap()}${make("Int")}, ${make("Int")})`,
          () => `size(${make(pick(["String", "ByteVector"]))})`,
        ])();
      case "String":
        return pick([
          () => infix("String", ["+"]),
          () => `${pick(["take", "drop", "takeRight", "dropRight"])}(${make("String")}, ${make("Int")})`,
          () => `toString(${make(pick(["Int", "Boolean"]))})`,
          () => `toBase58String(take(${make("ByteVector")}, 60))`,
          () => `toBase64String(${make("ByteVector")})`,
        ])();
      case "ByteVector":
        return pick([
          () => infix("ByteVector", ["+"]),
          () => `${pick(["take", "drop", "takeRight", "dropRight"])}(${make("ByteVector")}, ${make("Int")})`,
          () => `toBytes(${make(pick(["Int", "Boolean", "String"]))})`,
          () => `${pick(["sha256", "blake2b256", "keccak256"])}(${make("ByteVector")})`,
          () => `${pick(["fromBase58String", "fromBase64String"])}(${make("String")})`,
          () => `tx.proofs[${make("Int")}]`,
          () => `${make("Address")}.bytes`,
        ])();
      case "Address":
        return pick([
          () => `Address(${make("ByteVector")})`,
          () => `addressFromPublicKey(${make("ByteVector")})`,
          () => `extract(${make("AddressOrUnit")})`,
          any,
        ])();
      case "AddressOrUnit":
        return `addressFromString(${make("String")})`;
    }
  }
}

const HEADERS: readonly FunctionHeader[] = [
  ...NATIVE_FUNCTIONS.map(({ id }) => ({ kind: "native", id }) as const),
  ...userFunctions(0).map(({ internalName }) => ({ kind: "user", name: internalName }) as const),
  ...OBJECT_TYPES.map(({ name }) => ({ kind: "user", name }) as const),
  { kind: "native", id: 1000 },
  { kind: "user", name: "f" },
];
const NAMES = ["tx", "height", "unit", "x", "y", "@a", "@b", "@xs", "", "é\ufffd"];
const FIELDS = ["bytes", "amount", "recipient", "fee", "proofs", "nothing"];

/** An arbitrary tree, mostly ill-typed, which bytes can represent and source cannot. */
export function randomTree(random: SeededRandom, fuel: number): Expression {
  const tree = (share: number) => randomTree(random, share);
  if (fuel < 2) {
    return random.pick<() => Expression>([
      () => ({ kind: "long", value: random.pick([0n, 1n, -1n, 8n, 2n ** 63n - 1n, -(2n ** 63n)]) }),
      () => ({ kind: "boolean", value: random.chance(50) }),
      () => ({ kind: "string", value: random.pick(["", "a", "\ud800", "Int", "Address", "x\n |y"]) }),
      () => ({ kind: "bytes", value: random.bytes(random.pick([0, 1, 26, 32, 64])) }),
      () => ({ kind: "ref", name: random.pick(NAMES) }),
      () => ({ kind: "ref", name: random.pick(NAMES) }),
    ])();
  }
  const half = Math.floor((fuel - 1) / 2);
  const third = Math.floor((fuel - 1) / 3);
  return random.pick<() => Expression>([
    () => ({ kind: "if", condition: tree(third), whenTrue: tree(third), whenFalse: tree(third) }),
    () => ({ kind: "block", name: random.pick(NAMES), value: tree(half), body: tree(half) }),
    () => ({ kind: "block", name: random.pick(NAMES), value: tree(half), body: tree(half) }),
    () => ({ kind: "getter", object: tree(fuel - 1), field: random.pick(FIELDS) }),
    () => {
      const count = random.below(4);
      const share = Math.floor((fuel - 1) / Math.max(count, 1));
      const args = Array.from({ length: count }, () => tree(share));
      return { kind: "call", header: random.pick(HEADERS), arguments: args };
    },
    () => ({ kind: "call", header: random.pick(HEADERS), arguments: [tree(half), tree(half)] }),
  ])();
}
