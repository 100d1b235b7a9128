import { expect, test } from "vitest";
import { compileScript } from "./compile/compile.ts";
import { branchCosts } from "./cost/branch-costs.ts";
import { type Expression, FALSE, TRUE } from "./expression.ts";
import { functionCost, GLOBAL_NAMES } from "./library/library.ts";
import { estimateScript, scriptSource } from "./script.ts";
import { type SourceLine, sourceLines } from "./source-lines.ts";

const context = { names: GLOBAL_NAMES, cost: functionCost };

function compiled(source: string) {
  const result = compileScript(source);
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}

const textOf = (lines: readonly SourceLine[]): string =>
  lines
    .map(({ indent, tokens }) => {
      const texts = tokens.map((token) => (token.kind === "cost" ? `[${token.cost}]` : token.text));
      return "  ".repeat(indent) + texts.join("");
    })
    .join("\n");

test.each([
  ["true"],
  ["height > 5 && !(tx.fee == 3 || tx.fee != 7)"],
  ["(1 - (2 - 3)) == -height"],
  ['toBase58String(base58\'abc\') == "a\\"b"'],
  ["(if (height > 5) then (tx.fee) else (7)) == 3"],
])("prints %j like its source", (source) => {
  const { expression } = compiled(source);
  expect(textOf(sourceLines(expression))).toBe(source);
});

test("splits long brackets, and shows the cost of a run with each branch", () => {
  const source = compiled(`let isSmall = match tx {
    case t: TransferTransaction => t.amount <= 100 && sigVerify(tx.bodyBytes, tx.proofs[0], tx.senderPublicKey)
    case s: SetScriptTransaction => sigVerify(tx.bodyBytes, tx.proofs[0], tx.senderPublicKey)
    case _ => height > 100
  }
  isSmall`);
  expect(estimateScript(source.expression)).toBe(148);
  expect(textOf(scriptSource(source))).toBe(`let isSmall = (
  let $match0 = tx
  if (_isInstanceOf($match0, "TransferTransaction")) then [148](
    let t = $match0
    100 >= t.amount
    && sigVerify(tx.bodyBytes, getElement(tx.proofs, 0), tx.senderPublicKey)
  ) else [144](
    if (_isInstanceOf($match0, "SetScriptTransaction")) then [144](
      let s = $match0
      sigVerify(tx.bodyBytes, getElement(tx.proofs, 0), tx.senderPublicKey)
    ) else [28](
      height > 100
    )
  )
)
isSmall`);
});

test("shows names that are no names, and functions of no library, as they are", () => {
  const expression: Expression = {
    kind: "call",
    header: { kind: "native", id: 9_999 },
    arguments: [
      { kind: "ref", name: "a) && (\u202e" },
      { kind: "call", header: { kind: "user", name: "f(" }, arguments: [] },
    ],
  };
  expect(textOf(sourceLines(expression))).toBe('"Native(9999)"("a) && (\u202e", "f("())');
  expect(
    branchCosts({ kind: "if", condition: expression, whenTrue: TRUE, whenFalse: FALSE }, context),
  ).toEqual(new Map([[expect.anything(), { whenTrue: undefined, whenFalse: undefined }]]));
});

test("estimates the first thirty of many nested branches", () => {
  let nested: Expression = FALSE;
  for (let i = 0; i < 2_700; i++)
    nested = { kind: "if", condition: TRUE, whenTrue: { kind: "ref", name: "height" }, whenFalse: nested };
  const costs = [...branchCosts(nested, context).values()];
  expect(costs).toHaveLength(30);
  // Each level costs its condition and 1.
  expect(costs[0]).toEqual({ whenTrue: 4, whenFalse: 5_402 });
  expect(costs[29]).toEqual({ whenTrue: 4 + 2 * 29, whenFalse: 5_402 });
  const lines = sourceLines(nested);
  expect(Math.max(...lines.map(({ indent }) => indent))).toBe(40);
});

test("gives no cost to branches that take long to estimate", () => {
  const links = Array.from({ length: 40 }, (_, i) => `let x${i + 1} = if c then x${i} else x${i}`);
  const { expression } = compiled(["let c = height > 1", "let x0 = 1 == 1", ...links, "x40"].join("\n"));
  const costs = [...branchCosts(expression, context).values()];
  expect(costs).toHaveLength(30);
  expect(new Set(costs.flatMap(Object.values))).toEqual(new Set([undefined]));
});
