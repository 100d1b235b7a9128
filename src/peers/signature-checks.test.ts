import { expect, test } from "vitest";
import type { ScriptRun } from "../ledger/script-verdicts.ts";
import { dev } from "../profiles/index.ts";
import { buildTransaction } from "../testing/build-transaction.ts";
import { RecordingLog, rootKeyPair } from "../testing/dev-node.ts";
import { runScriptsAhead, type SignatureChecks } from "./signature-checks.ts";

const transaction = buildTransaction({
  type: 15,
  sender: rootKeyPair,
  fee: 100_000_000n,
  timestamp: 1,
  chainId: dev.chainId,
  members: { anchors: [new Uint8Array(32)] },
});
const run: ScriptRun = { transaction, script: Uint8Array.of(1), height: 7 };

test("the scripts of a block of a peer are run whatever they take; when nobody can, the block goes on", async () => {
  const asked: unknown[] = [];
  const unable = () => Promise.reject(new Error("busy"));
  const checks = (scripts: SignatureChecks["scripts"]) => ({
    transactions: unable,
    signatures: unable,
    scripts,
  });
  const log = new RecordingLog();
  const watching = checks(async (source, runs) => {
    asked.push([source, runs.map((one) => [one.run, one.texts, one.allowance()])]);
  });
  await runScriptsAhead(watching, "a peer", [run, run], log);
  expect(asked).toEqual([
    [
      "a peer",
      [
        [run, false, undefined],
        [run, false, undefined],
      ],
    ],
  ]);
  // A single one is made at its place.
  await runScriptsAhead(watching, "a peer", [run], log);
  expect(asked).toHaveLength(1);
  await runScriptsAhead(checks(unable), "a peer", [run, run], log);
  expect(log.lines.map(({ level }) => level)).toEqual(["debug"]);
});
