/** The plain estimator: follows the rules step by step, on compact code. Page 08 §12. */
import { ScriptParseError } from "../errors.ts";
import { type EstimatorProgram, Op, undeclared } from "./estimator-program.ts";

/** The lowest bits of a code word are the operation, the rest its operand. */
const OP_BITS = 3;
const OP_MASK = (1 << OP_BITS) - 1;
const REF = 0;
/** Declares a name. The next word is its value's address. */
const LET = 1;
/** Begins a branch with base cost `operand`; its code follows. */
const IF = 2;
/** Ends the first branch and begins the second, with base cost `operand`. */
const ELSE = 3;
const END_IF = 4;
const END = 5;
const FAIL = 6;

/** State of a name. Above zero: declared, unused, and the address of its value. Predeclared names count as used. */
const USED = 0;
const UNDECLARED = -1;

/** Each value begins with its base cost; the program begins at `FIRST`. */
const FIRST = 1;

interface Code {
  readonly words: Int32Array;
  /** Upper bounds of simultaneously active branches and values. */
  readonly branches: number;
  readonly values: number;
  /** Upper bound of name changes: each step runs at most once. */
  readonly changes: number;
}

/** A block not yet emitted from `step` on, and its final operation. */
interface PendingBlock {
  readonly block: number;
  step: number;
  readonly last: number;
  /** The second branch, if this is the first. */
  readonly other: number | undefined;
}

/** Emits blocks sequentially: branches inline, values separately. */
function layOut({ blocks }: EstimatorProgram): Code {
  const words: number[] = new Array<number>(FIRST).fill(0);
  const starts = new Map<number, number>();
  const values = [0];
  /** Words that refer to a value whose address is not known yet. */
  const unresolved: { readonly at: number; readonly block: number }[] = [];
  let branches = 0;
  let changes = 0;
  for (let next = 0; next < values.length; next++) {
    const value = values[next];
    starts.set(value, words.length);
    words.push(blocks[value].base);
    const stack: PendingBlock[] = [{ block: value, step: 0, last: END, other: undefined }];
    for (let rest = stack.at(-1); rest !== undefined; rest = stack.at(-1)) {
      const { steps } = blocks[rest.block];
      if (rest.step === steps.length) {
        stack.pop();
        if (rest.other === undefined) words.push(rest.last);
        else {
          words.push(ELSE | (blocks[rest.other].base << OP_BITS));
          stack.push({ block: rest.other, step: 0, last: END_IF, other: undefined });
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
          unresolved.push({ at: words.length + 1, block: b });
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
          stack.push({ block: a, step: 0, last: END_IF, other: b });
          break;
        default:
          words.push(FAIL | (a << OP_BITS));
      }
    }
  }
  for (const { at, block } of unresolved) words[at] = starts.get(block) ?? 0;
  return { words: Int32Array.from(words), branches, values: values.length, changes };
}

/** Numbers per active branch: cost before it, cost of its first branch, and two lengths. */
const BRANCH = 4;

/**
 * Returns the cost, or undefined above `maxWork`: steps, and names changed by branches.
 * @throws ScriptParseError for unknown names and functions
 */
export function plainCost(program: EstimatorProgram, maxWork: number): number | undefined {
  const code = layOut(program);
  const { words } = code;
  const states = new Int32Array(program.names.length).fill(UNDECLARED);
  states.fill(USED, 0, program.predeclared);
  /** Two numbers per change: name and previous state. */
  const trail = new Int32Array(2 * code.changes + 2);
  let trailEnd = 0;
  /** Writes of first branches with an active second branch. Two numbers per change: name and state. */
  let savedWrites = new Int32Array(1024);
  let savedEnd = 0;
  const returns = new Int32Array(code.values + 1);
  let depth = 0;
  // Costs can exceed 32 bits.
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
        // Like the reference, names stay declared after their block.
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
        branches[branch + 3] = savedEnd;
        if (savedEnd + length > savedWrites.length) {
          const larger = new Int32Array(2 * (savedEnd + length));
          larger.set(savedWrites);
          savedWrites = larger;
        }
        while (trailEnd > start) {
          trailEnd -= 2;
          const name = trail[trailEnd];
          savedWrites[savedEnd++] = name;
          savedWrites[savedEnd++] = states[name];
          states[name] = trail[trailEnd + 1];
        }
        cost = operand;
        break;
      }
      case END_IF: {
        const first = branches[branch + 2];
        const savedStart = branches[branch + 3];
        // In a tie, the second branch's writes stay.
        if (first > cost) {
          const start = branches[branch + 1];
          while (trailEnd > start) {
            trailEnd -= 2;
            states[trail[trailEnd]] = trail[trailEnd + 1];
          }
          // In original order: a name's last write wins.
          left -= (savedEnd - savedStart) >> 1;
          for (let i = savedEnd - 2; i >= savedStart; i -= 2) {
            const name = savedWrites[i];
            trail[trailEnd] = name;
            trail[trailEnd + 1] = states[name];
            trailEnd += 2;
            states[name] = savedWrites[i + 1];
          }
          cost = first;
        }
        savedEnd = savedStart;
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
