/** The rule of pattern matching. Page 08 §3.1, §4. */
import { at, border, comments, invalid, name, rest } from "./lexical.ts";
import {
  build,
  choice,
  cut,
  literal,
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

const missingTypes: Parser<Part<string>[]> = build(rest, (position) => [{ position, invalid: MISSING_TYPE }]);
const caseTypes: Parser<Part<string>[]> = build(
  optional(
    sequence(
      literal(":"),
      space,
      comments,
      space,
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
  build(
    sequence(
      choice(
        "variable",
        name,
        build(literal("_"), () => undefined),
      ),
      space,
      comments,
      space,
      caseTypes,
    ),
    ([variable, types]): CaseHead => ({ variable, types }),
  ),
  build(rest, (position): CaseHead => ({ variable: { position, invalid: INVALID_CASE }, types: [] })),
);

const caseRule = (expression: Parser<Node>): Parser<Case> =>
  build(
    sequence(
      mark,
      literal("case"),
      border,
      space,
      comments,
      cut,
      space,
      caseHead,
      space,
      comments,
      space,
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
        found ?? invalid("expected expression", (types.at(-1) ?? variable)?.position.end ?? start, end),
      position: at(start, end),
    }),
  );

/** `match x { case … }`. @param expression the rule of any expression */
export const matchRule = (expression: Parser<Node>): Parser<Node> =>
  build(
    sequence(
      mark,
      literal("match"),
      border,
      cut,
      space,
      expression,
      space,
      literal("{"),
      space,
      comments,
      space,
      repeat(caseRule(expression), { spaced: true, separator: comments }),
      space,
      comments,
      space,
      literal("}"),
      mark,
    ),
    ([start, subject, cases, end]): Node =>
      cases.length === 0
        ? invalid("pattern matching requires case branches", start, end)
        : { kind: "match", subject, cases, position: at(start, end) },
  );
