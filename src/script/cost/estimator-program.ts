/** A tree made ready for the estimator: only what can change the cost is left of it. Page 08 §12. */
import { type Expression, type FunctionHeader, headerText } from "../expression.ts";

/** What the estimator has to know beside the tree. */
export interface EstimatorContext {
  /** Names that are declared and used from the start. */
  readonly names: Iterable<string>;
  /** Cost of a function; undefined when there is none. */
  cost(header: FunctionHeader): number | undefined;
}

/** What is said of a name that is not declared where it is used. */
export const undeclared = (name: string): string => `ScriptValidator: Undeclared variable '${name}'`;

/** Kinds of steps. */
export const Op = {
  /** Declares name `a` with the value of block `b`. */
  Let: 0,
  /** Uses name `a`. */
  Ref: 1,
  /** Takes the dearer of the blocks `a` and `b`. */
  If: 2,
  /** Fails with message `a`. */
  Fail: 3,
} as const;

/** Part of a tree that is estimated as a whole: the program, the value of a let, a branch. */
interface CostBlock {
  /** Cost of all that is always paid. */
  base: number;
  /** Three numbers a step, in the order of the walk: kind, `a`, `b`. */
  readonly steps: number[];
}

export interface EstimatorProgram {
  /** The first is the program itself. */
  readonly blocks: readonly CostBlock[];
  /** The names, those of the context first. */
  readonly names: readonly string[];
  /** How many of the names come from the context. */
  readonly predeclared: number;
  readonly messages: readonly string[];
}

/** An `if` whose condition has been walked. */
interface Branches {
  readonly kind: "branches";
  readonly whenTrue: number;
  readonly whenFalse: number;
}

/** Lays a tree out in blocks; work linear in its nodes. */
export function estimatorProgram(root: Expression, context: EstimatorContext): EstimatorProgram {
  const names: string[] = [];
  const ids = new Map<string, number>();
  const idOf = (name: string) => {
    const known = ids.get(name);
    if (known !== undefined) return known;
    ids.set(name, names.length);
    names.push(name);
    return names.length - 1;
  };
  for (const name of context.names) idOf(name);
  const predeclared = names.length;

  const blocks: CostBlock[] = [];
  const roots: Expression[] = [];
  const messages: string[] = [];
  const blockOf = (expression: Expression) => {
    blocks.push({ base: 0, steps: [] });
    roots.push(expression);
    return blocks.length - 1;
  };

  blockOf(root);
  for (let i = 0; i < blocks.length; i++) {
    const block = blocks[i];
    const { steps } = block;
    // What is still to be walked, the next one last.
    const pending: (Expression | Branches)[] = [roots[i]];
    for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
      switch (node.kind) {
        case "getter":
          block.base += 2;
          pending.push(node.object);
          break;
        case "block":
          block.base += 5;
          steps.push(Op.Let, idOf(node.name), blockOf(node.value));
          pending.push(node.body);
          break;
        case "ref":
          block.base += 2;
          steps.push(Op.Ref, idOf(node.name), 0);
          break;
        case "if": {
          const whenTrue = blockOf(node.whenTrue);
          pending.push({ kind: "branches", whenTrue, whenFalse: blockOf(node.whenFalse) }, node.condition);
          break;
        }
        case "branches":
          block.base += 1;
          steps.push(Op.If, node.whenTrue, node.whenFalse);
          break;
        case "call": {
          const cost = context.cost(node.header);
          if (cost === undefined) {
            // Looked for before the arguments are.
            messages.push(`ScriptValidator: Unknown function '${headerText(node.header)}'`);
            steps.push(Op.Fail, messages.length - 1, 0);
            pending.length = 0;
          } else {
            block.base += cost;
            for (let j = node.arguments.length - 1; j >= 0; j--) pending.push(node.arguments[j]);
          }
          break;
        }
        default:
          block.base += 1;
      }
    }
  }
  return { blocks, names, predeclared, messages };
}
