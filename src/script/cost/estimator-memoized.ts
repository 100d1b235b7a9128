/** Caches a value's cost by the states of the names that it reads. Page 08 §12. */
import { ScriptParseError } from "../errors.ts";
import { type EstimatorProgram, Op, undeclaredText } from "./estimator-program.ts";

const MAX_RESULTS_PER_VALUE = 16;
/** Maximum names in cached results; above it, the cache is cleared. */
const MAX_CACHED_NAMES = 500_000;

export interface WorkLimits {
  /** Each reused result raises this limit by the saved work, up to `max`. */
  readonly initial: number;
  readonly max: number;
}

class EstimateLimitError extends Error {}

/** Returns undefined above the work limits. */
export function memoizedCost(program: EstimatorProgram, limits: WorkLimits): number | undefined {
  try {
    return new MemoizedEstimator(program, limits).run();
  } catch (error) {
    if (error instanceof EstimateLimitError) return undefined;
    throw error;
  }
}

// A name's state: UNDECLARED, PREDECLARED, or 2 * (block of its value) + 2, plus 1 after its first use.
const UNDECLARED = 0;
const PREDECLARED = 1;
const declared = (block: number) => 2 * block + 2;
const isUsed = (state: number) => (state & 1) === 1;
const blockOf = (state: number) => state / 2 - 1;

/** Two numbers per name: the name and its state. */
type States = readonly number[];

interface CachedResult {
  readonly cost: number;
  /** Work without the cache. */
  readonly work: number;
  readonly reads: States;
  readonly writes: States;
}

/** State of an active block, reused at the same depth. */
class Frame {
  block = 0;
  step = 0;
  cost = 0;
  kind: "value" | "whenTrue" | "whenFalse" = "value";
  trailStart = 0;
  /** In `whenFalse`: cost and writes of the first branch. */
  firstCost = 0;
  firstWrites: States = [];
  /** In `value`: clock at the start. */
  startedAt = 0;
  /** In `value`: work done and saved before the start. */
  workBefore = 0;
  /** In `value`: by name, reads of states that are older than `startedAt`. */
  readonly reads = new Map<number, Read>();
}

interface Read {
  readonly state: number;
  /** Clock when the name got this state. */
  readonly since: number;
}

class MemoizedEstimator {
  readonly #program: EstimatorProgram;
  readonly #limits: WorkLimits;
  readonly #states: Int32Array;
  readonly #since: Float64Array;
  /** Three numbers per change: name, previous state and its `#since`. */
  readonly #trail: number[] = [];
  readonly #frames: Frame[] = [];
  #depth = 0;
  /** Active values, innermost last. */
  readonly #values: Frame[] = [];
  readonly #cache = new Map<number, CachedResult[]>();
  #cachedNames = 0;
  /** Logical time: counts state changes and starts of values. */
  #clock = 0;
  #work = 0;
  /** Work that cached results have saved. */
  #saved = 0;

  constructor(program: EstimatorProgram, limits: WorkLimits) {
    this.#program = program;
    this.#limits = limits;
    this.#states = new Int32Array(program.names.length).fill(UNDECLARED);
    this.#states.fill(PREDECLARED, 0, program.predeclared);
    this.#since = new Float64Array(program.names.length);
  }

  run(): number {
    const { blocks } = this.#program;
    let frame = this.#enter(0, "value");
    for (;;) {
      const { steps, base } = blocks[frame.block];
      if (frame.step < steps.length) {
        const at = frame.step;
        frame.step += 3;
        frame = this.#step(frame, steps[at], steps[at + 1], steps[at + 2]);
      } else {
        const cost = frame.cost + base;
        this.#depth--;
        if (this.#depth === 0) return cost;
        frame = this.#leave(frame, this.#frames[this.#depth - 1], cost);
      }
    }
  }

  /** `Op` defines `a` and `b`. */
  #step(frame: Frame, op: number, a: number, b: number): Frame {
    this.#addWork(1);
    switch (op) {
      case Op.Let:
        // As in the reference, the name stays declared after its block.
        this.#set(a, declared(b));
        return frame;
      case Op.Ref:
        return this.#use(frame, a);
      case Op.If:
        return this.#enter(a, "whenTrue");
      default:
        throw new ScriptParseError(this.#program.messages[a]);
    }
  }

  /** A name's first use adds its value's cost. */
  #use(frame: Frame, name: number): Frame {
    const state = this.#states[name];
    if (state === UNDECLARED) {
      throw new ScriptParseError(undeclaredText(this.#program.names[name]));
    }
    this.#recordRead(name, state, this.#since[name]);
    if (isUsed(state)) return frame;
    this.#set(name, state + 1);
    const block = blockOf(state);
    const cached = this.#findCached(block);
    if (cached === undefined) return this.#enter(block, "value");
    for (let i = 0; i < cached.reads.length; i += 2) {
      this.#recordRead(cached.reads[i], cached.reads[i + 1], this.#since[cached.reads[i]]);
    }
    this.#apply(cached.writes);
    this.#saved += cached.work;
    frame.cost += cached.cost;
    return frame;
  }

  #enter(block: number, kind: Frame["kind"]): Frame {
    if (this.#depth === this.#frames.length) this.#frames.push(new Frame());
    const frame = this.#frames[this.#depth++];
    frame.block = block;
    frame.step = 0;
    frame.cost = 0;
    frame.kind = kind;
    frame.trailStart = this.#trail.length;
    if (kind === "value") {
      frame.startedAt = ++this.#clock;
      frame.workBefore = this.#work + this.#saved;
      frame.reads.clear();
      this.#values.push(frame);
    }
    return frame;
  }

  #leave(frame: Frame, parent: Frame, cost: number): Frame {
    switch (frame.kind) {
      case "value":
        this.#finishValue(frame, cost);
        parent.cost += cost;
        return parent;
      case "whenTrue": {
        const writes = this.#writesSince(frame.trailStart);
        this.#undo(frame.trailStart);
        // Operand `b` of the parent's last step, an `If`.
        const second = this.#enter(this.#program.blocks[parent.block].steps[parent.step - 1], "whenFalse");
        second.firstCost = cost;
        second.firstWrites = writes;
        return second;
      }
      case "whenFalse":
        // If the costs are equal, the second branch's writes stay.
        if (frame.firstCost > cost) {
          this.#undo(frame.trailStart);
          this.#apply(frame.firstWrites);
        }
        parent.cost += Math.max(frame.firstCost, cost);
        return parent;
    }
  }

  #finishValue(frame: Frame, cost: number): void {
    this.#values.pop();
    this.#addWork(frame.reads.size);
    const reads: number[] = [];
    for (const [name, { state, since }] of frame.reads) {
      reads.push(name, state);
      this.#recordRead(name, state, since);
    }
    const writes = this.#writesSince(frame.trailStart);
    const cached = { cost, work: this.#work + this.#saved - frame.workBefore, reads, writes };
    this.#cachedNames += (reads.length + cached.writes.length) / 2;
    if (this.#cachedNames > MAX_CACHED_NAMES) {
      this.#cache.clear();
      this.#cachedNames = 0;
    }
    const list = this.#cache.get(frame.block);
    if (list === undefined) this.#cache.set(frame.block, [cached]);
    else {
      list.unshift(cached);
      if (list.length > MAX_RESULTS_PER_VALUE) list.pop();
    }
  }

  #findCached(block: number): CachedResult | undefined {
    return this.#cache.get(block)?.find(({ reads }) => {
      for (let i = 0; i < reads.length; i += 2) {
        this.#addWork(1);
        if (this.#states[reads[i]] !== reads[i + 1]) return false;
      }
      return true;
    });
  }

  /** Records a read for the innermost value, unless that value set the state. */
  #recordRead(name: number, state: number, since: number): void {
    const value = this.#values.at(-1);
    if (value === undefined || since >= value.startedAt || value.reads.has(name)) return;
    value.reads.set(name, { state, since });
  }

  #addWork(work: number): void {
    this.#work += work;
    const { initial, max } = this.#limits;
    if (this.#work > Math.min(initial + this.#saved, max)) throw new EstimateLimitError();
  }

  #set(name: number, state: number): void {
    this.#trail.push(name, this.#states[name], this.#since[name]);
    this.#states[name] = state;
    this.#since[name] = ++this.#clock;
  }

  #writesSince(start: number): States {
    const length = this.#trail.length - start;
    if (length === 0) return [];
    this.#addWork(length / 3);
    if (length === 3) return [this.#trail[start], this.#states[this.#trail[start]]];
    const names = new Set<number>();
    for (let i = start; i < this.#trail.length; i += 3) names.add(this.#trail[i]);
    const writes: number[] = [];
    for (const name of names) writes.push(name, this.#states[name]);
    return writes;
  }

  #undo(start: number): void {
    const trail = this.#trail;
    for (let i = trail.length - 3; i >= start; i -= 3) {
      this.#states[trail[i]] = trail[i + 1];
      this.#since[trail[i]] = trail[i + 2];
    }
    trail.length = start;
  }

  #apply(writes: States): void {
    this.#addWork(writes.length / 2);
    for (let i = 0; i < writes.length; i += 2) this.#set(writes[i], writes[i + 1]);
  }
}
