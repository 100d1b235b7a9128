/** Checks signatures and scripts of stored blocks imported without these checks (`--assume-valid`). */
import { isBlockSigned } from "../../blocks/block.ts";
import { bytesKey } from "../../bytes/compare.ts";
import type { LedgerRules } from "../../ledger/era.ts";
import { checkProofs } from "../../ledger/proofs.ts";
import { ruleOf } from "../../ledger/registry.ts";
import type { ScriptState } from "../../ledger/state.ts";
import { assumedValid } from "../../ledger/verdicts.ts";
import type { Reader } from "../../storage/kv.ts";
import { type NetworkRules, type Transaction, transactionId } from "../../transactions/index.ts";
import type { CheckedBlock } from "../../verification/checked-block.ts";
import type { BlockSource } from "../checking/block-source.ts";
import { decodeBlock, ReadAhead, type SourceFailure } from "../checking/read-ahead.ts";
import { blockText, signatureRefusal, transactionRefusal } from "../deciding/block-refusal.ts";
import { yieldToEventLoop } from "../writing/time-slice.ts";
import type { ApplyBlocksOptions } from "./apply-blocks.ts";
import { type ReaderAccess, storedBlockSource } from "./stored-block-source.ts";

/** Heights, both included. */
export interface CheckedRange {
  readonly from: number;
  readonly to: number;
}

export interface SignatureCheck {
  readonly outcome: "right" | "wrong" | "stopped";
  /** Height up to which all checked blocks are valid; `from - 1` if none. */
  readonly checkedTo: number;
  readonly blocks: number;
  readonly transactions: number;
  readonly wrong: SourceFailure | undefined;
}

/**
 * Checks the blocks `from` to `to`. Earlier blocks are read only for their account scripts.
 * @param stored as in `storedBlockSource`
 */
export async function verifySignatures(
  stored: Reader | ReaderAccess,
  rules: LedgerRules,
  network: NetworkRules,
  { from, to }: CheckedRange,
  { verifier, progress, isStopped }: Omit<ApplyBlocksOptions, "commitEvery">,
): Promise<SignatureCheck> {
  const scripts = new SenderScripts();
  const reader = new ReadAhead(sourceFrom(stored, from, to), verifier);
  let checkedTo = from - 1;
  let transactions = 0;
  const result = (outcome: SignatureCheck["outcome"], wrong?: SourceFailure): SignatureCheck => {
    reader.cancel();
    return { outcome, checkedTo, blocks: checkedTo - from + 1, transactions, wrong };
  };
  for (let next = await reader.next(); next !== undefined; next = await reader.next()) {
    await reader.waitUntilChecked(next);
    for (const [i, { height }] of next.blocks.entries()) {
      const decoded = decodeBlock(next, i, network);
      if (!decoded.ok) return result("wrong", { height, reason: decoded.error });
      const reason = faultOf(decoded.value, scripts, { height, rules });
      if (reason !== undefined) return result("wrong", { height, reason });
      if (height < from) continue;
      checkedTo = height;
      transactions += decoded.value.block.transactions.length;
    }
    reader.release(next);
    progress?.({ height: checkedTo, transactions, done: next.blocks.at(-1)?.height ?? 0, total: to });
    await yieldToEventLoop();
    if (isStopped?.() === true) return result("stopped");
  }
  return reader.failure === undefined ? result("right") : result("wrong", reader.failure);
}

function sourceFrom(stored: Reader | ReaderAccess, from: number, to: number): BlockSource {
  const source = storedBlockSource(stored, to);
  return {
    next() {
      const block = source.next();
      return block !== undefined && block.height < from ? { ...block, isTrusted: true } : block;
    },
  };
}

function faultOf(
  { block, signed, verdicts }: CheckedBlock,
  scripts: SenderScripts,
  era: { readonly height: number; readonly rules: LedgerRules },
): string | undefined {
  if (!signed && !isBlockSigned(block)) return signatureRefusal(blockText(block)).printed;
  for (const transaction of block.transactions) {
    const script = scripts.script(transaction.senderAddress)?.script;
    const refusal =
      verdicts === assumedValid
        ? undefined
        : checkProofs(scripts, transaction, script, era, verdicts, undefined);
    if (refusal !== undefined)
      return transactionRefusal(refusal.withTransaction(transaction), transactionId(transaction)).printed;
    scripts.add(transaction);
  }
  return undefined;
}

/** Account scripts that the blocks read so far have set. */
class SenderScripts {
  readonly #scripts = new Map<string, ScriptState>();

  script(address: Uint8Array): ScriptState | undefined {
    return this.#scripts.get(bytesKey(address));
  }

  add(transaction: Transaction): void {
    const set = ruleOf(transaction).newScript?.(transaction);
    if (set === undefined) return;
    const key = bytesKey(transaction.senderAddress);
    if (set.script === undefined) this.#scripts.delete(key);
    else this.#scripts.set(key, { script: set.script, height: 0 });
  }
}
