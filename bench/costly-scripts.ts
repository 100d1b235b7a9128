/**
 * The slowest scripts known: each fills the 8,192 bytes with as many calls as fit. The estimator does not limit them:
 * it uses the value that a name was last declared with, also where the name refers to another value (page 08 §12). So
 * only the size limits the work.
 */
import type { Expression, FunctionHeader } from "../src/script/expression.ts";
import { estimateScript, MAX_COMPLEXITY, MAX_SCRIPT_SIZE } from "../src/script/index.ts";
import { writeExpression } from "../src/script/serialization.ts";

export const ref = (name: string): Expression => ({ kind: "ref", name });
const int = (value: number): Expression => ({ kind: "long", value: BigInt(value) });
const text = (value: string): Expression => ({ kind: "string", value });
const TRUE: Expression = { kind: "boolean", value: true };
const call = (header: FunctionHeader, args: readonly Expression[]): Expression => ({
  kind: "call",
  header,
  arguments: args,
});
export const native = (id: number, ...args: Expression[]) => call({ kind: "native", id }, args);
const user = (name: string, ...args: Expression[]) => call({ kind: "user", name }, args);
/** Evaluates all its arguments; only the first becomes a field. */
const all = (args: readonly Expression[]) => user("Address", ...args);
const field = (object: Expression, name: string): Expression => ({ kind: "getter", object, field: name });

type Let = readonly [name: string, value: Expression];

function within(lets: readonly Let[], body: Expression): Expression {
  return lets.reduceRight<Expression>(
    (inner, [name, value]) => ({ kind: "block", name, value, body: inner }),
    body,
  );
}

/** A string of this many units, built by doubling. The last `let` is named `s`. */
function longText(seed: string, size: number): Let[] {
  const lets: Let[] = [["s", text(seed)]];
  for (let length = seed.length; length < size; ) {
    const more = Math.min(length, size - length);
    const other = more === length ? ref("s") : native(303, ref("s"), int(more));
    lets.push(["s", native(300, ref("s"), other)]);
    length += more;
  }
  return lets;
}

/** 98,301 bytes, the maximum size of a value. The last `let` is named `m`. */
export function longBytes(): Let[] {
  return [...longText("€".repeat(64), 32_767), ["m", native(411, ref("s"))]];
}

/** 65,536 bytes that begin with the transaction's id. */
function doubledId(): Let[] {
  const lets: Let[] = [["m", field(ref("tx"), "id")]];
  for (let i = 0; i < 11; i++) lets.push(["m", native(203, ref("m"), ref("m"))]);
  return lets;
}

/** The numbers 1 to `count` under the names `0`, `1`, ... of one letter. */
function numbers(count: number): Let[] {
  return Array.from({ length: count }, (_, i) => [digit(i), int(i + 1)]);
}
const digit = (i: number) => String.fromCharCode(0x30 + i);
const letter = (i: number) => String.fromCharCode(0x80 + i);

/** Hides work from the estimator: `x` is the work when the script runs, and `true` in the estimate. */
function hidden(work: Expression): Expression {
  return within(
    [
      ["x", work],
      ["y", within([["x", TRUE]], TRUE)],
    ],
    native(0, ref("y"), ref("x")),
  );
}

/** Returns the script with the most calls that fit. `make` builds it for a count. */
function most(make: (count: number) => Expression): Expression {
  let low = 1;
  for (let high = 4_096; low < high; ) {
    const middle = (low + high + 1) >> 1;
    if (fits(make(middle))) low = middle;
    else high = middle - 1;
  }
  return make(low);
}

function fits(script: Expression): boolean {
  return writeExpression(script).length <= MAX_SCRIPT_SIZE && estimateScript(script) <= MAX_COMPLEXITY;
}

/** 256 different values: some 16 long ones without their first 1 to 16 bytes or letters. */
function variants(source: string, drop: number, rows: number): { lets: Let[]; at(i: number): Expression } {
  const lets: Let[] = Array.from({ length: rows }, (_, i) => [
    letter(i),
    native(drop, ref(source), int(1 + 16 * i)),
  ]);
  return {
    lets: [...numbers(16), ...lets],
    at: (i) => native(drop, ref(letter(Math.floor(i / 16) % rows)), ref(digit(i % 16))),
  };
}

const BYTES = 202;
const TEXT = 304;

/** As many calls of a function as fit, each with a different long argument. */
function distinct(given: Let[], drop: number, of: (argument: Expression) => Expression): Expression {
  const source = drop === BYTES ? "m" : "s";
  return most((count) => {
    const { lets, at } = variants(source, drop, Math.ceil(count / 16));
    const work = all(Array.from({ length: count }, (_, i) => of(at(i))));
    return hidden(within([...given, ...lets], work));
  });
}

/** As many calls of a function as fit, all with the same argument. */
function same(given: Let[], argument: string, of: (argument: Expression) => Expression): Expression {
  return most((count) => {
    const work = all(Array.from({ length: count }, () => of(ref(argument))));
    return hidden(within(given, work));
  });
}

/**
 * A signature whose parts are in range, so that the verifier hashes the message: R is the negative of the neutral
 * point, S = 1.
 */
const SIGNATURE = Uint8Array.from({ length: 64 }, (_, i) =>
  i === 0 ? 0x58 : i < 32 ? 0x66 : i === 32 ? 1 : 0,
);
const KEY = Uint8Array.from({ length: 32 }, (_, i) => (i === 0 ? 0x58 : 0x66));
const bytes = (value: Uint8Array): Expression => ({ kind: "bytes", value });
const signed: Let[] = [
  ["z", bytes(SIGNATURE)],
  ["k", bytes(KEY)],
];
const verified = (message: Expression) => native(500, message, ref("z"), ref("k"));

/** Compares objects with long equal values as often as fits. `differ` makes the objects unequal. */
function compared(given: Let[], left: string, right: string, differ: boolean): Expression {
  const FIELDS = 11;
  const tower = (name: string, of: string, end: Expression, levels: number): Let[] => [
    [name, all([end])],
    ...Array.from(
      { length: levels },
      (): Let => [
        name,
        call({ kind: "user", name: "TransferTransaction" }, [
          ref(name),
          ...Array.from({ length: FIELDS - 1 }, () => ref(of)),
        ]),
      ],
    ),
  ];
  return most((count) => {
    const levels = Math.max(1, Math.floor(count / 8));
    const lets = [
      ...given,
      ...tower("a", left, int(1), levels),
      ...tower("b", right, int(differ ? 2 : 1), levels),
    ];
    return hidden(within(lets, all(Array.from({ length: count }, () => native(0, ref("a"), ref("b"))))));
  });
}

/** As many comparisons of long byte strings as fit: the two sides are equal, and no pair occurs twice. */
function comparedBytes(): Expression {
  return most((count) => {
    const rows = Math.ceil(count / 16);
    const left = variants("m", BYTES, rows);
    // The same values again, under names that follow those of the left side.
    const right: Let[] = Array.from({ length: rows }, (_, i) => [
      letter(rows + i),
      native(BYTES, ref("n"), int(1 + 16 * i)),
    ]);
    const work = Array.from({ length: count }, (_, i) =>
      native(0, left.at(i), native(BYTES, ref(letter(rows + (i >> 4))), ref(digit(i % 16)))),
    );
    return hidden(within([...longBytes(), ["n", native(411, ref("s"))], ...left.lets, ...right], all(work)));
  });
}

/** Compares each pair of objects that hold a long string ten times: all pairs differ, but only in the last field. */
function comparedPairs(): Expression {
  return most((count) => {
    const side = Math.max(2, Math.ceil(Math.sqrt(count)));
    const object = (of: string, last: number) =>
      user("TransferTransaction", ...Array.from({ length: 10 }, () => ref(of)), int(last));
    const lets: Let[] = [
      ...longText("€".repeat(64), 32_767),
      ["n", native(303, ref("s"), int(32_766))],
      ["t", native(300, ref("n"), text("€"))],
      ...Array.from({ length: side }, (_, i): Let => [letter(i), object("s", i)]),
      ...Array.from({ length: side }, (_, i): Let => [letter(side + i), object("t", side + i)]),
    ];
    const pairs = Array.from({ length: count }, (_, i) =>
      native(0, ref(letter(i % side)), ref(letter(side + Math.floor(i / side)))),
    );
    return hidden(within(lets, all(pairs)));
  });
}

/** An address as a string; its network does not matter. */
function addressText(): Let[] {
  return [["s", text("3N".padEnd(35, "z"))]];
}

/** As many names as uses of the outermost one. */
function lookedUp(): Expression {
  return most((count) => {
    const lets = Array.from({ length: count }, (_, i): Let => [i === 0 ? "u" : letter(i), TRUE]);
    return hidden(within(lets, all(Array.from({ length: count }, () => ref("u")))));
  });
}

/** A long string of unpaired surrogates. */
function brokenText(): Let[] {
  return [
    ["s", native(303, text("\u{10000}"), int(1))],
    ...Array.from({ length: 14 }, (): Let => ["s", native(300, ref("s"), ref("s"))]),
    ["s", native(300, ref("s"), native(303, ref("s"), int(16_383)))],
  ];
}

const base64Letters: Let[] = [
  ...longText("QUFB".repeat(64), 32_764),
  ["m", native(603, ref("s"))], // 24,573 bytes
];

/** A long string that ends with an unpaired surrogate. */
function halfAtEnd(): Let[] {
  const half = native(303, text("\u{10000}"), int(1));
  return [...longText("€".repeat(64), 32_766), ["s", native(300, ref("s"), half)]];
}

/** The slowest scripts known, by name. All pass the checks of page 08 §11. */
export const COSTLY_SCRIPTS: readonly (readonly [name: string, script: Expression])[] = [
  [
    "110 × keccak256, one id doubled to 64 KiB",
    within(doubledId(), native(0, TRUE, all(Array.from({ length: 110 }, () => native(501, ref("m")))))),
  ],
  ["keccak256, same value", same(longBytes(), "m", (m) => native(501, m))],
  ["keccak256, other values", distinct(longBytes(), BYTES, (m) => native(501, m))],
  ["blake2b256, same value", same(longBytes(), "m", (m) => native(502, m))],
  ["blake2b256, other values", distinct(longBytes(), BYTES, (m) => native(502, m))],
  ["sha256, same value", same(longBytes(), "m", (m) => native(503, m))],
  ["sha256, other values", distinct(longBytes(), BYTES, (m) => native(503, m))],
  ["sigVerify, same message", same([...longBytes(), ...signed], "m", verified)],
  ["sigVerify, other messages", distinct([...longBytes(), ...signed], BYTES, verified)],
  ["toBytes, same text", same(longBytes(), "s", (s) => native(411, s))],
  ["toBytes, other texts", distinct(longBytes(), TEXT, (s) => native(411, s))],
  ["toBytes, halves of pairs, same text", same(brokenText(), "s", (s) => native(411, s))],
  ["toBytes, halves of pairs, other texts", distinct(brokenText(), TEXT, (s) => native(411, s))],
  [
    "toBytes and keccak256, texts that end in half a pair",
    distinct(halfAtEnd(), TEXT, (s) => native(501, native(411, s))),
  ],
  [
    "toBytes and keccak256, other texts",
    distinct(longText("€".repeat(64), 32_767), TEXT, (s) => native(501, native(411, s))),
  ],
  [
    "joined bytes",
    most((n) =>
      hidden(
        within(
          doubledId().slice(0, -1),
          all(Array.from({ length: n }, () => native(203, ref("m"), ref("m")))),
        ),
      ),
    ),
  ],
  [
    "joined texts, read",
    most((n) =>
      hidden(
        within(
          [...longText("€".repeat(64), 16_383), ["t", text("a")]],
          all(Array.from({ length: n }, () => native(411, native(300, ref("s"), ref("t"))))),
        ),
      ),
    ),
  ],
  ["toBase64String, same value", same(base64Letters, "m", (m) => native(602, m))],
  ["toBase64String, other values", distinct(base64Letters, BYTES, (m) => native(602, m))],
  ["fromBase64String, same text", same(base64Letters, "s", (s) => native(603, s))],
  [
    "fromBase64String, other texts",
    distinct(base64Letters, TEXT, (s) => native(603, native(300, ref("s"), native(303, s, int(3))))),
  ],
  ["== of objects of long bytes", compared([...longBytes(), ["n", native(411, ref("s"))]], "m", "n", false)],
  [
    "== of objects of long bytes that differ",
    compared([...longBytes(), ["n", native(411, ref("s"))]], "m", "n", true),
  ],
  [
    "== of objects of long texts that differ",
    compared(
      [
        ...longText("€".repeat(64), 32_767),
        ["n", native(303, ref("s"), int(32_766))],
        ["t", native(300, ref("n"), text("€"))],
      ],
      "s",
      "t",
      true,
    ),
  ],
  ["== of long bytes, always others", comparedBytes()],
  ["== of objects of long texts, all pairs", comparedPairs()],
  [
    "calls of user functions",
    most((n) => hidden(all(Array.from({ length: n }, () => user("!=", TRUE, TRUE))))),
  ],
  [
    "addressFromPublicKey, other values",
    distinct(longBytes(), BYTES, (m) => user("addressFromPublicKey", m)),
  ],
  ["addressFromString, same text", same(addressText(), "s", (s) => user("addressFromString", s))],
  ["names looked up far away", lookedUp()],
];

/**
 * Scripts that are slow to estimate: values choose which of many others they use, which leads to as many states. The
 * estimator evaluates a formula over `names` values, with this many clauses, again in each state.
 */
function puzzle(names: number, clauses: number): Expression {
  const choice = (condition: Expression, whenTrue: Expression, whenFalse: Expression): Expression => ({
    kind: "if",
    condition,
    whenTrue,
    whenFalse,
  });
  const a = (i: number) => ref(`a${i % names}`);
  const lets = Array.from({ length: names }, (_, i): Let => [`a${i}`, TRUE]);
  let formula = TRUE;
  for (let i = 0; i < clauses; i++) formula = native(0, choice(a(i), a(7 * i + 3), a(5 * i + 1)), formula);
  lets.push(["x0", formula]);
  for (let i = 0; i < names; i++)
    lets.push([`x${i + 1}`, choice(TRUE, native(0, a(i), ref(`x${i}`)), ref(`x${i}`))]);
  return within(lets, ref(`x${names}`));
}

/** The slowest scripts to estimate, by name. The first one passes, just below the limit. */
export const COSTLY_ESTIMATES: readonly (readonly [name: string, script: Expression])[] = [
  ["65,536 states, a formula of 45 clauses", puzzle(16, 45)],
  ["16,384 states, a formula of 160 clauses", puzzle(14, 160)],
  ["more states than can be walked", puzzle(24, 60)],
];
