/** Formats compiled trees like source text, for readers. */
import { encodeBase58 } from "../bytes/base58.ts";
import { encodeBase64 } from "../bytes/base64.ts";
import type { BranchCosts } from "./cost/branch-costs.ts";
import type { Expression } from "./expression.ts";
import { functionName } from "./library/library.ts";

export type SourceToken =
  | { readonly kind: "keyword" | "name" | "function" | "value" | "sign"; readonly text: string }
  /** Cost of a run of the whole script that takes the branch after this token. */
  | { readonly kind: "cost"; readonly cost: number };

export interface SourceLine {
  /** In levels. */
  readonly indent: number;
  readonly tokens: readonly SourceToken[];
}

/**
 * Where a line begins if the enclosing brackets are split, because their content does not fit in a line. The brackets of
 * a branch are also split if the next outer brackets are.
 */
type Layout =
  | { readonly kind: "open" | "branch" | "close" | "comma" | "line" }
  /** Joins conditions. */
  | { readonly kind: "and"; readonly text: string };

type Piece = SourceToken | Layout;
type Parts = readonly (Expression | Piece)[];

/** In UTF-16 units. */
const MAX_LINE_LENGTH = 72;
/** In levels, to bound the result. */
const MAX_INDENT = 40;
/** Encoding longer bytes as Base58 takes long. */
const MAX_BASE58_BYTES = 64;
const COMPARISONS: readonly string[] = ["==", "!=", ">", ">="];
const OPERATORS: readonly string[] = [...COMPARISONS, "+", "-", "*", "/", "%"];

const sign = (text: string): SourceToken => ({ kind: "sign", text });
const keyword = (text: string): SourceToken => ({ kind: "keyword", text });
const value = (text: string): SourceToken => ({ kind: "value", text });
/** Script bytes can contain any text as a name. */
const nameText = (text: string): string => (/^[$@\w]+$/.test(text) ? text : JSON.stringify(text));
const name = (text: string): SourceToken => ({ kind: "name", text: nameText(text) });
const layout = (kind: "open" | "branch" | "close" | "comma" | "line"): Layout => ({ kind });
const bracketed = (node: Expression): Parts => [layout("open"), node, layout("close")];

/** `a && b` is compiled to `if (a) then b else false`, and `a || b` to `if (a) then true else b`. */
function logicalOf(node: Expression) {
  if (node.kind !== "if") return undefined;
  const { condition, whenTrue, whenFalse } = node;
  // Operands rarely begin with `let`, so the source probably had an `if`.
  if (whenTrue.kind === "block" || whenFalse.kind === "block") return undefined;
  if (whenFalse.kind === "boolean" && !whenFalse.value)
    return { text: "&&", operands: [condition, whenTrue] };
  if (whenTrue.kind === "boolean" && whenTrue.value) return { text: "||", operands: [condition, whenFalse] };
  return undefined;
}

function operatorOf(node: Expression): string | undefined {
  if (node.kind !== "call") return logicalOf(node)?.text;
  const called = functionName(node.header);
  return node.arguments.length === 2 && OPERATORS.includes(called) ? called : undefined;
}

/** @param outer `&&` or `||`, if it joins the operand */
function operand(node: Expression, outer?: string): Parts {
  const own = operatorOf(node);
  const isClear =
    own === undefined
      ? node.kind !== "if" && node.kind !== "block"
      : outer !== undefined && (own === outer || COMPARISONS.includes(own));
  return isClear ? [node] : bracketed(node);
}

function branch(node: Expression, cost: number | undefined): Parts {
  const note: Parts = cost === undefined ? [] : [{ kind: "cost", cost }];
  return [...note, layout("branch"), node, layout("close")];
}

function partsOf(node: Expression, costs: ReadonlyMap<Expression, BranchCosts>): Parts {
  const logical = logicalOf(node);
  if (logical !== undefined) {
    const { text, operands } = logical;
    return [...operand(operands[0], text), { kind: "and", text }, ...operand(operands[1], text)];
  }
  switch (node.kind) {
    case "long":
      return [value(String(node.value))];
    case "bytes":
      return node.value.length > MAX_BASE58_BYTES
        ? [value(`base64'${encodeBase64(node.value)}'`)]
        : [value(`base58'${encodeBase58(node.value)}'`)];
    case "string":
      return [value(JSON.stringify(node.value))];
    case "boolean":
      return [keyword(String(node.value))];
    case "ref":
      return [name(node.name)];
    case "getter":
      return [...operand(node.object), sign("."), name(node.field)];
    case "block": {
      const needsBrackets = node.value.kind === "block" || logicalOf(node.value) !== undefined;
      const bound: Parts = needsBrackets ? bracketed(node.value) : [node.value];
      return [keyword("let"), sign(" "), name(node.name), sign(" = "), ...bound, layout("line"), node.body];
    }
    case "if": {
      const cost = costs.get(node);
      return [
        ...[keyword("if"), sign(" "), ...bracketed(node.condition), sign(" ")],
        ...[keyword("then"), sign(" "), ...branch(node.whenTrue, cost?.whenTrue), sign(" ")],
        ...[keyword("else"), sign(" "), ...branch(node.whenFalse, cost?.whenFalse)],
      ];
    }
    case "call": {
      const operator = operatorOf(node);
      const [left, right] = node.arguments;
      if (operator !== undefined) return [...operand(left), sign(` ${operator} `), ...operand(right)];
      const called = functionName(node.header);
      if (node.arguments.length === 1 && (called === "!" || called === "-"))
        return [sign(called), ...operand(left)];
      const list = node.arguments.flatMap((argument, i) =>
        i === 0 ? [argument] : [layout("comma"), argument],
      );
      return [{ kind: "function", text: nameText(called) }, layout("open"), ...list, layout("close")];
    }
  }
}

const TOKEN_KINDS: readonly Piece["kind"][] = ["keyword", "name", "function", "value", "sign", "cost"];
const LAYOUT_KINDS: readonly Piece["kind"][] = ["open", "branch", "close", "comma", "line", "and"];
const PIECE_KINDS: ReadonlySet<string> = new Set([...TOKEN_KINDS, ...LAYOUT_KINDS]);

const isPiece = (item: Expression | Piece): item is Piece => PIECE_KINDS.has(item.kind);

function piecesOf(root: Expression, costs: ReadonlyMap<Expression, BranchCosts>): readonly Piece[] {
  const pieces: Piece[] = [];
  const pending: (Expression | Piece)[] = [root];
  for (let item = pending.pop(); item !== undefined; item = pending.pop())
    if (isPiece(item)) pieces.push(item);
    else pending.push(...partsOf(item, costs).toReversed());
  return pieces;
}

const lengthOf = (piece: Piece): number =>
  "text" in piece ? piece.text.length : piece.kind === "line" ? Number.POSITIVE_INFINITY : 1;

/** Returns the positions of opening brackets whose content does not fit in a line; -1 stands for the whole text. */
function longBrackets(pieces: readonly Piece[]): ReadonlySet<number> {
  const long = new Set<number>();
  const opened = [{ at: -1, length: 0 }];
  const close = (): void => {
    const bracket = opened.pop();
    if (bracket === undefined) return;
    if (bracket.length > MAX_LINE_LENGTH) long.add(bracket.at);
    const outer = opened.at(-1);
    if (outer !== undefined) outer.length += bracket.length;
  };
  for (const [at, piece] of pieces.entries()) {
    if (piece.kind === "open" || piece.kind === "branch") opened.push({ at, length: 0 });
    const bracket = opened.at(-1);
    if (bracket !== undefined) bracket.length += lengthOf(piece);
    if (piece.kind === "close") close();
  }
  close();
  return long;
}

/** @param costs of branches to show */
export function sourceLines(
  expression: Expression,
  costs: ReadonlyMap<Expression, BranchCosts> = new Map(),
): readonly SourceLine[] {
  const pieces = piecesOf(expression, costs);
  const long = longBrackets(pieces);
  const lines: SourceLine[] = [];
  const split = [long.has(-1)];
  const isSplit = (): boolean => split.at(-1) === true;
  let indent = 0;
  let tokens: SourceToken[] = [];
  const startLine = (change = 0): void => {
    lines.push({ indent: Math.min(indent, MAX_INDENT), tokens });
    tokens = [];
    indent += change;
  };
  for (const [at, piece] of pieces.entries())
    switch (piece.kind) {
      case "open":
      case "branch":
        tokens.push(sign("("));
        split.push(long.has(at) || (piece.kind === "branch" && isSplit()));
        if (isSplit()) startLine(1);
        break;
      case "close":
        if (split.pop()) startLine(-1);
        tokens.push(sign(")"));
        break;
      case "comma":
        tokens.push(sign(isSplit() ? "," : ", "));
        if (isSplit()) startLine();
        break;
      case "and":
        if (isSplit()) startLine();
        tokens.push(sign(isSplit() ? `${piece.text} ` : ` ${piece.text} `));
        break;
      case "line":
        startLine();
        break;
      default:
        tokens.push(piece);
    }
  startLine();
  return lines;
}
