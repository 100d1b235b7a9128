/** Page 08 §3.1, §4. */
import { comments, gap, invalidNode, name, span, untilArrow, wordBoundary } from "./lexical.ts";
import {
  choice,
  cut,
  literal,
  map,
  mark,
  optional,
  type Parser,
  repeat,
  sequence,
  silent,
  space,
} from "./peg.ts";
import type { Case, Node, Part } from "./syntax.ts";

const INVALID_CASE = "invalid syntax, should be: `case varName: Type => expr` or `case _ => expr`";
const MISSING_TYPE = "the type for variable should be specified: `case varName: Type => expr`";

const missingTypes: Parser<Part<string>[]> = map(untilArrow, (position) => [
  { position, invalid: MISSING_TYPE },
]);
const caseTypes: Parser<Part<string>[]> = map(
  optional(
    sequence(
      literal(":"),
      ...gap,
      choice(
        "types",
        repeat(name, {
          min: 1,
          spaced: true,
          separator: silent(sequence(comments, space, literal("|"), space, comments)),
        }),
        missingTypes,
      ),
    ),
  ),
  (found) => found?.[0] ?? [],
);

interface CaseHead {
  readonly variable: Part<string> | undefined;
  readonly types: readonly Part<string>[];
}

const caseHead: Parser<CaseHead> = choice(
  "case",
  map(
    sequence(
      choice(
        "variable",
        name,
        map(literal("_"), () => undefined),
      ),
      ...gap,
      caseTypes,
    ),
    ([variable, types]): CaseHead => ({ variable, types }),
  ),
  map(untilArrow, (position): CaseHead => ({ variable: { position, invalid: INVALID_CASE }, types: [] })),
);

const caseRule = (expression: Parser<Node>): Parser<Case> =>
  map(
    sequence(
      mark,
      literal("case"),
      wordBoundary,
      space,
      comments,
      cut,
      space,
      caseHead,
      ...gap,
      literal("=>"),
      cut,
      space,
      optional(expression),
      mark,
    ),
    ([start, { variable, types }, found, end]): Case => ({
      variable,
      types,
      expression:
        found ?? invalidNode("expected expression", (types.at(-1) ?? variable)?.position.end ?? start, end),
      position: span(start, end),
    }),
  );

export const matchRule = (expression: Parser<Node>): Parser<Node> =>
  map(
    sequence(
      mark,
      literal("match"),
      wordBoundary,
      cut,
      space,
      expression,
      space,
      literal("{"),
      ...gap,
      repeat(caseRule(expression), { spaced: true, separator: comments }),
      ...gap,
      literal("}"),
      mark,
    ),
    ([start, subject, cases, end]): Node =>
      cases.length === 0
        ? invalidNode("pattern matching requires case branches", start, end)
        : { kind: "match", subject, cases, position: span(start, end) },
  );
