/** The sender's script as judge of a transaction. Page 08 §15, §16. */
import { bytesEqual } from "../bytes/compare.ts";
import {
  evaluateScript,
  type ScriptVar,
  type ScriptWork,
  type StoredScript,
  scriptText,
  storedScript,
} from "../script/index.ts";
import { scriptView, type Transaction } from "../transactions/index.ts";
import type { Era } from "./era.ts";
import { Refusal, type ScriptRecord } from "./refusal.ts";

/** Scripts read before, by the very bytes that the state hands out: these never change. */
const readBefore = new WeakMap<Uint8Array, StoredScript>();

function read(bytes: Uint8Array): StoredScript {
  const known = readBefore.get(bytes);
  if (known !== undefined) return known;
  const script = storedScript(bytes);
  readBefore.set(bytes, script);
  return script;
}

/** A script that has allowed a transaction, and where. */
interface Allowed {
  readonly script: Uint8Array;
  readonly chainId: number;
  /** Undefined when the script did not read it: what it said holds at every height. */
  readonly height: number | undefined;
}

/**
 * By the object, which never changes and has its proofs: it goes from the pool into a block, and its script says the
 * same each time.
 */
const allowedBefore = new WeakMap<Transaction, Allowed>();

function wasAllowed(bytes: Uint8Array, transaction: Transaction, { height, rules }: Era): boolean {
  const known = allowedBefore.get(transaction);
  return (
    known !== undefined &&
    known.chainId === rules.chainId &&
    (known.height === undefined || known.height === height) &&
    bytesEqual(known.script, bytes)
  );
}

/** What a refusal carries of the run. The texts are made when somebody reads them, which few do. */
class RunRecord implements ScriptRecord {
  readonly #script: StoredScript;
  readonly #vars: () => readonly ScriptVar[];

  constructor(script: StoredScript, vars: () => readonly ScriptVar[]) {
    this.#script = script;
    this.#vars = vars;
  }

  get script(): string {
    return scriptText(this.#script);
  }

  get vars(): readonly ScriptVar[] {
    return this.#vars();
  }
}

/** What is said of a script that takes more work than the pool allows it. */
const TOO_MUCH_WORK = "Script takes more work than this node does for a transaction that it is sent";

/**
 * Runs a script of the state on a transaction and refuses what it does not allow. Where the reference fails with an
 * exception this is a script error (page 08 §16.3).
 * @param work what the run may take, and what it took; undefined where a block is judged, which any amount may decide
 */
export function runScript(
  bytes: Uint8Array,
  transaction: Transaction,
  era: Era,
  work: ScriptWork | undefined,
): Refusal | undefined {
  if (wasAllowed(bytes, transaction, era)) return undefined;
  const script = read(bytes);
  const { chainId } = era.rules;
  let height: number | undefined;
  const onHeight = (): void => {
    height = era.height;
  };
  const environment = { transaction: scriptView(transaction), height: era.height, chainId, work, onHeight };
  const verdict = evaluateScript(script, environment);
  const failed = (text: string, vars: () => readonly ScriptVar[]): Refusal =>
    new Refusal("ScriptExecutionError", [text], undefined, new RunRecord(script, vars));
  switch (verdict.outcome) {
    case "allowed":
      allowedBefore.set(transaction, { script: bytes, chainId, height });
      return undefined;
    case "refused":
      return new Refusal(
        "TransactionNotAllowedByScript",
        [],
        undefined,
        new RunRecord(script, () => verdict.vars()),
      );
    case "error":
      return failed(verdict.error, () => verdict.vars());
    case "exception":
      return failed(verdict.exception, () => []);
    case "used up":
      if (work === undefined) throw new Error("a run without a bound was ended");
      return failed(TOO_MUCH_WORK, () => []);
  }
}
