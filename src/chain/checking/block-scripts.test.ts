import { beforeAll, expect, test } from "vitest";
import { bytesSource } from "../../../test/support/bytes-source.ts";
import { scanBlock } from "../../blocks/block.ts";
import { concatBytes } from "../../bytes/compare.ts";
import { addressOf } from "../../crypto/addresses.ts";
import { cacheReport, type ScriptReport } from "../../ledger/scripts/script-verdicts.ts";
import { dev } from "../../profiles/index.ts";
import { compileScript } from "../../script/index.ts";
import { memoryStore } from "../../storage/memory-store.ts";
import { journaledRows } from "../../storage/testing/dump.ts";
import { buildTransaction } from "../../testing/build-transaction.ts";
import { DevNode, keyPairOf, rootKeyPair } from "../../testing/dev-node.ts";
import type { ScriptRequest } from "../../verification/script-queue.ts";
import { inlineVerifier } from "../../verification/testing/inline-verifier.ts";
import type { Verifier } from "../../verification/verifier.ts";
import { exportedBlocks } from "../jobs/export.ts";
import { importBlocks } from "../jobs/import.ts";
import { ExtensionIntake } from "./extension-intake.ts";

const { chainId } = dev;
const LTO = 100_000_000n;
const owner = keyPairOf("owner");
const recipient = addressOf(owner.publicKey, chainId);
const attachment = new Uint8Array(0);

function scriptOf(source: string): Uint8Array {
  const compiled = compileScript(source);
  if (!compiled.ok) throw new Error(compiled.error);
  return compiled.value.bytes;
}

/** A chain in whose last but one block a scripted account sends eight times and changes its script in between. */
let chain: DevNode;
let blocks: Uint8Array[];
let file: Uint8Array;

beforeAll(async () => {
  chain = new DevNode();
  const send = (sender: typeof owner, type: number, fee: bigint, members: Record<string, unknown>): void => {
    const timestamp = chain.clock.now();
    expect(chain.pool.add(buildTransaction({ type, sender, fee, timestamp, chainId, members }))).toEqual({
      ok: true,
      value: { added: true },
    });
    chain.clock.advance(1_000);
  };
  chain.forger.start();
  chain.clock.advance(10_000);
  send(rootKeyPair, 4, LTO, { recipient, amount: 1_000n * LTO, attachment });
  send(owner, 13, 10n * LTO, { script: scriptOf("tx.fee > 0") });
  const { height } = chain.chain.tip;
  while (chain.chain.tip.height === height) chain.clock.advance(100);
  for (let i = 1; i <= 8; i++) {
    if (i === 5) send(owner, 13, 10n * LTO, { script: scriptOf("tx.fee > 1") });
    send(owner, 4, LTO, { recipient, amount: BigInt(i), attachment });
  }
  while (chain.chain.tip.height < height + 3) chain.clock.advance(100);
  chain.forger.stop();
  const entries: Uint8Array[] = [];
  for await (const { entry } of exportedBlocks(chain.store)) entries.push(entry);
  // Each entry starts with its length.
  blocks = entries.map((entry) => entry.subarray(4));
  file = concatBytes(...entries);
});

/** A verifier whose script reports come from `say`. */
function saying(say: (runs: readonly ScriptRequest[]) => void): Verifier {
  const verifier = inlineVerifier(dev);
  return {
    ...verifier,
    verifyTransactions: (source, transactions) => verifier.verifyTransactions(source, transactions),
    verifySignatures: (source, blocks) => verifier.verifySignatures(source, blocks),
    runNextScript: (source) => verifier.runNextScript(source),
    stream: () => verifier.stream(),
    close: () => verifier.close(),
    runScripts: async (_source, runs) => say(runs),
  };
}

const refused: ScriptReport = { outcome: "refused", text: "", vars: [], readsHeight: true, work: 1 };

function importWith(verifier: Verifier) {
  const node = new DevNode({ store: memoryStore() });
  return importBlocks(node.chain, dev, bytesSource(file), { verifier });
}

test("runs the scripts of a block ahead of the writer, with the state before the block", async () => {
  const asked: number[] = [];
  const result = await importWith(saying((runs) => asked.push(runs.length)));
  expect(result.outcome).toBe("complete");
  expect(asked.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(8);
});

test("the writer uses only reports about the current script", async () => {
  const limits = { chainId, allowance: undefined };
  const told = (change: (run: ScriptRequest["run"]) => ScriptRequest["run"]) =>
    importWith(
      saying((runs) => {
        for (const { run } of runs) cacheReport(change(run), limits, refused);
      }),
    );
  const result = await told((run) => run);
  expect(result.refused?.reason).toContain("TransactionNotAllowedByScript");
  // Reports for another height or script do not count.
  expect((await told((run) => ({ ...run, height: run.height + 1 }))).outcome).toBe("complete");
  const script = scriptOf("false");
  expect((await told((run) => ({ ...run, script }))).outcome).toBe("complete");
});

test("an import with scripts run ahead gives the same chain", async () => {
  const store = memoryStore();
  const node = new DevNode({ store });
  const verifier = inlineVerifier(dev);
  expect(await importBlocks(node.chain, dev, bytesSource(file), { verifier })).toMatchObject({
    outcome: "complete",
  });
  expect(node.chain.tip.id).toEqual(chain.chain.tip.id);
  expect(journaledRows(store).length).toBeGreaterThan(10);
});

test("an extension with scripts run ahead gives the same chain", async () => {
  const asked: number[] = [];
  const verifier = saying((runs) => asked.push(runs.length));
  const node = new DevNode({ store: memoryStore() });
  const sent = blocks.map((bytes) => ({ bytes, scan: scanBlock(bytes) }));
  const intake = new ExtensionIntake(node.chain, verifier, dev, { maxRollback: 100 });
  node.clock.advance(chain.clock.now() - node.clock.now());
  expect(await intake.offer(sent).apply()).toMatchObject({ kind: "applied" });
  expect(asked.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(8);
});
