import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesValue, table } from "../codecs.ts";
import { heightKey } from "../keys.ts";
import { Overlay } from "./overlay.ts";

const rows = table(0x7e, "rows", heightKey, bytesValue);
const other = table(0x7d, "other", heightKey, bytesValue);

/** Keys around byte boundaries, where numeric and text order could differ. */
const key = fc.constantFrom(
  0,
  1,
  9,
  10,
  0x7f,
  0x80,
  0xff,
  0x100,
  0x17f,
  0xffff,
  0x1_0000,
  0x7fff_ffff,
  0x8000_0000,
);

const change = fc.oneof(
  fc.record({ kind: fc.constant("put" as const), key, value: fc.nat(255), isOpened: fc.boolean() }),
  fc.record({ kind: fc.constant("remove" as const), key }),
  fc.record({ kind: fc.constant("range" as const) }),
);

const bounds = fc.record(
  { from: key, to: key, reverse: fc.boolean(), limit: fc.nat(8) },
  { requiredKeys: [] },
);

type Change = typeof change extends fc.Arbitrary<infer C> ? C : never;

function apply(target: Overlay, model: Map<number, number>, changes: readonly Change[]): void {
  for (const step of changes) {
    if (step.kind === "put") {
      if (step.isOpened) {
        const row = target.open(rows, step.key);
        expect(row.value?.[0]).toBe(model.get(step.key));
        target.putOpened(rows, row, Uint8Array.of(step.value));
        expect(row.value?.[0]).toBe(step.value);
      } else target.put(rows, step.key, Uint8Array.of(step.value));
      model.set(step.key, step.value);
    } else if (step.kind === "remove") {
      target.remove(rows, step.key);
      model.delete(step.key);
    } else expect(listed(target, {})).toEqual(expected(model, {}));
  }
}

type Range = typeof bounds extends fc.Arbitrary<infer B> ? B : never;

function listed(target: Overlay, options: Range): [number, number][] {
  return [...target.range(rows, options)].map(([at, value]) => [at, value[0]]);
}

function expected(
  model: ReadonlyMap<number, number>,
  { from, to, reverse, limit }: Range,
): [number, number][] {
  const all = [...model].filter(([at]) => at >= (from ?? 0) && at < (to ?? Number.POSITIVE_INFINITY));
  all.sort(([a], [b]) => (reverse === true ? b - a : a - b));
  return all.slice(0, limit);
}

describe("an overlay", () => {
  it("behaves like a map, alone and over other layers", () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(change, { maxLength: 20 }), { minLength: 1, maxLength: 4 }),
        fc.array(bounds, { maxLength: 6 }),
        fc.boolean(),
        (layers, ranges, merge) => {
          const model = new Map<number, number>();
          let top = new Overlay();
          apply(top, model, layers[0]);
          const below: Overlay[] = [];
          for (const changes of layers.slice(1)) {
            below.push(top);
            top = new Overlay(top);
            apply(top, model, changes);
          }
          if (merge) {
            for (let lower = below.pop(); lower !== undefined; lower = below.pop()) {
              top.mergeInto(lower);
              top = lower;
            }
          }
          for (const options of [{}, ...ranges])
            expect(listed(top, options)).toEqual(expected(model, options));
          for (const [at, value] of model) expect(top.get(rows, at)).toEqual(Uint8Array.of(value));
          expect([...top.range(other)]).toEqual([]);
        },
      ),
      { numRuns: 400, seed: 4 },
    );
  });

  it("stays in order when rows change during a scan", () => {
    const base = new Overlay();
    for (const at of [10, 20, 30, 40]) base.put(rows, at, Uint8Array.of(at));
    const top = new Overlay(base);
    top.put(rows, 25, Uint8Array.of(25));
    const seen: number[] = [];
    for (const [at, value] of top.range(rows)) {
      seen.push(value[0]);
      if (at === 20) {
        top.put(rows, 28, Uint8Array.of(28));
        top.put(rows, 5, Uint8Array.of(5));
        top.remove(rows, 30);
        top.put(rows, 40, Uint8Array.of(41));
      }
    }
    expect(seen).toEqual([10, 20, 25, 28, 41]);
  });

  it("sorts many keys that arrive in any order", () => {
    const top = new Overlay();
    top.put(rows, 1, Uint8Array.of(1));
    // The first scan builds the order, which is then maintained.
    expect([...top.range(rows)]).toHaveLength(1);
    for (let i = 0; i < 5_000; i++) top.put(rows, (i * 2_654_435_761) % 100_003, Uint8Array.of(1));
    const keys = [...top.range(rows)].map(([at]) => at);
    expect(keys).toEqual([...new Set(keys)].sort((a, b) => a - b));
    expect(keys.length).toBeGreaterThan(4_990);
    expect([...top.range(rows, { reverse: true })].map(([at]) => at)).toEqual([...keys].reverse());
  });

  it("refuses to insert a row twice, unless it was removed", () => {
    const top = new Overlay();
    top.insert(rows, 1, Uint8Array.of(1));
    expect(() => top.insert(rows, 1, Uint8Array.of(2))).toThrow("inserted twice");
    top.remove(rows, 1);
    top.insert(rows, 1, Uint8Array.of(3));
    expect(top.get(rows, 1)).toEqual(Uint8Array.of(3));
  });

  it("forgets everything when it is discarded", () => {
    const base = new Overlay();
    base.put(rows, 1, Uint8Array.of(1));
    const top = new Overlay(base);
    top.put(rows, 1, Uint8Array.of(2));
    top.addEntry({ id: 9 }, new Uint8Array(8), { height: 1, position: 0 });
    top.discard();
    expect(top.get(rows, 1)).toEqual(Uint8Array.of(1));
    expect([...top.findEntries({ id: 9 }, new Uint8Array(8))]).toEqual([]);
  });
});
