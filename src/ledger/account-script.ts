/** The sender's script as judge of a transaction. Page 08 §15, §16. */
import { evaluateScript, type StoredScript, scriptText, storedScript } from "../script/index.ts";
import { scriptView, type Transaction } from "../transactions/index.ts";
import type { Era } from "./era.ts";
import { Refusal } from "./refusal.ts";

/** Scripts read before, by the very bytes that the state hands out: these never change. */
const readBefore = new WeakMap<Uint8Array, StoredScript>();

function read(bytes: Uint8Array): StoredScript {
  const known = readBefore.get(bytes);
  if (known !== undefined) return known;
  const script = storedScript(bytes);
  readBefore.set(bytes, script);
  return script;
}

/**
 * Runs a script of the state on a transaction and refuses what it does not allow. Where the reference fails with an
 * exception this is a script error (page 08 §16.3).
 */
export function runScript(bytes: Uint8Array, transaction: Transaction, era: Era): Refusal | undefined {
  const script = read(bytes);
  const verdict = evaluateScript(script, {
    transaction: scriptView(transaction),
    height: era.height,
    chainId: era.rules.chainId,
  });
  switch (verdict.outcome) {
    case "allowed":
      return undefined;
    case "refused":
      return new Refusal("TransactionNotAllowedByScript", [], undefined, {
        script: scriptText(script),
        vars: verdict.vars(),
      });
    case "error":
      return new Refusal("ScriptExecutionError", [verdict.error], undefined, {
        script: scriptText(script),
        vars: verdict.vars(),
      });
    case "exception":
      return new Refusal("ScriptExecutionError", [verdict.exception], undefined, {
        script: scriptText(script),
        vars: [],
      });
  }
}
