import { parentPort, workerData } from "node:worker_threads";
import { verifySignatures } from "../../chain/jobs/verify-signatures.ts";
import { BACKGROUND_NICENESS, lowerPriority } from "../../runtime/threads/thread-priority.ts";
import { openStore } from "../../storage/store.ts";
import { threadVerifier } from "../../verification/verifier.ts";
import type { CheckThreadData, CheckThreadMessage } from "./signature-check-runner.ts";

const { directory, identity, network, rules, range, stop } = workerData as CheckThreadData;
lowerPriority(BACKGROUND_NICENESS);
const stopFlag = new Int32Array(stop);
const post = (message: CheckThreadMessage): void => parentPort?.postMessage(message);

const store = await openStore(directory, { network: identity, readOnly: true });
// Without checker threads, this thread makes all checks.
const verifier = threadVerifier(network, 0);
try {
  // A reader per block: long snapshots make the store grow.
  const result = await verifySignatures((read) => store.read(read), rules, network, range, {
    verifier,
    isStopped: () => Atomics.load(stopFlag, 0) !== 0,
    progress: ({ height }) => post({ checkedTo: height }),
  });
  post({ result });
} finally {
  await verifier.close();
  await store.close();
}
