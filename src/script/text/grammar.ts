/** The grammar of the language, rule by rule as page 08 §3.1 has it, and the tree it makes (§4). */
import {
  at,
  booleanLiteral,
  border,
  byteLiteral,
  comments,
  digit,
  endOfText,
  invalid,
  junk,
  name,
  newLines,
  number,
  reference,
  restOfLine,
  spaceAhead,
  string,
} from "./lexical.ts";
import { matchRule } from "./match-rule.ts";
import {
  build,
  choice,
  cut,
  lazy,
  literal,
  mark,
  nocut,
  not,
  nothing,
  optional,
  type Parser,
  repeat,
  sequence,
  silent,
  space,
} from "./peg.ts";
import type { BinaryOperator, Let, Node, Part } from "./syntax.ts";

/**
 * The reference tries a second choice here, which can never succeed where the first fails; it shows only in how the
 * failure is named.
 */
const expression: Parser<Node> = choice(
  String.raw`(binaryOp | comment.rep(sep = CharIn(" \t\r\n").rep) ~ baseAtom ~ comment.rep(sep = CharIn(" \t\r\n").rep))`,
  lazy(() => logical),
);

/** An index and what stands there. */
interface Placed {
  readonly index: number;
  readonly node: Node | undefined;
}

/** The index behind a word (and white space), and the expression there if there is one. */
const placed: Parser<Placed> = build(sequence(mark, space, optional(expression)), ([index, node]) => ({
  index,
  node,
}));

/** A branch: where its word would stand, and what stands behind the word if it is there. */
interface Branch {
  readonly index: number;
  readonly content: Placed | undefined;
}

function branch(word: string): Parser<Branch> {
  return build(
    sequence(mark, space, optional(sequence(literal(word), cut, space, placed))),
    ([index, found]) => ({ index, content: found?.[0] }),
  );
}

const thenBranch = branch("then");
const elseBranch = branch("else");

function branchNode({ index, content }: Branch, which: "true" | "false"): Node {
  if (content === undefined) return invalid(`expected a ${which} branch`, index);
  return content.node ?? invalid(`expected a ${which} branch's expression`, content.index);
}

function ifNode(start: number, end: number, condition: Node, whenTrue: Node, whenFalse: Node): Node {
  return { kind: "if", condition, whenTrue, whenFalse, position: at(start, end) };
}

const ifExpression: Parser<Node> = choice(
  "if",
  build(
    sequence(mark, literal("if"), border, cut, space, placed, space, thenBranch, space, elseBranch, mark),
    ([start, condition, whenTrue, whenFalse, end]) =>
      ifNode(
        start,
        end,
        condition.node ?? invalid("expected a condition", condition.index),
        branchNode(whenTrue, "true"),
        branchNode(whenFalse, "false"),
      ),
  ),
  build(
    sequence(mark, literal("then"), border, cut, space, placed, space, elseBranch, mark),
    ([start, whenTrue, whenFalse, end]) =>
      ifNode(
        start,
        end,
        invalid("expected a condition", start),
        branchNode({ index: start, content: whenTrue }, "true"),
        branchNode(whenFalse, "false"),
      ),
  ),
  build(sequence(mark, literal("else"), border, cut, space, placed, mark), ([start, whenFalse, end]) =>
    ifNode(
      start,
      end,
      invalid("expected a condition", start),
      invalid("expected a true branch", start),
      branchNode({ index: start, content: whenFalse }, "false"),
    ),
  ),
);

const letRule: Parser<Let> = build(
  sequence(
    mark,
    literal("let"),
    spaceAhead,
    cut,
    space,
    comments,
    space,
    mark,
    space,
    optional(name),
    space,
    comments,
    space,
    mark,
    space,
    optional(sequence(literal("="), cut, space, placed)),
    mark,
  ),
  ([start, nameIndex, found, valueIndex, value, end]): Let => ({
    name: found ?? { position: at(nameIndex), invalid: "expected a variable's name" },
    value:
      value === undefined
        ? invalid("expected a value", valueIndex)
        : (value[0].node ?? invalid("expected a value's expression", value[0].index)),
    position: at(start, end),
  }),
);

const body = optional(choice("body", expression, junk));
const tail: Parser<{ readonly body: Node | undefined } | { readonly missing: number }> = choice(
  "tail",
  build(sequence(nothing, space, literal(";"), cut, space, body), ([found]) => ({ body: found })),
  build(sequence(newLines, cut, space, body), ([found]) => ({ body: found })),
  build(sequence(mark, restOfLine), ([index]) => ({ missing: index })),
);

const block: Parser<Node> = build(
  sequence(mark, repeat(letRule, { min: 1 }), cut, space, nothing, tail, mark),
  ([start, lets, found, end]) => {
    const last =
      "missing" in found
        ? invalid("expected ';'", found.missing)
        : (found.body ?? invalid("expected a body", end));
    return lets.reduceRight<Node>(
      (inner, declaration) => ({ kind: "block", declaration, body: inner, position: at(start, end) }),
      last,
    );
  },
);

const callArguments: Parser<Node[]> = build(
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

const referenceOrCall: Parser<Node> = build(
  sequence(
    mark,
    sequence(mark, reference, mark),
    optional(sequence(literal("("), cut, space, callArguments, space, literal(")"))),
    mark,
  ),
  ([start, [nameStart, value, nameEnd], called, end]): Node =>
    called === undefined
      ? { kind: "ref", name: value, position: at(start, end) }
      : {
          kind: "call",
          name: { position: at(nameStart, nameEnd), value },
          arguments: called[0],
          position: at(start, end),
        },
);

const base: Parser<Node> = choice(
  "operand",
  build(sequence(literal("{"), space, expression, space, literal("}")), ([node]) => node),
  build(sequence(literal("("), space, expression, space, literal(")")), ([node]) => node),
  referenceOrCall,
);

type Accessor =
  | { readonly field: Part<string>; readonly end: number }
  | { readonly index: Node; readonly start: number; readonly end: number };

const accessor: Parser<Accessor> = choice(
  "accessor",
  build(
    sequence(
      nothing,
      space,
      comments,
      space,
      mark,
      space,
      literal("."),
      cut,
      space,
      comments,
      space,
      name,
      mark,
    ),
    ([, field, end]): Accessor => ({ field, end }),
  ),
  build(
    sequence(mark, literal("["), cut, space, expression, space, literal("]"), mark),
    ([start, index, end]): Accessor => ({ index, start, end }),
  ),
);

const access: Parser<Node> = build(
  sequence(mark, base, mark, repeat(nocut(accessor), { spaced: true })),
  ([start, first, , accessors]) =>
    accessors.reduce<Node>((object, found) => {
      const position = at(start, found.end);
      if ("field" in found) return { kind: "getter", object, field: found.field, position };
      const called = { position: at(found.start, found.end), value: "getElement" };
      return { kind: "call", name: called, arguments: [object, found.index], position };
    }, first),
);

const atom: Parser<Node> = build(
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
      booleanLiteral("true", true),
      booleanLiteral("false", false),
      block,
      access,
    ),
    space,
    comments,
  ),
  ([node]) => node,
);

function unaryNode(operator: string, start: number, operand: Node, end: number): Node {
  const position = at(start, end);
  return { kind: "call", name: { position, value: operator }, arguments: [operand], position };
}

const unary: Parser<Node> = choice(
  "unary",
  build(
    sequence(
      mark,
      literal("-"),
      not(digit),
      space,
      lazy(() => unary),
      mark,
    ),
    ([start, operand, end]) => unaryNode("-", start, operand, end),
  ),
  build(
    sequence(
      mark,
      literal("!"),
      space,
      lazy(() => unary),
      mark,
    ),
    ([start, operand, end]) => unaryNode("!", start, operand, end),
  ),
  atom,
);

/** How an operator is written in the text, and what must not follow it. */
type Spelling = BinaryOperator | "<" | "<=";

function binaryNode(left: Node, written: Spelling, right: Node, start: number): Node {
  const position = at(start, right.position.end);
  // Stored the other way round, so that the right operand is evaluated first.
  if (written === "<" || written === "<=") {
    return { kind: "binary", left: right, operator: written === "<" ? ">" : ">=", right: left, position };
  }
  return { kind: "binary", left, operator: written, right, position };
}

/** A level of binary operators, which associate to the left. */
function level(operand: Parser<Node>, ...operators: readonly Spelling[]): Parser<Node> {
  const operator = choice(
    "operator",
    ...operators.map((text) => {
      const sign = literal(text);
      const whole = text === ">" || text === "<" ? silent(sequence(sign, not(literal("=")))) : sign;
      return build(whole, (): Spelling => text);
    }),
  );
  const right = choice(
    "operand",
    nocut(operand),
    build(mark, (index) => invalid("expected a second operator", index)),
  );
  return build(
    sequence(mark, operand, space, repeat(sequence(operator, space, right), { spaced: true })),
    ([start, first, others]) =>
      others.reduce((left, [written, node]) => binaryNode(left, written, node, start), first),
  );
}

const multiplicative = level(unary, "*", "/", "%");
const additive = level(multiplicative, "+", "-");
const comparison = level(additive, ">", ">=", "<", "<=");
const equality = level(comparison, "==", "!=");
const logical = level(equality, "||", "&&");

/** A whole program. */
export const program: Parser<Node> = build(
  sequence(nothing, space, choice("(baseExpr | invalid)", expression, junk), space, endOfText),
  ([node]) => node,
);
