/** The `==` operator. Page 08 §13. */
import { bytesEqual } from "../../bytes/compare.ts";
import { isList, ObjectValue, OpaqueValue, type Value } from "../values/values.ts";
import { ScriptWork } from "./work.ts";

/** Work units per pair of values, per text character and per byte. */
const PAIR_WORK = 200;
const CHARACTER_WORK = 0.5;
const BYTE_WORK = 0.1;

/** Two values whose parts before `next` are equal. */
interface Comparison {
  readonly a: object;
  readonly b: object;
  readonly partsOfA: readonly Value[];
  readonly partsOfB: readonly Value[];
  next: number;
}

/** Compares each pair once per run: values share parts, so repeating could take exponential time. */
export class Equality {
  readonly #work: ScriptWork;
  /** Union-find forest of equal values. */
  readonly #parents = new Map<object, object>();
  readonly #unequal = new Map<object, Set<object>>();

  constructor(work: ScriptWork = new ScriptWork()) {
    this.#work = work;
  }

  /** @throws WorkLimitError */
  equal(first: Value, second: Value): boolean {
    const pending: Comparison[] = [];
    let isEqual = this.#compareShallow(first, second, pending);
    while (isEqual) {
      const innermost = pending.at(-1);
      if (innermost === undefined) return true;
      const { a, b, partsOfA, partsOfB, next } = innermost;
      if (next === partsOfA.length) {
        this.#markEqual(a, b);
        pending.pop();
      } else {
        innermost.next++;
        isEqual = this.#compareShallow(partsOfA[next], partsOfB[next], pending);
      }
    }
    for (const { a, b } of pending) this.#markUnequal(a, b);
    return false;
  }

  /** Returns false for different values. If parts must be compared, adds the pair to `pending` and returns true. */
  #compareShallow(a: Value, b: Value, pending: Comparison[]): boolean {
    this.#work.charge(PAIR_WORK);
    if (typeof a === "string" && typeof b === "string") {
      if (a.length === b.length) this.#work.charge(CHARACTER_WORK * a.length);
      return a === b;
    }
    if (a === b) return true;
    if (typeof a !== "object" || typeof b !== "object") return false;
    if (this.#areEqual(a, b)) return true;
    if (this.#unequal.get(a)?.has(b) === true) return false;
    if (a instanceof Uint8Array) {
      if (!(b instanceof Uint8Array)) return false;
      if (a.length === b.length) this.#work.charge(BYTE_WORK * a.length);
      const equal = bytesEqual(a, b);
      if (equal) this.#markEqual(a, b);
      else this.#markUnequal(a, b);
      return equal;
    }
    if (isList(a)) return isList(b) && this.#beginComparison(a, b, a, b, pending);
    if (a instanceof ObjectValue) {
      return (
        b instanceof ObjectValue &&
        a.type === b.type &&
        this.#beginComparison(a, b, a.values, b.values, pending)
      );
    }
    return (
      a instanceof OpaqueValue &&
      b instanceof OpaqueValue &&
      a.kind === b.kind &&
      bytesEqual(a.bytes, b.bytes)
    );
  }

  #beginComparison(
    a: object,
    b: object,
    partsOfA: readonly Value[],
    partsOfB: readonly Value[],
    pending: Comparison[],
  ): boolean {
    if (partsOfA.length !== partsOfB.length) return false;
    pending.push({ a, b, partsOfA, partsOfB, next: 0 });
    return true;
  }

  #areEqual(a: object, b: object): boolean {
    return this.#parents.has(a) && this.#parents.has(b) && this.#root(a) === this.#root(b);
  }

  #root(value: object): object {
    let root = value;
    for (let up = this.#parents.get(root); up !== undefined && up !== root; up = this.#parents.get(root)) {
      root = up;
    }
    for (let at = value; at !== root; ) {
      const up = this.#parents.get(at) ?? root;
      this.#parents.set(at, root);
      at = up;
    }
    return root;
  }

  #markEqual(a: object, b: object): void {
    const root = this.#root(b);
    this.#parents.set(root, root);
    this.#parents.set(this.#root(a), root);
  }

  #markUnequal(a: object, b: object): void {
    const unequal = this.#unequal.get(a);
    if (unequal === undefined) this.#unequal.set(a, new Set([b]));
    else unequal.add(b);
  }
}
