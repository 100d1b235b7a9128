/** The walk of the estimator that does what the rules say, step by step, and as fast as it can be done. Page 08 §12. */
import { ScriptParseError } from "../errors.ts";
import { type EstimatorProgram, Op, undeclared } from "./estimator-program.ts";

/** What a word of the code does, in its lowest bits; its operand is above them. */
const OP_BITS = 3;
const OP_MASK = (1 << OP_BITS) - 1;
/** Uses a name: the operand. */
const REF = 0;
/** Declares a name with the value whose code begins at the next word. */
const LET = 1;
/** Begins a branch; the operand is what it costs always. The code of the branch follows. */
const IF = 2;
/** Ends the first branch and begins the second one; the operand is what that costs always. */
const ELSE = 3;
/** Ends the second branch. */
const END_IF = 4;
/** Ends a value, or the program. */
const END = 5;
/** Fails with the message of that number. */
const FAIL = 6;

/**
 * State of a name. Above zero: declared and not used, with a value whose code begins there. Whatever was used is alike,
 * and so is what was there from the start.
 */
const USED = 0;
const UNDECLARED = -1;

/** The code of a program: each value begins with what it costs always. The program itself begins at `FIRST`. */
const FIRST = 1;

interface Code {
  readonly words: Int32Array;
  /** Branches that can be under way at once, and values, at most. */
  readonly branches: number;
  readonly values: number;
  /** Changes of names on one way through the program, at most: every step is on it once at most. */
  readonly changes: number;
}

/** A part of a block that is still to be written: from a step on, and what comes behind it. */
interface PendingBlock {
  readonly block: number;
  step: number;
  readonly last: number;
  /** The second branch, behind a first one. */
  readonly other: number | undefined;
}

/** Lays blocks out one after the other: branches where they stand, values by themselves. */
function layOut({ blocks }: EstimatorProgram): Code {
  const words: number[] = new Array<number>(FIRST).fill(0);
  const starts = new Map<number, number>();
  const values = [0];
  /** Places of words that name a value whose place is not known yet. */
  const open: { readonly at: number; readonly block: number }[] = [];
  let branches = 0;
  let changes = 0;
  for (let next = 0; next < values.length; next++) {
    const value = values[next];
    starts.set(value, words.length);
    words.push(blocks[value].base);
    const rests: PendingBlock[] = [{ block: value, step: 0, last: END, other: undefined }];
    for (let rest = rests.at(-1); rest !== undefined; rest = rests.at(-1)) {
      const { steps } = blocks[rest.block];
      if (rest.step === steps.length) {
        rests.pop();
        if (rest.other === undefined) words.push(rest.last);
        else {
          words.push(ELSE | (blocks[rest.other].base << OP_BITS));
          rests.push({ block: rest.other, step: 0, last: END_IF, other: undefined });
        }
        continue;
      }
      const op = steps[rest.step];
      const a = steps[rest.step + 1];
      const b = steps[rest.step + 2];
      rest.step += 3;
      switch (op) {
        case Op.Let:
          changes++;
          open.push({ at: words.length + 1, block: b });
          values.push(b);
          words.push(LET | (a << OP_BITS), 0);
          break;
        case Op.Ref:
          changes++;
          words.push(REF | (a << OP_BITS));
          break;
        case Op.If:
          branches++;
          words.push(IF | (blocks[a].base << OP_BITS));
          rests.push({ block: a, step: 0, last: END_IF, other: b });
          break;
        default:
          words.push(FAIL | (a << OP_BITS));
      }
    }
  }
  for (const { at, block } of open) words[at] = starts.get(block) ?? 0;
  return { words: Int32Array.from(words), branches, values: values.length, changes };
}

/** Numbers kept of a branch under way: the cost before it and of the first one, and two lengths. */
const BRANCH = 4;

/**
 * Cost of a program; undefined when it takes more than `maxWork`. Work: steps, and names changed by branches.
 * @throws ScriptParseError for unknown names and functions
 */
export function plainCost(program: EstimatorProgram, maxWork: number): number | undefined {
  const code = layOut(program);
  const { words } = code;
  const states = new Int32Array(program.names.length).fill(UNDECLARED);
  states.fill(USED, 0, program.predeclared);
  /** Two numbers a change: the name, and its state before. */
  const trail = new Int32Array(2 * code.changes + 2);
  let trailEnd = 0;
  /** What first branches wrote whose second ones are under way: two numbers a change, the name and its state. */
  let kept = new Int32Array(1024);
  let keptEnd = 0;
  const returns = new Int32Array(code.values + 1);
  let depth = 0;
  // Costs can be larger than 32 bits.
  const branches = new Float64Array(BRANCH * (code.branches + 1));
  let branch = -BRANCH;
  let left = maxWork;
  let at = FIRST + 1;
  let cost = words[FIRST];
  for (;;) {
    const word = words[at++];
    const operand = word >> OP_BITS;
    switch (word & OP_MASK) {
      case REF: {
        left--;
        const state = states[operand];
        if (state === USED) break;
        if (state === UNDECLARED) throw new ScriptParseError(undeclared(program.names[operand]));
        trail[trailEnd] = operand;
        trail[trailEnd + 1] = state;
        trailEnd += 2;
        states[operand] = USED;
        returns[depth++] = at;
        cost += words[state];
        at = state + 1;
        break;
      }
      case LET:
        left--;
        trail[trailEnd] = operand;
        trail[trailEnd + 1] = states[operand];
        trailEnd += 2;
        // The name stays declared behind the end of its block, as in the reference.
        states[operand] = words[at++];
        break;
      case IF:
        if (--left < 0) return undefined;
        branch += BRANCH;
        branches[branch] = cost;
        branches[branch + 1] = trailEnd;
        cost = operand;
        break;
      case ELSE: {
        const start = branches[branch + 1];
        const length = trailEnd - start;
        left -= length >> 1;
        branches[branch + 2] = cost;
        branches[branch + 3] = keptEnd;
        if (keptEnd + length > kept.length) {
          const larger = new Int32Array(2 * (keptEnd + length));
          larger.set(kept);
          kept = larger;
        }
        // From the last one to the first one.
        while (trailEnd > start) {
          trailEnd -= 2;
          const name = trail[trailEnd];
          kept[keptEnd++] = name;
          kept[keptEnd++] = states[name];
          states[name] = trail[trailEnd + 1];
        }
        cost = operand;
        break;
      }
      case END_IF: {
        const first = branches[branch + 2];
        const keptStart = branches[branch + 3];
        // A tie takes what the second branch changed.
        if (first > cost) {
          const start = branches[branch + 1];
          while (trailEnd > start) {
            trailEnd -= 2;
            states[trail[trailEnd]] = trail[trailEnd + 1];
          }
          // In the order in which they were made: of several of one name, the last one stays.
          left -= (keptEnd - keptStart) >> 1;
          for (let i = keptEnd - 2; i >= keptStart; i -= 2) {
            const name = kept[i];
            trail[trailEnd] = name;
            trail[trailEnd + 1] = states[name];
            trailEnd += 2;
            states[name] = kept[i + 1];
          }
          cost = first;
        }
        keptEnd = keptStart;
        cost += branches[branch];
        branch -= BRANCH;
        break;
      }
      case END:
        if (depth === 0) return cost;
        at = returns[--depth];
        break;
      default:
        throw new ScriptParseError(program.messages[operand]);
    }
  }
}
