/**
 * The cost of a script: a static walk that decides whether the script is accepted at all. Page 08 §12.
 *
 * The rules make the walk exponential when it is done as they read: the value of a name is estimated anew for each
 * branch that uses it first. What an estimate depends on is little, though: the names it read. So the result for a
 * value is kept together with what it read and what it changed, and used again whenever it would read the same.
 */
import { ScriptParseError } from "./errors.ts";
import { type Expression, type FunctionHeader, headerText } from "./expression.ts";
import { run, type Task } from "./trampoline.ts";

/** What the estimator has to know beside the tree. */
export interface EstimatorContext {
  /** Names that are declared and used from the start. */
  readonly names: Iterable<string>;
  /** Cost of a function; undefined when there is none. */
  cost(header: FunctionHeader): number | undefined;
}

/**
 * Work that the plain walk may do: nodes visited, each time counted, and names changed. The reference has no limit and
 * needs many seconds for as much; whatever it can estimate with so much work gets exactly its verdict here. What takes
 * more is refused, unless keeping results makes it feasible: finding the cost is as hard as satisfying a formula.
 */
export const MAX_WORK = 2 ** 25;
/** Work of the walk that keeps results, bookkeeping included, before the plain walk is tried. */
const MAX_KEEPING_WORK = 2 ** 23;
/** Results kept for one value. */
const MAX_KEPT = 16;
/** Names in all kept results together; beyond it all are dropped. */
const MAX_KEPT_NAMES = 500_000;

/** The estimate takes more work than allowed. */
class TooMuchWork extends Error {}

/** A name on the way: the expression behind it (none for names that were there at the start), and whether it is paid. */
interface Name {
  readonly value: Expression | undefined;
  readonly used: boolean;
  /** When it got this state; counts up. */
  readonly since: number;
}

interface Kept {
  readonly cost: number;
  readonly reads: readonly (readonly [name: string, state: Name])[];
  readonly writes: readonly (readonly [name: string, state: Name])[];
}

/** The estimate of one value, while it is under way. */
interface Frame {
  readonly start: number;
  /** Names that it found as they were before it started. */
  readonly reads: Map<string, Name>;
}

/**
 * Cost of a tree.
 * @throws ScriptParseError for unknown names and functions, and when the estimate takes too much work
 */
export function estimate(expression: Expression, context: EstimatorContext): number {
  for (const keeping of [true, false]) {
    try {
      return new Estimator(context, keeping).estimate(expression);
    } catch (error) {
      if (!(error instanceof TooMuchWork)) throw error;
    }
  }
  throw new ScriptParseError(`Script is too complex: estimating it takes more than ${MAX_WORK} steps`);
}

class Estimator {
  readonly #context: EstimatorContext;
  readonly #keeping: boolean;
  readonly #names = new Map<string, Name>();
  /** Earlier states of changed names, so that a branch can be taken back. */
  readonly #trail: [name: string, before: Name | undefined][] = [];
  readonly #frames: Frame[] = [];
  readonly #kept = new Map<Expression, Kept[]>();
  #keptNames = 0;
  #clock = 0;
  #work = 0;

  constructor(context: EstimatorContext, keeping: boolean) {
    this.#context = context;
    this.#keeping = keeping;
    for (const name of context.names) this.#names.set(name, { value: undefined, used: true, since: 0 });
  }

  estimate(expression: Expression): number {
    return run(this.#cost(expression));
  }

  #count(work: number): void {
    this.#work += work;
    if (this.#work > (this.#keeping ? MAX_KEEPING_WORK : MAX_WORK)) throw new TooMuchWork();
  }

  *#cost(expression: Expression): Task<number> {
    this.#count(1);
    switch (expression.kind) {
      case "getter":
        return (yield this.#cost(expression.object)) + 2;
      case "block":
        // The name stays declared behind the end of the block, as in the reference.
        this.#set(expression.name, expression.value, false);
        return (yield this.#cost(expression.body)) + 5;
      case "ref": {
        const state = this.#get(expression.name);
        if (state.used || state.value === undefined) return 2;
        this.#set(expression.name, state.value, true);
        return (yield this.#costOfValue(state.value)) + 2;
      }
      case "if":
        return yield this.#costOfIf(expression.condition, expression.whenTrue, expression.whenFalse);
      case "call": {
        const cost = this.#context.cost(expression.header);
        if (cost === undefined) {
          throw new ScriptParseError(`ScriptValidator: Unknown function '${headerText(expression.header)}'`);
        }
        let sum = cost;
        for (const argument of expression.arguments) sum += yield this.#cost(argument);
        return sum;
      }
      default:
        return 1;
    }
  }

  *#costOfIf(condition: Expression, whenTrue: Expression, whenFalse: Expression): Task<number> {
    const conditionCost = yield this.#cost(condition);
    const start = this.#trail.length;
    const thenCost = yield this.#cost(whenTrue);
    const writes = this.#writesSince(start);
    this.#undo(start);
    const otherwiseCost = yield this.#cost(whenFalse);
    if (thenCost <= otherwiseCost) return conditionCost + otherwiseCost + 1;
    this.#undo(start);
    this.#apply(writes);
    return conditionCost + thenCost + 1;
  }

  /** Cost of the value behind a name, from what is kept if possible. */
  *#costOfValue(value: Expression): Task<number> {
    if (!this.#keeping) return yield this.#cost(value);
    const kept = this.#kept.get(value)?.find((one) => this.#stillReads(one));
    if (kept !== undefined) {
      for (const [name] of kept.reads) this.#get(name);
      this.#apply(kept.writes);
      return kept.cost;
    }
    const start = this.#trail.length;
    const frame: Frame = { start: ++this.#clock, reads: new Map() };
    this.#frames.push(frame);
    const cost = yield this.#cost(value);
    this.#frames.pop();
    this.#keep(value, { cost, reads: [...frame.reads], writes: this.#writesSince(start) });
    // What it found from outside, the one around it found too, unless it made it itself.
    for (const [name, state] of frame.reads) this.#noteRead(name, state);
    this.#count(frame.reads.size);
    return cost;
  }

  #stillReads(kept: Kept): boolean {
    this.#count(kept.reads.length);
    return kept.reads.every(([name, before]) => {
      const now = this.#names.get(name);
      return now !== undefined && now.value === before.value && now.used === before.used;
    });
  }

  #keep(value: Expression, kept: Kept): void {
    this.#keptNames += kept.reads.length + kept.writes.length;
    if (this.#keptNames > MAX_KEPT_NAMES) {
      this.#kept.clear();
      this.#keptNames = 0;
    }
    const list = this.#kept.get(value);
    if (list === undefined) this.#kept.set(value, [kept]);
    else {
      if (list.length === MAX_KEPT) list.shift();
      list.push(kept);
    }
  }

  #get(name: string): Name {
    const state = this.#names.get(name);
    if (state === undefined) {
      throw new ScriptParseError(`ScriptValidator: Undeclared variable '${name}'`);
    }
    this.#noteRead(name, state);
    return state;
  }

  #noteRead(name: string, state: Name): void {
    const frame = this.#frames.at(-1);
    if (frame !== undefined && state.since < frame.start) frame.reads.set(name, state);
  }

  #set(name: string, value: Expression | undefined, used: boolean): void {
    this.#trail.push([name, this.#names.get(name)]);
    this.#names.set(name, { value, used, since: ++this.#clock });
  }

  /** The states of all names changed since a point of the trail. */
  #writesSince(start: number): [name: string, state: Name][] {
    const writes = new Map<string, Name>();
    for (let i = start; i < this.#trail.length; i++) {
      const name = this.#trail[i][0];
      const state = this.#names.get(name);
      if (state !== undefined) writes.set(name, state);
    }
    this.#count(this.#trail.length - start);
    return [...writes];
  }

  #undo(start: number): void {
    for (let i = this.#trail.length - 1; i >= start; i--) {
      const [name, before] = this.#trail[i];
      if (before === undefined) this.#names.delete(name);
      else this.#names.set(name, before);
    }
    this.#trail.length = start;
  }

  #apply(writes: readonly (readonly [name: string, state: Name])[]): void {
    for (const [name, { value, used }] of writes) this.#set(name, value, used);
    this.#count(writes.length);
  }
}
