/** The grammar of page 08 §3.1, rule by rule. Parsing returns the tree of §4. */
import {
  booleanLiteral,
  byteLiteral,
  comments,
  digit,
  endOfText,
  gap,
  invalidNode,
  name,
  newLines,
  number,
  reference,
  restOfLine,
  spaceAhead,
  span,
  string,
  unparsableLine,
  wordBoundary,
} from "./lexical.ts";
import { matchRule } from "./match-rule.ts";
import {
  choice,
  cut,
  empty,
  lazy,
  literal,
  map,
  mark,
  nocut,
  not,
  optional,
  type Parser,
  repeat,
  type Silent,
  sequence,
  silent,
  space,
} from "./peg.ts";
import type { BinaryOperator, Let, Node, Part } from "./syntax.ts";

/**
 * The label is that of the reference node's grammar. The grammar's second option is omitted: it fails wherever the
 * first fails.
 */
const expression: Parser<Node> = choice(
  String.raw`(binaryOp | comment.rep(sep = CharIn(" \t\r\n").rep) ~ baseAtom ~ comment.rep(sep = CharIn(" \t\r\n").rep))`,
  lazy(() => logical),
);

interface ExpressionAt {
  readonly textIndex: number;
  readonly node: Node | undefined;
}

const expressionAt: Parser<ExpressionAt> = map(
  sequence(mark, space, optional(expression)),
  ([textIndex, node]) => ({
    textIndex,
    node,
  }),
);

interface Branch {
  readonly textIndex: number;
  /** Undefined if the word `then` or `else` is missing. */
  readonly content: ExpressionAt | undefined;
}

function branch(word: string): Parser<Branch> {
  return map(
    sequence(mark, space, optional(sequence(literal(word), cut, space, expressionAt))),
    ([textIndex, found]) => ({ textIndex, content: found?.[0] }),
  );
}

const thenBranch = branch("then");
const elseBranch = branch("else");

function branchNode({ textIndex, content }: Branch, which: "true" | "false"): Node {
  if (content === undefined) return invalidNode(`expected a ${which} branch`, textIndex);
  return content.node ?? invalidNode(`expected a ${which} branch's expression`, content.textIndex);
}

function ifNode(start: number, end: number, condition: Node, whenTrue: Node, whenFalse: Node): Node {
  return { kind: "if", condition, whenTrue, whenFalse, position: span(start, end) };
}

const ifExpression: Parser<Node> = choice(
  "if",
  map(
    sequence(
      mark,
      literal("if"),
      wordBoundary,
      cut,
      space,
      expressionAt,
      space,
      thenBranch,
      space,
      elseBranch,
      mark,
    ),
    ([start, condition, whenTrue, whenFalse, end]) =>
      ifNode(
        start,
        end,
        condition.node ?? invalidNode("expected a condition", condition.textIndex),
        branchNode(whenTrue, "true"),
        branchNode(whenFalse, "false"),
      ),
  ),
  map(
    sequence(mark, literal("then"), wordBoundary, cut, space, expressionAt, space, elseBranch, mark),
    ([start, whenTrue, whenFalse, end]) =>
      ifNode(
        start,
        end,
        invalidNode("expected a condition", start),
        branchNode({ textIndex: start, content: whenTrue }, "true"),
        branchNode(whenFalse, "false"),
      ),
  ),
  map(
    sequence(mark, literal("else"), wordBoundary, cut, space, expressionAt, mark),
    ([start, whenFalse, end]) =>
      ifNode(
        start,
        end,
        invalidNode("expected a condition", start),
        invalidNode("expected a true branch", start),
        branchNode({ textIndex: start, content: whenFalse }, "false"),
      ),
  ),
);

const letRule: Parser<Let> = map(
  sequence(
    mark,
    literal("let"),
    spaceAhead,
    cut,
    ...gap,
    mark,
    space,
    optional(name),
    ...gap,
    mark,
    space,
    optional(sequence(literal("="), cut, space, expressionAt)),
    mark,
  ),
  ([start, nameIndex, found, valueIndex, value, end]): Let => ({
    name: found ?? { position: span(nameIndex), invalid: "expected a variable's name" },
    value:
      value === undefined
        ? invalidNode("expected a value", valueIndex)
        : (value[0].node ?? invalidNode("expected a value's expression", value[0].textIndex)),
    position: span(start, end),
  }),
);

const body = optional(choice("body", expression, unparsableLine));
const tail: Parser<{ readonly body: Node | undefined } | { readonly missing: number }> = choice(
  "tail",
  map(sequence(empty, space, literal(";"), cut, space, body), ([found]) => ({ body: found })),
  map(sequence(newLines, cut, space, body), ([found]) => ({ body: found })),
  map(sequence(mark, restOfLine), ([index]) => ({ missing: index })),
);

const block: Parser<Node> = map(
  sequence(mark, repeat(letRule, { min: 1 }), cut, space, empty, tail, mark),
  ([start, lets, found, end]) => {
    const last =
      "missing" in found
        ? invalidNode("expected ';'", found.missing)
        : (found.body ?? invalidNode("expected a body", end));
    return lets.reduceRight<Node>(
      (inner, declaration) => ({ kind: "block", declaration, body: inner, position: span(start, end) }),
      last,
    );
  },
);

const callArguments: Parser<Node[]> = map(
  sequence(
    comments,
    space,
    repeat(expression, {
      spaced: true,
      separator: silent(sequence(comments, space, literal(","), space, comments)),
    }),
    space,
    comments,
  ),
  ([args]) => args,
);

const referenceOrCall: Parser<Node> = map(
  sequence(
    mark,
    sequence(mark, reference, mark),
    optional(sequence(literal("("), cut, space, callArguments, space, literal(")"))),
    mark,
  ),
  ([start, [nameStart, value, nameEnd], call, end]): Node =>
    call === undefined
      ? { kind: "ref", name: value, position: span(start, end) }
      : {
          kind: "call",
          name: { position: span(nameStart, nameEnd), value },
          arguments: call[0],
          position: span(start, end),
        },
);

const base: Parser<Node> = choice(
  "operand",
  map(sequence(literal("{"), space, expression, space, literal("}")), ([node]) => node),
  map(sequence(literal("("), space, expression, space, literal(")")), ([node]) => node),
  referenceOrCall,
);

type Accessor =
  | { readonly field: Part<string>; readonly end: number }
  | { readonly index: Node; readonly start: number; readonly end: number };

const accessor: Parser<Accessor> = choice(
  "accessor",
  map(
    sequence(empty, ...gap, mark, space, literal("."), cut, ...gap, name, mark),
    ([, field, end]): Accessor => ({ field, end }),
  ),
  map(
    sequence(mark, literal("["), cut, space, expression, space, literal("]"), mark),
    ([start, index, end]): Accessor => ({ index, start, end }),
  ),
);

const access: Parser<Node> = map(
  sequence(mark, base, mark, repeat(nocut(accessor), { spaced: true })),
  ([start, first, , accessors]) =>
    accessors.reduce<Node>((object, found) => {
      const position = span(start, found.end);
      if ("field" in found) return { kind: "getter", object, field: found.field, position };
      const functionName = { position: span(found.start, found.end), value: "getElement" };
      return { kind: "call", name: functionName, arguments: [object, found.index], position };
    }, first),
);

const atom: Parser<Node> = map(
  sequence(
    comments,
    space,
    choice(
      "atom",
      ifExpression,
      matchRule(expression),
      byteLiteral,
      string,
      number,
      booleanLiteral(true),
      booleanLiteral(false),
      block,
      access,
    ),
    space,
    comments,
  ),
  ([node]) => node,
);

function prefixOperator(functionName: string, operator: Parser<Silent>): Parser<Node> {
  const operand: Parser<Node> = lazy(() => unary);
  return map(sequence(mark, operator, space, operand, mark), ([start, argument, end]): Node => {
    const position = span(start, end);
    return { kind: "call", name: { position, value: functionName }, arguments: [argument], position };
  });
}

const unary: Parser<Node> = choice(
  "unary",
  prefixOperator("-", silent(sequence(literal("-"), not(digit)))),
  prefixOperator("!", literal("!")),
  atom,
);

type OperatorText = BinaryOperator | "<" | "<=";

function binaryNode(left: Node, operator: OperatorText, right: Node, start: number): Node {
  const position = span(start, right.position.end);
  // In the reference node, `a < b` is `b > a`, so b is evaluated first.
  if (operator === "<" || operator === "<=") {
    return { kind: "binary", left: right, operator: operator === "<" ? ">" : ">=", right: left, position };
  }
  return { kind: "binary", left, operator, right, position };
}

/** Parses left-associative operators of equal precedence. */
function operatorLevel(operand: Parser<Node>, ...operators: readonly OperatorText[]): Parser<Node> {
  const operator = choice(
    "operator",
    ...operators.map((text) => {
      const symbol = literal(text);
      const whole = text === ">" || text === "<" ? silent(sequence(symbol, not(literal("=")))) : symbol;
      return map(whole, (): OperatorText => text);
    }),
  );
  const right = choice(
    "operand",
    nocut(operand),
    // The reference node's text: the operand is missing.
    map(mark, (index) => invalidNode("expected a second operator", index)),
  );
  return map(
    sequence(mark, operand, space, repeat(sequence(operator, space, right), { spaced: true })),
    ([start, first, others]) =>
      others.reduce((left, [text, node]) => binaryNode(left, text, node, start), first),
  );
}

const multiplicative = operatorLevel(unary, "*", "/", "%");
const additive = operatorLevel(multiplicative, "+", "-");
const comparison = operatorLevel(additive, ">", ">=", "<", "<=");
const equality = operatorLevel(comparison, "==", "!=");
const logical = operatorLevel(equality, "||", "&&");

export const program: Parser<Node> = map(
  sequence(empty, space, choice("(baseExpr | invalid)", expression, unparsableLine), space, endOfText),
  ([node]) => node,
);
