import { expect, test } from "vitest";
import { signAnnouncement } from "../blocks/announcement.ts";
import { genesisBlock } from "../blocks/genesis.ts";
import { buildMicroBlock } from "../blocks/micro-block.ts";
import type { ScriptRun } from "../ledger/scripts/script-verdicts.ts";
import { dev } from "../profiles/index.ts";
import { buildTransaction } from "../testing/build-transaction.ts";
import { RecordingLog, rootKeyPair } from "../testing/dev-node.ts";
import { Preverifier, type RequestVerifier } from "./ahead.ts";
import { CheckerEndedError, CheckerError } from "./batch-checker.ts";
import { VerifierBusyError } from "./verifier.ts";

const transaction = buildTransaction({
  type: 15,
  sender: rootKeyPair,
  fee: 100_000_000n,
  timestamp: 1,
  chainId: dev.chainId,
  members: { anchors: [new Uint8Array(32)] },
});
const run: ScriptRun = { transaction, script: Uint8Array.of(1), height: 7 };

test("runs the scripts of a peer's block without a limit, and continues if that is impossible", async () => {
  const asked: unknown[] = [];
  const unable = () => Promise.reject(new VerifierBusyError());
  const checks = (runScripts: RequestVerifier["runScripts"]) => ({
    verifyTransactions: unable,
    verifySignatures: unable,
    verifyMessages: unable,
    runScripts,
  });
  const log = new RecordingLog();
  const watching = checks(async (source, runs) => {
    asked.push([source, runs.map((one) => [one.run, one.includesVars, one.allowance()])]);
  });
  await new Preverifier(watching, log).runBlockScripts("a peer", [run, run]);
  expect(asked).toEqual([
    [
      "a peer",
      [
        [run, false, undefined],
        [run, false, undefined],
      ],
    ],
  ]);
  // A single script runs in the writer.
  await new Preverifier(watching, log).runBlockScripts("a peer", [run]);
  expect(asked).toHaveLength(1);
  await new Preverifier(checks(unable), log).runBlockScripts("a peer", [run, run]);
  expect(log.lines.map(({ level }) => level)).toEqual(["debug"]);
});

const { micro } = buildMicroBlock(genesisBlock(dev), [transaction], rootKeyPair);
const announcement = signAnnouncement(micro, rootKeyPair, dev.chainId);
const forged = { ...announcement, signature: announcement.totalSignature };

/** Requests every kind of check. @returns which items are signed */
async function askAll(ahead: Preverifier) {
  await ahead.verifyTransactions("a peer", [transaction]);
  await ahead.runBlockScripts("a peer", [run, run]);
  return [
    await ahead.isSigned("a peer", new Uint8Array(200)),
    await ahead.isAnnouncementSigned("a peer", announcement, dev.chainId),
    await ahead.isAnnouncementSigned("a peer", forged, dev.chainId),
  ];
}

test("a broken checker logs a counted error, and neither accepts nor refuses anything", async () => {
  for (const error of [new CheckerError("no threads"), new TypeError("a bug")]) {
    const broken = () => Promise.reject(error);
    const checks = {
      verifyTransactions: broken,
      verifySignatures: broken,
      verifyMessages: broken,
      runScripts: broken,
    };
    const log = new RecordingLog();
    const ahead = new Preverifier(checks, log);
    // What no thread can check stays open, or is checked here.
    expect(await askAll(ahead)).toEqual([undefined, true, false]);
    expect(log.lines.map(({ level, facts }) => [level, facts.failures, facts.error])).toEqual(
      [1, 2, 3, 4, 5].map((count) => ["error", count, error]),
    );
    expect(ahead.failures).toBe(5);
  }
});

test("a busy or closing checker logs no error", async () => {
  for (const error of [new VerifierBusyError(), new CheckerEndedError()]) {
    const busy = () => Promise.reject(error);
    const checks = {
      verifyTransactions: busy,
      verifySignatures: busy,
      verifyMessages: busy,
      runScripts: busy,
    };
    const log = new RecordingLog();
    const ahead = new Preverifier(checks, log);
    expect(await askAll(ahead)).toEqual([undefined, true, false]);
    expect(log.lines.map(({ level }) => level)).toEqual(Array(5).fill("debug"));
    expect(ahead.failures).toBe(0);
  }
});
