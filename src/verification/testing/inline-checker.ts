import type { NetworkRules } from "../../transactions/index.ts";
import type { BatchChecker } from "../batch-checker.ts";
import { checkPiece } from "../check-proofs.ts";
import { runScriptJob } from "../run-script.ts";

/** Checks in the caller's thread. */
export function inlineChecker(network: NetworkRules): BatchChecker {
  let serial = 0;
  return {
    scriptRunner: { freeSlots: 1, run: async (order) => runScriptJob(order, network) },
    async check(batch, lane) {
      batch.publish(++serial, lane);
      for (let piece = batch.claim(); piece !== undefined; piece = batch.claim()) {
        checkPiece(batch, piece, network);
        batch.finishPiece();
      }
    },
    assist: () => true,
    schedule: queueMicrotask,
    async close() {},
  };
}
