import { describe, expect, it } from "vitest";
import { ADDRESS, TRANSFER } from "./object-types.ts";
import { valueText } from "./value-text.ts";
import { ObjectValue, OpaqueValue, unit, type Value, valuesEqual } from "./values.ts";
import { logTexts } from "./verdict.ts";

const bytes = (...items: number[]) => Uint8Array.from(items);
const address = (...items: number[]) => new ObjectValue(ADDRESS, [bytes(...items)]);

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

  it("holds between values of one kind and content only", () => {
    for (const [i, a] of values.entries()) {
      for (const [j, b] of values.entries()) expect(valuesEqual(a, b), `${i} ${j}`).toBe(i === j);
    }
  });

  it("looks at contents, not at identity", () => {
    expect(valuesEqual([bytes(1), address(2)], [bytes(1), address(2)])).toBe(true);
    expect(valuesEqual(new OpaqueValue("PublicKey", bytes(1)), new OpaqueValue("PublicKey", bytes(1)))).toBe(
      true,
    );
  });

  it("takes no longer for values that share their parts than for those parts", () => {
    const shared = (end: bigint) => {
      let value: Value = end;
      for (let i = 0; i < 1_000; i++) value = new ObjectValue(TRANSFER, [value, value]);
      return value;
    };
    expect(valuesEqual(shared(1n), shared(1n))).toBe(true);
    expect(valuesEqual(shared(1n), shared(2n))).toBe(false);
  });
});

describe("texts", () => {
  it("drop blanks before a bar in objects, once for each object around them", () => {
    const inner = new ObjectValue(ADDRESS, ["x\n  | |y\f\r\t|z\n|"]);
    expect(valueText(inner, 1_000)).toBe("\nAddress {\n  bytes -> x\n |y\fz\n\n}\n     ");
    expect(valueText(new ObjectValue(ADDRESS, [inner]), 1_000)).toContain("x\ny\fz\n");
    expect(valueText("x\n |y", 1_000)).toBe("x\n |y");
  });

  it("list fields as they were given, or in hash order when there are more than four", () => {
    expect(new ObjectValue(TRANSFER, [1n]).names).toEqual(["recipient"]);
    expect(valueText(new ObjectValue(TRANSFER, [unit, 1n]), 1_000)).toContain("recipient -> (), amount -> 1");
  });

  it("end at a limit, however the value is made", () => {
    let value: Value = "long enough";
    for (let i = 0; i < 1_000; i++) value = new ObjectValue(TRANSFER, [value, value]);
    expect(valueText(value, 1_000_000)).toBeUndefined();
    expect(valueText("12345", 5)).toBe("12345");
    expect(valueText("123456", 5)).toBeUndefined();
    expect(valueText(["123"], 11)).toBe("Vector(123)");
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
});
