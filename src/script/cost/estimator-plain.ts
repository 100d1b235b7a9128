/** Page 08 §12. */
import { ScriptParseError } from "../errors.ts";
import { type EstimatorProgram, Op, undeclaredText } from "./estimator-program.ts";

/** A code word has the operation in its lowest bits, and the operand above them. */
const OP_BITS = 3;
const OP_MASK = (1 << OP_BITS) - 1;
/** Uses the name `operand`. */
const REF = 0;
/** Declares the name `operand`. The next word is its value's address. */
const LET = 1;
/** Begins the first branch, with base cost `operand`. */
const IF = 2;
/** Begins the second branch, with base cost `operand`. */
const ELSE = 3;
const END_IF = 4;
const END = 5;
const FAIL = 6;

/** State of a used or predeclared name. The state of an unused name is the address of its value. */
const USED = 0;
const UNDECLARED = -1;

/** Address of the program. The word at an address is the base cost. */
const PROGRAM_ADDRESS = 1;

interface Code {
  readonly words: Int32Array;
  /** Upper bounds of nested `if`s and values. */
  readonly maxIfs: number;
  readonly maxValues: number;
  /** Upper bound of the trail: one change per step. */
  readonly maxChanges: number;
}

/** A block whose steps from `step` on are not emitted yet. */
interface PendingBlock {
  readonly block: number;
  step: number;
  readonly endOp: number;
  readonly secondBranch: number | undefined;
}

function emitCode({ blocks }: EstimatorProgram): Code {
  const words: number[] = new Array<number>(PROGRAM_ADDRESS).fill(0);
  const addresses = new Map<number, number>();
  const valueBlocks = [0];
  const unresolved: { readonly at: number; readonly block: number }[] = [];
  let ifs = 0;
  let changes = 0;
  for (let next = 0; next < valueBlocks.length; next++) {
    const value = valueBlocks[next];
    addresses.set(value, words.length);
    words.push(blocks[value].base);
    const stack: PendingBlock[] = [{ block: value, step: 0, endOp: END, secondBranch: undefined }];
    for (let pending = stack.at(-1); pending !== undefined; pending = stack.at(-1)) {
      const { steps } = blocks[pending.block];
      if (pending.step === steps.length) {
        stack.pop();
        if (pending.secondBranch === undefined) words.push(pending.endOp);
        else {
          words.push(ELSE | (blocks[pending.secondBranch].base << OP_BITS));
          stack.push({ block: pending.secondBranch, step: 0, endOp: END_IF, secondBranch: undefined });
        }
        continue;
      }
      const op = steps[pending.step];
      const a = steps[pending.step + 1];
      const b = steps[pending.step + 2];
      pending.step += 3;
      switch (op) {
        case Op.Let:
          changes++;
          unresolved.push({ at: words.length + 1, block: b });
          valueBlocks.push(b);
          words.push(LET | (a << OP_BITS), 0);
          break;
        case Op.Ref:
          changes++;
          words.push(REF | (a << OP_BITS));
          break;
        case Op.If:
          ifs++;
          words.push(IF | (blocks[a].base << OP_BITS));
          stack.push({ block: a, step: 0, endOp: END_IF, secondBranch: b });
          break;
        default:
          words.push(FAIL | (a << OP_BITS));
      }
    }
  }
  for (const { at, block } of unresolved) words[at] = addresses.get(block) ?? 0;
  return { words: Int32Array.from(words), maxIfs: ifs, maxValues: valueBlocks.length, maxChanges: changes };
}

/** Numbers per active `if`: earlier cost, earlier trail length, first branch's cost, start of that branch's writes. */
const IF_SIZE = 4;

/**
 * Returns undefined above `maxWork`, which limits steps, and writes that an `if` undoes or repeats.
 * @throws ScriptParseError for unknown names and functions
 */
export function plainCost(program: EstimatorProgram, maxWork: number): number | undefined {
  const code = emitCode(program);
  const { words } = code;
  const states = new Int32Array(program.names.length).fill(UNDECLARED);
  states.fill(USED, 0, program.predeclared);
  /** Two numbers per change: name and previous state. */
  const trail = new Int32Array(2 * code.maxChanges + 2);
  let trailEnd = 0;
  /** First branches' writes while the second branch is active. Two numbers per write: name, state. */
  let savedWrites = new Int32Array(1024);
  let savedEnd = 0;
  const returnAddresses = new Int32Array(code.maxValues + 1);
  let depth = 0;
  // Costs can exceed 32 bits.
  const ifs = new Float64Array(IF_SIZE * (code.maxIfs + 1));
  let currentIf = -IF_SIZE;
  let workLeft = maxWork;
  let at = PROGRAM_ADDRESS + 1;
  let cost = words[PROGRAM_ADDRESS];
  for (;;) {
    const word = words[at++];
    const operand = word >> OP_BITS;
    switch (word & OP_MASK) {
      case REF: {
        workLeft--;
        const state = states[operand];
        if (state === USED) break;
        if (state === UNDECLARED) throw new ScriptParseError(undeclaredText(program.names[operand]));
        trail[trailEnd] = operand;
        trail[trailEnd + 1] = state;
        trailEnd += 2;
        states[operand] = USED;
        returnAddresses[depth++] = at;
        cost += words[state];
        at = state + 1;
        break;
      }
      case LET:
        workLeft--;
        trail[trailEnd] = operand;
        trail[trailEnd + 1] = states[operand];
        trailEnd += 2;
        // As in the reference, names stay declared after their block.
        states[operand] = words[at++];
        break;
      case IF:
        if (--workLeft < 0) return undefined;
        currentIf += IF_SIZE;
        ifs[currentIf] = cost;
        ifs[currentIf + 1] = trailEnd;
        cost = operand;
        break;
      case ELSE: {
        const start = ifs[currentIf + 1];
        const length = trailEnd - start;
        workLeft -= length >> 1;
        ifs[currentIf + 2] = cost;
        ifs[currentIf + 3] = savedEnd;
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
        const first = ifs[currentIf + 2];
        const savedStart = ifs[currentIf + 3];
        // In a tie, the second branch's writes stay.
        if (first > cost) {
          const start = ifs[currentIf + 1];
          while (trailEnd > start) {
            trailEnd -= 2;
            states[trail[trailEnd]] = trail[trailEnd + 1];
          }
          // In original order: a name's last write wins.
          workLeft -= (savedEnd - savedStart) >> 1;
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
        cost += ifs[currentIf];
        currentIf -= IF_SIZE;
        break;
      }
      case END:
        if (depth === 0) return cost;
        at = returnAddresses[--depth];
        break;
      default:
        throw new ScriptParseError(program.messages[operand]);
    }
  }
}
