import { describe, expect, it } from "vitest";
import { Equality } from "../evaluate/equality.ts";
import { logTexts } from "../evaluate/verdict.ts";
import { ADDRESS, TRANSFER } from "./object-types.ts";
import { TextBudget, valueText } from "./value-text.ts";
import { ObjectValue, OpaqueValue, unit, type Value } from "./values.ts";

const bytes = (...items: number[]) => Uint8Array.from(items);
const address = (...items: number[]) => new ObjectValue(ADDRESS, [bytes(...items)]);

const textOf = (value: Value, limit: number) => valueText(value, limit, new TextBudget(10_000_000));

describe("equality", () => {
  const values: readonly Value[] = [
    0n,
    1n,
    false,
    true,
    "",
    "1",
    bytes(),
    bytes(1),
    unit,
    [],
    [1n],
    [1n, 2n],
    [bytes(1)],
    address(1),
    address(2),
    new ObjectValue(ADDRESS, []),
    new ObjectValue(TRANSFER, [address(1), 1n]),
    new OpaqueValue("LangAddress", bytes(1)),
    new OpaqueValue("PublicKey", bytes(1)),
    new OpaqueValue("PublicKey", bytes(2)),
  ];

  it("holds only between values of the same kind and content", () => {
    for (const [i, a] of values.entries()) {
      for (const [j, b] of values.entries()) expect(new Equality().equal(a, b), `${i} ${j}`).toBe(i === j);
    }
  });

  it("compares contents, not identity", () => {
    expect(new Equality().equal([bytes(1), address(2)], [bytes(1), address(2)])).toBe(true);
    expect(
      new Equality().equal(new OpaqueValue("PublicKey", bytes(1)), new OpaqueValue("PublicKey", bytes(1))),
    ).toBe(true);
  });

  it("compares shared parts only once", () => {
    const shared = (end: bigint) => {
      let value: Value = end;
      for (let i = 0; i < 1_000; i++) value = new ObjectValue(TRANSFER, [value, value]);
      return value;
    };
    expect(new Equality().equal(shared(1n), shared(1n))).toBe(true);
    expect(new Equality().equal(shared(1n), shared(2n))).toBe(false);
  });

  /** Wraps bytes and counts the reads of their elements. */
  function counted(content: Uint8Array): { bytes: Uint8Array; reads(): number } {
    let reads = 0;
    const bytes = new Proxy(content, {
      get(target, key) {
        if (typeof key === "string" && /^\d/.test(key)) reads++;
        return Reflect.get(target, key, target);
      },
    });
    return { bytes, reads: () => reads };
  }

  it.each(["the same", "different"])("reads long parts once per run if the rest is %s", (rest) => {
    const equality = new Equality();
    const a = counted(new Uint8Array(100));
    const b = new Uint8Array(100);
    const tower = (end: bigint, part: Uint8Array) => {
      let value: Value = end;
      for (let i = 0; i < 50; i++) value = new ObjectValue(TRANSFER, [part, value]);
      return value;
    };
    const last = rest === "the same" ? 1n : 2n;
    for (let i = 0; i < 50; i++) {
      expect(equality.equal(tower(1n, a.bytes), tower(last, b))).toBe(rest === "the same");
    }
    expect(equality.equal(a.bytes, b)).toBe(true);
    expect(a.reads()).toBe(100);
  });

  it("caches differences without affecting equal parts", () => {
    const equality = new Equality();
    const [a, b, c] = [counted(bytes(1, 2)), counted(bytes(1, 2)), counted(bytes(1, 3))];
    const pair = (x: Value, y: Value) => new ObjectValue(TRANSFER, [x, y]);
    const [left, right] = [pair(a.bytes, c.bytes), pair(b.bytes, b.bytes)];
    for (let i = 0; i < 3; i++) {
      expect(equality.equal(left, right)).toBe(false);
      expect(equality.equal(a.bytes, b.bytes)).toBe(true);
      expect(equality.equal(c.bytes, b.bytes)).toBe(false);
      expect(equality.equal(pair(a.bytes, a.bytes), right)).toBe(true);
    }
    expect(a.reads()).toBe(2);
    expect(c.reads()).toBe(2);
  });
});

describe("texts", () => {
  it("remove blanks before a bar in objects, once per enclosing object", () => {
    const inner = new ObjectValue(ADDRESS, ["x\n  | |y\f\r\t|z\n|"]);
    expect(textOf(inner, 1_000)).toBe("\nAddress {\n  bytes -> x\n |y\fz\n\n}\n     ");
    expect(textOf(new ObjectValue(ADDRESS, [inner]), 1_000)).toContain("x\ny\fz\n");
    expect(textOf("x\n |y", 1_000)).toBe("x\n |y");
  });

  it("list fields in order, or in hash order if there are more than four", () => {
    expect(new ObjectValue(TRANSFER, [1n]).names).toEqual(["recipient"]);
    expect(textOf(new ObjectValue(TRANSFER, [unit, 1n]), 1_000)).toContain("recipient -> (), amount -> 1");
  });

  it("are undefined above their limit for any value", () => {
    let value: Value = "long enough";
    for (let i = 0; i < 1_000; i++) value = new ObjectValue(TRANSFER, [value, value]);
    expect(textOf(value, 1_000_000)).toBeUndefined();
    expect(textOf("12345", 5)).toBe("12345");
    expect(textOf("123456", 5)).toBeUndefined();
    expect(textOf(["123"], 11)).toBe("Vector(123)");
    const log = [
      { name: "a", value: 1n },
      { name: "b", value },
      { name: "c", error: "e" },
    ];
    expect(logTexts(log)).toEqual([
      { name: "a", value: "1" },
      { name: "b", value: "…" },
      { name: "c", error: "e" },
    ]);
  });

  it("are replaced above a log's work limit for hashed bytes, and for units written once per enclosing object", () => {
    const long = new Uint8Array(100_000);
    const texts = logTexts(Array.from({ length: 100 }, () => ({ name: "a", value: long })));
    const whole = `ByteVector(${long.length} bytes, #`;
    const written = texts.filter((entry) => "value" in entry && entry.value.startsWith(whole)).length;
    expect(written).toBe(
      Math.floor(2 ** 20 / (long.length + "ByteVector(100000 bytes, #-123456789)".length)),
    );
    expect(texts.at(-1)).toEqual({ name: "a", value: "…" });
    let nested: Value = "x".repeat(10_000);
    for (let i = 0; i < 1_000; i++) nested = new ObjectValue(ADDRESS, [nested]);
    expect(logTexts([{ name: "a", value: nested }])).toEqual([{ name: "a", value: "…" }]);
  });
});
