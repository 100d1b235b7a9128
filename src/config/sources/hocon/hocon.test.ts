// biome-ignore-all lint/suspicious/noTemplateCurlyInString: substitutions of HOCON are written so.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readHocon } from "./read.ts";
import { HoconError, type HoconValue } from "./values.ts";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-hocon-"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

type Plain = string | Plain[] | { [name: string]: Plain };

/** Converts scalars to text. */
function plain(value: HoconValue): Plain {
  if (value.kind === "scalar") return value.text;
  if (value.kind === "list") return value.items.map(plain);
  return Object.fromEntries(Array.from(value.members, ([name, inner]) => [name, plain(inner)]));
}

const environment = new Map([["HOME_OF_TEST", "/home/test"]]);

function read(text: string): Plain {
  return plain(readHocon(file("main.conf", text), (name) => environment.get(name)).root);
}

function refusal(text: string): string {
  try {
    read(text);
  } catch (error) {
    if (error instanceof HoconError) return error.message.replace(`${folder}/`, "");
    throw error;
  }
  throw new Error("This text was read");
}

/** Results of the format's own library for the same texts: recorded with com.typesafe:config 1.4.2. */
const recorded: readonly (readonly [string, string, Plain])[] = [
  ["braces around all, commas, line ends", "{ a = 1, b : 2\nc = 3, }", { a: "1", b: "2", c: "3" }],
  [
    "a line end before the sign and behind it",
    "a\n = 1\nb\n{ x = 1 }\nc =\n 4",
    { a: "1", b: { x: "1" }, c: "4" },
  ],
  ["comments of both kinds", "// c\n# d\na = 1 // x\nb = 2 # y\nc = x//y", { a: "1", b: "2", c: "x" }],
  [
    "paths as names",
    '"x.y".z = 2\n10.0foo = 3\na b.c = 4',
    { "x.y": { z: "2" }, "10": { "0foo": "3" }, "a b": { c: "4" } },
  ],
  ["words next to each other", 'a = 5 minutes\nb = "q" r  "s"', { a: "5 minutes", b: "q r  s" }],
  [
    "numbers as they are written",
    "a = 1.50\nb = 1e+5\nc = 007\nd = -3\ne = .5",
    { a: "1.50", b: "1e+5", c: "007", d: "-3", e: ".5" },
  ],
  ["escapes", '"\\u0041" = "\\t\\n\\/"', { A: "\t\n/" }],
  ["three quotes", 'a = """x "y" \\n"""\nb = """x""""\nc = """\nm"""', { a: 'x "y" \\n', b: 'x"', c: "\nm" }],
  ["lists over lines, without commas", "a = [1\n2,\n3,\n]\nb = [ ]", { a: ["1", "2", "3"], b: [] }],
  ["a later object adds", "a { x = 1 }\na.y = 2\na = { x : 3 }", { a: { x: "3", y: "2" } }],
  ["a text between two objects hides the first", "a { b = 2 }\na = 1\na { c = 3 }", { a: { c: "3" } }],
  ["null hides too", "a { b = 1 }\na = null\na { c = 2 }", { a: { c: "2" } }],
  ["+=", "a = [1]\na += 2\nb += 3", { a: ["1", "2"], b: ["3"] }],
  ["a substitution of what comes later", "b = ${a}0\na = 5", { a: "5", b: "50" }],
  [
    "of the last value",
    "bar : { foo : 42, baz : ${bar.foo} }\nbar.foo = 43",
    { bar: { foo: "43", baz: "43" } },
  ],
  [
    "across objects",
    "bar : { a : ${foo.d}, b : 1 }\nbar.b = 3\nfoo : { c : ${bar.b}, d : 2 }\nfoo.d = 4",
    { bar: { a: "4", b: "3" }, foo: { c: "3", d: "4" } },
  ],
  ["of itself: what was before", 'p = a\np = ${p}":b"\np = ${p}":c"', { p: "a:b:c" }],
  ["of itself, where nothing was before", "a = ${?a}x", { a: "x" }],
  [
    "of a part of itself",
    "foo : { a : { c : 1 } }\nfoo : ${foo.a}\nfoo : { a : 2 }",
    { foo: { a: "2", c: "1" } },
  ],
  ["in a circle of optional ones", "a = ${?b}\nb = ${?a}", {}],
  [
    "of an object that is then added to",
    "a : ${b}\nb { y : 2 }\na { z : 3 }",
    { a: { y: "2", z: "3" }, b: { y: "2" } },
  ],
  ["of an object with its own member", "o = { n = 1 }\no = ${o} { m = ${o.n} }", { o: { n: "1", m: "1" } }],
  ["of an object in which it stands: nothing", "d { c = ${?d}, e = 1 }", { d: { e: "1" } }],
  ["lists put together", "a = [1] [2]\nb = ${a} [3]", { a: ["1", "2"], b: ["1", "2", "3"] }],
  ["an absent one leaves what was", "a = 1\na = ${?NOTHING}", { a: "1" }],
  ["an absent one in a text and in a list", "a = x${?N}\nb = [${?N}, 1]", { a: "x", b: ["1"] }],
  [
    "from the environment",
    'a = ${HOME_OF_TEST}"/x"\nb = ${?HOME_OF_TEST}',
    { a: "/home/test/x", b: "/home/test" },
  ],
  [
    "what the file sets, not the environment",
    "HOME_OF_TEST = 1\na = ${HOME_OF_TEST}",
    { HOME_OF_TEST: "1", a: "1" },
  ],
];

test.each(recorded)("%s", (_, text, value) => expect(read(text)).toEqual(value));

describe("refuses with the line", () => {
  test.each([
    ["a brace that is not closed", "a {\nb = 1", "main.conf:2: unclosed brace"],
    ["a bracket that is not closed", "a = [1", "main.conf:1: unclosed bracket"],
    ["a quote that is not closed", 'x = 1\na = "secret', "main.conf:2: unclosed quote"],
    ["three quotes that are not closed", 'a = """secret"', 'main.conf:1: unclosed three quotes (""")'],
    ["a name without a value", "a\n", "main.conf:2: expected =, : or { after a name"],
    ["a value that is missing", "a = \n}", "main.conf:2: missing value"],
    [
      "an address without quotes",
      "a = 1.2.3.4:80",
      "main.conf:1: expected a line end or a comma after the value",
    ],
    ["a dollar without a brace", "a = $x", "main.conf:1: $ must be quoted"],
    ["two commas", "a = 1,,b = 2", "main.conf:1: expected a name"],
    ["an empty name", "a..b = 1", "main.conf:1: empty name"],
    ["a brace too many", "a = 1 }", "main.conf:1: expected a line end or a comma after the value"],
    ["a list as the whole", "[1]", "main.conf:1: expected names with values, found a list"],
    ["an unknown escape", 'a = "\\q"', "main.conf:1: invalid escape sequence in quotes"],
    ["what is set nowhere", "x = 1\na = ${b.c}", "main.conf:2: ${b.c} is not set, or refers to itself"],
    ["a circle", "a = ${b}\nb = ${a}", "main.conf:2: ${a} is not set, or refers to itself"],
    [
      "a text with an object",
      "a = ${b} {c:1}\nb = 5",
      "main.conf:1: cannot concatenate values of different types",
    ],
    ["+= within a list", "a = [{ b += 1 }]", "main.conf:1: += is not allowed within a list"],
    ["depth", `a = ${"[".repeat(65)}`, "main.conf:1: objects and lists are nested more than 64 deep"],
    ["a long path", `${"a.".repeat(64)}a = 1`, "main.conf:1: a name has more than 64 parts"],
  ])("%s", (_, text, message) => expect(refusal(text)).toBe(message));

  test("refuses substitutions that expand to a huge value", () => {
    const doubled = Array.from({ length: 40 }, (_, i) => `a${i + 1} = \${a${i}}\${a${i}}`).join("\n");
    expect(refusal(`a0 = xx\n${doubled}`)).toMatch(/too large$/);
    expect(refusal(`a0 = [x, x]\n${doubled}`)).toMatch(/too large$/);
    const objects = Array.from({ length: 40 }, (_, i) => `a${i + 1} = { l = \${a${i}}, r = \${a${i}} }`).join(
      "\n",
    );
    expect(refusal(`a0 = [x, x]\n${objects}`)).toMatch(/too large$/);
    const everyOther = Array.from(
      { length: 12 },
      (_, i) => `a${i} = ${Array.from({ length: 12 }, (_, j) => `\${?a${j}}`).join("")}`,
    ).join("\n");
    expect(refusal(everyOther)).toMatch(/too large$/);
    const chain = Array.from({ length: 300 }, (_, i) => `a${i} = \${a${i + 1}}`).join("\n");
    expect(refusal(`${chain}\na300 = 1`)).toMatch(/the chain of substitutions is too long$/);
  });
});

describe("include", () => {
  beforeAll(() => {
    mkdirSync(join(folder, "sub"));
    file("inc.conf", "x = 1\nr = ${x}\n");
    file("outer.conf", "r = ${x}\n");
    file("data.json", '{"j": [1, {"k": null}]}');
    file("sub/a.conf", 'include "b.conf"\n');
    file("sub/b.conf", "b = ${?b}1\n");
    file("old.properties", "a=1");
    file("circle.conf", 'include "circle.conf"');
  });

  test.each<[string, string, Plain]>([
    ["what comes later wins", 'x = 0\ninclude "inc.conf"\nx = 2', { x: "2", r: "2" }],
    [
      "within an object, paths begin there",
      'sub { include "inc.conf" }\na = ${sub.r}',
      { sub: { x: "1", r: "1" }, a: "1" },
    ],
    [
      "and at the outermost after that",
      'x = 3\nsub { include file("outer.conf") }',
      { x: "3", sub: { r: "3" } },
    ],
    ["without its ending", 'include "inc"', { x: "1", r: "1" }],
    ["JSON", 'include "data"', { j: ["1", { k: "null" }] }],
    ["relative to the file that includes", 'b = 0\ninclude "sub/a.conf"', { b: "01" }],
    ["a file that is not there", 'include "nothing"\na = 1', { a: "1" }],
    ["a file that must be there", 'include required(file("inc.conf"))', { x: "1", r: "1" }],
    ["as a part of a name, or a value", 'a include = include "x"', { "a include": "include x" }],
  ])("%s", (_, text, value) => expect(read(text)).toEqual(value));

  test.each([
    ["a URL", 'include url("http://127.0.0.1/x.conf")', /^main\.conf:1: only files can be included/],
    [
      "a URL without the word",
      'include "https://127.0.0.1/x.conf"',
      /^main\.conf:1: only files can be included/,
    ],
    ["a classpath", 'a = 1\ninclude classpath("mine.conf")', /^main\.conf:2: .*not classpath resources$/],
    [
      "a required file that is not there",
      'include required("nothing")',
      /:1: cannot read the required file nothing$/,
    ],
    ["a file of properties", 'include "old.properties"', /:1: properties files are not supported/],
    ["a circle", 'include "circle"', /^circle\.conf:1: circle\.conf includes itself$/],
    ["no quotes", "include file(x)", /:1: the included name must be quoted$/],
    ["a bracket that is not closed", 'include file("x"', /:1: unclosed bracket of the include$/],
  ])("refuses %s", (_, text, message) => expect(refusal(text)).toMatch(message));

  test("the reference's defaults have no effect, with a warning", () => {
    const path = file("main.conf", 'include classpath("application.conf")\na = 1');
    const { root, warnings } = readHocon(path, () => undefined);
    expect(plain(root)).toEqual({ a: "1" });
    expect(warnings.join("\n")).toMatch(
      /main\.conf:1: include classpath\("application\.conf"\) has no effect/,
    );
  });

  test("limits size, number and depth", () => {
    file("large.conf", `# ${"x".repeat(2 ** 20)}`);
    expect(refusal('include "large"')).toMatch(/^large\.conf:1: .*exceeds 1 MiB$/);
    expect(refusal('include "inc"\n'.repeat(101))).toMatch(/more than 100 files/);
    for (let i = 0; i < 20; i++) file(`deep${i}.conf`, `include "deep${i + 1}"`);
    file("deep20.conf", "a = 1");
    expect(refusal('include "deep0"')).toMatch(/more than 16 deep$/);
  });
});

test("parses any JSON", () => {
  const texts = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(texts)
      : typeof value === "object" && value !== null
        ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, texts(inner)]))
        : String(value);
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue({ maxDepth: 4 })),
      fc.boolean(),
      (value, wide) => {
        const json = JSON.stringify(value, undefined, wide ? 2 : undefined);
        expect(read(json)).toEqual(texts(JSON.parse(json)));
      },
    ),
    { numRuns: 60, seed: 7 },
  );
});

test("parses any text or names the line of the problem", () => {
  const pieces = [
    "a",
    ".",
    "=",
    ":",
    "{",
    "}",
    "[",
    "]",
    ",",
    '"',
    '"""',
    "${",
    "${?",
    "}",
    "+=",
    "\n",
    " ",
    "#",
    "//",
    "\\",
    "include",
    "1",
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 30 }), (parts) => {
      try {
        read(parts.join(""));
      } catch (error) {
        expect(error).toBeInstanceOf(HoconError);
      }
    }),
    { numRuns: 200, seed: 7 },
  );
});
