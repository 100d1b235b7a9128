/** Reduces a tree to the steps that affect its cost. Page 08 §12. */
import { type Expression, type FunctionHeader, headerText } from "../expression.ts";

export interface EstimatorContext {
  readonly names: Iterable<string>;
  cost(header: FunctionHeader): number | undefined;
}

export const undeclaredText = (name: string): string => `ScriptValidator: Undeclared variable '${name}'`;

export const Op = {
  /** Declares name `a` with the value of block `b`. */
  Let: 0,
  /** Uses name `a`. */
  Ref: 1,
  /** Adds the higher cost of blocks `a` and `b`. */
  If: 2,
  /** Fails with message `a`. */
  Fail: 3,
} as const;

interface CostBlock {
  /** Cost without the values and branches that the steps add. */
  base: number;
  /** Three numbers per step: operation, `a`, `b`. */
  readonly steps: number[];
}

export interface EstimatorProgram {
  /** Block 0 is the program. */
  readonly blocks: readonly CostBlock[];
  readonly names: readonly string[];
  /** Number of context names, which are first in `names`. */
  readonly predeclared: number;
  readonly messages: readonly string[];
}

interface BranchBlocks {
  readonly kind: "branches";
  readonly trueBlock: number;
  readonly falseBlock: number;
}

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
  const expressions: Expression[] = [];
  const messages: string[] = [];
  const addBlock = (expression: Expression) => {
    blocks.push({ base: 0, steps: [] });
    expressions.push(expression);
    return blocks.length - 1;
  };

  addBlock(root);
  for (let i = 0; i < blocks.length; i++) {
    const block = blocks[i];
    const { steps } = block;
    const pending: (Expression | BranchBlocks)[] = [expressions[i]];
    for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
      switch (node.kind) {
        case "getter":
          block.base += 2;
          pending.push(node.object);
          break;
        case "block":
          block.base += 5;
          steps.push(Op.Let, idOf(node.name), addBlock(node.value));
          pending.push(node.body);
          break;
        case "ref":
          block.base += 2;
          steps.push(Op.Ref, idOf(node.name), 0);
          break;
        case "if": {
          const trueBlock = addBlock(node.whenTrue);
          pending.push({ kind: "branches", trueBlock, falseBlock: addBlock(node.whenFalse) }, node.condition);
          break;
        }
        case "branches":
          block.base += 1;
          steps.push(Op.If, node.trueBlock, node.falseBlock);
          break;
        case "call": {
          const cost = context.cost(node.header);
          if (cost === undefined) {
            // The reference checks a function before its arguments.
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
