import { expect, test } from "vitest";
import { addressOf } from "../crypto/addresses.ts";
import { cachedReportOf, type ScriptReport, type ScriptRun } from "../ledger/scripts/script-verdicts.ts";
import { dev } from "../profiles/index.ts";
import { compileScript } from "../script/index.ts";
import { buildTransaction } from "../testing/build-transaction.ts";
import { keyPairOf, rootKeyPair } from "../testing/dev-node.ts";
import { ScriptQueue, type ScriptRequest, type ScriptRunner } from "./script-queue.ts";
import { inlineChecker } from "./testing/inline-checker.ts";
import { inlineVerifier } from "./testing/inline-verifier.ts";
import { defaultVerifierLimits, QueueVerifier, VerifierBusyError } from "./verifier.ts";

const { chainId } = dev;

function compiled(source: string): Uint8Array {
  const result = compileScript(source);
  if (!result.ok) throw new Error(result.error);
  return result.value.bytes;
}

const script = compiled("let h = height\ntx.fee > 0 && h > 3");
let lastTimestamp = 0;

function runOf(sender: string, height = 5, bytes = script): ScriptRun {
  const transaction = buildTransaction({
    type: 4,
    sender: keyPairOf(sender),
    fee: 100_000_000n,
    timestamp: ++lastTimestamp,
    chainId,
    members: {
      recipient: addressOf(rootKeyPair.publicKey, chainId),
      amount: 1n,
      attachment: new Uint8Array(0),
    },
  });
  return { transaction, script: bytes, height };
}

function wanted(run: ScriptRun, more: Partial<ScriptRequest> = {}): ScriptRequest {
  return { run, includesVars: true, allowance: () => undefined, ...more };
}

/** A runner with a limit that runs scripts when the test says so. */
function heldRunner(room: number) {
  const held: { readonly height: number; finish(): void; fail(error: Error): void }[] = [];
  const report: ScriptReport = { outcome: "allowed", text: "", vars: [], readsHeight: true, work: 1 };
  let running = 0;
  const runner: ScriptRunner = {
    get freeSlots() {
      return room - running;
    },
    run: ({ height }) => {
      running++;
      return new Promise((resolve, reject) => {
        const end = (settle: () => void) => () => {
          running--;
          settle();
        };
        const fail = (error: Error) => end(() => reject(error))();
        held.push({ height, finish: end(() => resolve(report)), fail });
      });
    },
  };
  return { runner, held };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("remembers a report with the transaction, for this script, and for this height if the script reads it", async () => {
  const verifier = inlineVerifier(dev);
  const limits = { chainId, allowance: undefined };
  const run = runOf("alice");
  const early = runOf("alice", 3);
  const failing = runOf("alice", 5, compiled('if (tx.fee > 0) then throw("no") else true'));
  await verifier.runScripts(
    "api",
    [run, early, failing].map((one) => wanted(one)),
  );
  expect(cachedReportOf(run, limits)).toEqual({ outcome: "allowed", text: "", vars: [] });
  expect(cachedReportOf({ ...run, height: 6 }, limits)).toBeUndefined();
  expect(cachedReportOf({ ...run, script: failing.script }, limits)).toBeUndefined();
  expect(cachedReportOf(run, { ...limits, chainId: 0x4c })).toBeUndefined();
  expect(cachedReportOf(early, limits)).toMatchObject({
    outcome: "refused",
    vars: [{ name: "h", value: "3" }],
  });
  expect(cachedReportOf({ ...failing, height: 9 }, limits)).toMatchObject({ outcome: "error", text: "no" });
});

test("a run ended by its limit counts only for the same or a lower limit", async () => {
  const run = runOf("alice");
  await inlineVerifier(dev).runScripts("api", [wanted(run, { allowance: () => 1 })]);
  expect(cachedReportOf(run, { chainId, allowance: 1 })).toMatchObject({ outcome: "used up" });
  expect(cachedReportOf(run, { chainId, allowance: 2 })).toBeUndefined();
  expect(cachedReportOf(run, { chainId, allowance: undefined })).toBeUndefined();
});

test("sources take turns, and so do the senders of each", async () => {
  const { runner, held } = heldRunner(1);
  const queue = new ScriptQueue(runner, chainId);
  // The height identifies the sender.
  const many = Array.from({ length: 4 }, () => wanted(runOf("alice", 1)));
  const ended = [
    queue.enqueue("a peer", [...many, wanted(runOf("bob", 2))]),
    queue.enqueue("another", [wanted(runOf("carol", 3)), wanted(runOf("carol", 3))]),
  ];
  expect(queue.waiting).toBe(6);
  for (let i = 0; i < 7; i++) {
    held[i].finish();
    await settled();
  }
  await Promise.all(ended);
  expect(held.map(({ height }) => height)).toEqual([1, 2, 3, 1, 3, 1, 1]);
  expect(queue.waiting).toBe(0);
});

test("asks for the allowance when a run is next, and the waiting caller may run it", async () => {
  const { runner, held } = heldRunner(1);
  const queue = new ScriptQueue(runner, chainId);
  let welcome = true;
  const allowance = () => (welcome ? 5_000 : "none");
  const made: unknown[] = [];
  const [first, second, third] = Array.from({ length: 3 }, () => runOf("alice"));
  const ended = queue.enqueue("api", [
    wanted(first, { allowance, onReport: (report, given) => made.push([report.work, given]) }),
    wanted(second),
    wanted(third, { allowance }),
  ]);
  expect(queue.assist("another")).toBe(false);
  expect(queue.assist("api")).toBe(true);
  expect(cachedReportOf(second, { chainId, allowance: undefined })).toMatchObject({ outcome: "allowed" });
  welcome = false;
  held[0].finish();
  await ended;
  expect(made).toEqual([[1, 5_000]]);
  expect(cachedReportOf(third, { chainId, allowance: undefined })).toBeUndefined();
  expect(held).toHaveLength(1);
  expect(queue.assist("api")).toBe(false);
});

test("a failing runner rejects only its own requests", async () => {
  const { runner, held } = heldRunner(1);
  const queue = new ScriptQueue(runner, chainId);
  const first = queue.enqueue("api", [wanted(runOf("alice")), wanted(runOf("alice"))]);
  const second = queue.enqueue("another", [wanted(runOf("bob"))]);
  const failed = expect(first).rejects.toThrow("no thread");
  held[0].fail(new Error("no thread"));
  for (let i = 1; i < 3; i++) {
    await settled();
    held[i].finish();
  }
  await failed;
  await second;
});

test("limits the queue, in all and per source", async () => {
  const { runner } = heldRunner(0);
  const limits = { ...defaultVerifierLimits, itemsOfSource: 2, items: 3 };
  const verifier = new QueueVerifier({ ...inlineChecker(dev), scriptRunner: runner }, dev, limits);
  const ask = (source: string, count: number) =>
    verifier.runScripts(
      source,
      Array.from({ length: count }, () => wanted(runOf("alice"))),
    );
  const waiting = [ask("api", 2)];
  await expect(ask("api", 1)).rejects.toThrow(VerifierBusyError);
  waiting.push(ask("a peer", 1));
  await expect(ask("another", 1)).rejects.toThrow(VerifierBusyError);
  const ended = waiting.map((one) => expect(one).rejects.toThrow("have ended"));
  await verifier.close();
  await Promise.all(ended);
});
