/** Checks unchecked blocks in a low-priority thread. */
import { Worker } from "node:worker_threads";
import type { CheckedRange, SignatureCheck } from "../../chain/jobs/verify-signatures.ts";
import type { Settings } from "../../config/settings.ts";
import type { LedgerRules } from "../../ledger/era.ts";
import type { NetworkRules } from "../../transactions/index.ts";
import { chainDirectory, networkIdentity } from "../composition.ts";

export interface RunningCheck {
  /** Rejects if the thread fails. */
  readonly result: Promise<SignatureCheck>;
  /** Makes `result` settle soon. */
  stop(): void;
}

export interface SignatureChecker {
  /** @param onProgress receives the height up to which all blocks are valid */
  start(range: CheckedRange, rules: LedgerRules, onProgress: (checkedTo: number) => void): RunningCheck;
}

export interface CheckThreadData {
  readonly directory: string;
  readonly identity: string;
  readonly network: NetworkRules;
  readonly rules: LedgerRules;
  readonly range: CheckedRange;
  /** One `Int32`; not 0: the check must stop. */
  readonly stop: SharedArrayBuffer;
}

export type CheckThreadMessage = { readonly checkedTo: number } | { readonly result: SignatureCheck };

export function threadSignatureChecker(settings: Settings): SignatureChecker {
  const { chainId, payment } = settings.profile;
  return {
    start(range, rules, onProgress) {
      const stop = new SharedArrayBuffer(4);
      const data: CheckThreadData = {
        directory: chainDirectory(settings),
        identity: networkIdentity(settings.profile),
        network: { chainId, payment },
        rules,
        range,
        stop,
      };
      return {
        result: runThread(data, onProgress),
        stop: () => {
          Atomics.store(new Int32Array(stop), 0, 1);
        },
      };
    },
  };
}

function runThread(data: CheckThreadData, onProgress: (checkedTo: number) => void): Promise<SignatureCheck> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL("./signature-check-thread.js", import.meta.url), { workerData: data });
    thread.on("message", (message: CheckThreadMessage) => {
      if ("result" in message) resolve(message.result);
      else onProgress(message.checkedTo);
    });
    thread.once("error", reject);
    thread.once("exit", (code) =>
      reject(new Error(`The thread that checks signatures ended with code ${code}`)),
    );
  });
}
