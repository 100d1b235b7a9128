import { expect, test } from "vitest";
import type { Mempool } from "../mempool/mempool.ts";
import { hashes, nodeWith, poolBeside, transfer } from "../mempool/testing/scripted-account.ts";
import { dev } from "../profiles/index.ts";
import { type DevNode, keyPairOf } from "../testing/dev-node.ts";
import { encodeTransaction, type Transaction } from "../transactions/index.ts";
import { Preverifier } from "../verification/ahead.ts";
import { CheckerError } from "../verification/batch-checker.ts";
import type { ScriptRequest } from "../verification/script-queue.ts";
import { inlineVerifier } from "../verification/testing/inline-verifier.ts";
import { type Verifier, VerifierBusyError } from "../verification/verifier.ts";
import { poolControl } from "./control/pool-control.ts";
import { HeightScriptRunner } from "./height-script-runner.ts";
import { Intake } from "./intake.ts";

const MILLISECOND = 1_000_000;
const capacity = { size: 1_000_000, scripts: 100, transactions: 255 };

/** A verifier that records the scripts it runs, and their allowance. */
function watched(scripts?: Verifier["runScripts"]) {
  const verifier = inlineVerifier(dev);
  const runs: ScriptRequest[] = [];
  const watching: Verifier = {
    verifyTransactions: (source, transactions) => verifier.verifyTransactions(source, transactions),
    verifySignatures: (source, blocks) => verifier.verifySignatures(source, blocks),
    verifyMessages: (source, messages) => verifier.verifyMessages(source, messages),
    runScripts: async (source, wanted) => {
      runs.push(...wanted);
      await (scripts === undefined ? verifier.runScripts(source, wanted) : scripts(source, wanted));
    },
    runNextScript: (source) => verifier.runNextScript(source),
    stream: () => verifier.stream(),
    close: () => verifier.close(),
  };
  return { verifier: watching, runs };
}

function make(source: string, scripts?: Verifier["runScripts"]) {
  const node = nodeWith(source);
  const pool = poolBeside(node);
  const { verifier, runs } = watched(scripts);
  const control = poolControl({
    pool,
    intake: new Intake(pool, new Preverifier(verifier), node.clock),
    network: dev,
    clock: node.clock,
    onAdded: () => {},
    diskFault: () => false,
  });
  const broadcast = (transaction: Transaction, deadline?: number) =>
    control.broadcast(encodeTransaction(transaction), deadline);
  return { node, pool, runs, verifier, broadcast };
}

/** Runs the scripts in the pool itself, as packing does. */
function packed(pool: Mempool, maxWork: number): number {
  return pool.pack({ capacity, maxWork }).transactions.length;
}

async function atNewHeight(node: DevNode): Promise<void> {
  const { height } = node.chain.tip;
  while (node.chain.tip.height === height) node.clock.advance(1_000);
}

test("runs a sender's script once before admission, with the same result", async () => {
  const { node, runs, broadcast } = make(`let fee = tx.fee\n${hashes(4)}\nwork && fee > 100000000`);
  const transaction = transfer(node);
  const refused = await broadcast(transaction);
  if (refused.ok || refused.error.kind !== "refused") throw new Error("not refused");
  expect(refused.error.error.kind).toBe("TransactionNotAllowedByScript");
  expect(refused.error.state?.script?.vars).toContainEqual({ name: "fee", value: "100000000" });
  expect(runs).toHaveLength(1);
  // The same transaction, parsed again: known.
  expect(await broadcast(transaction)).toEqual(refused);
  expect(runs).toHaveLength(1);
});

test("skips scripts after the deadline or beyond the sender's allowance", async () => {
  const { node, pool, runs, broadcast } = make(`${hashes(40)}\nwork`);
  expect(await broadcast(transfer(node), node.clock.now())).toMatchObject({ error: { kind: "late" } });
  expect(runs[0].allowance()).toBe("none");
  const texts: unknown[] = [];
  for (let i = 0; i < 7; i++) {
    const outcome = await broadcast(transfer(node));
    if (!outcome.ok && outcome.error.kind === "refused") texts.push(outcome.error.error.args[0]);
  }
  expect(texts.filter((text) => String(text).includes("exceeds this node's work limit"))).toHaveLength(5);
  expect(texts[6]).toBe("The sender's script refused costly transactions: try again later");
  expect(pool.size).toBe(0);
});

test("a source with many refusals gets the allowance of ordinary scripts", async () => {
  const { node, pool, broadcast } = make(`${hashes(6)}\nwork && tx.fee > 0`);
  const [run] = pool.scriptRuns([transfer(node)]);
  const report = { outcome: "refused", text: "", vars: [], readsHeight: false, work: 4e6 } as const;
  for (let i = 0; i < 251; i++) {
    const transaction = transfer(node, keyPairOf(`another ${i}`));
    pool.scripts.recordRun("api", { ...run, transaction }, report, 4e6);
  }
  expect(pool.scripts.allowance("a peer", run)).toBe(4_000_000);
  expect(pool.scripts.allowance("api", run)).toBe(500_000);
  // Allowed, but it takes more.
  const one = transfer(node);
  expect(await broadcast(one)).toMatchObject({ error: { kind: "busy" } });
  // A second restores a quarter of a second of work.
  node.clock.advance(1_000);
  expect(await broadcast(one)).toMatchObject({ ok: true });
});

test("without threads the pool runs scripts itself, and refuses too many as busy", async () => {
  const failing = make("tx.fee > 0", async () => {
    throw new CheckerError("no thread");
  });
  expect(await failing.broadcast(transfer(failing.node))).toMatchObject({ ok: true });
  const busy = make("tx.fee > 0", async () => {
    throw new VerifierBusyError();
  });
  expect(await busy.broadcast(transfer(busy.node))).toMatchObject({ error: { kind: "busy" } });
});

test("runs scripts that read the height again at each height", async () => {
  const { node, pool, runs, verifier, broadcast } = make(`${hashes(10)}\nwork && height <= 5`);
  for (let i = 0; i < 30; i++) expect(await broadcast(transfer(node))).toMatchObject({ ok: true });
  expect(runs).toHaveLength(30);
  while (node.chain.tip.height <= 5) await atNewHeight(node);
  const heights = new HeightScriptRunner({ pool, preverifier: new Preverifier(verifier) });
  await heights.follow(node.chain.tip.height);
  expect(runs.map(({ run }) => run.height).filter((height) => height === 6)).toHaveLength(30);
  // Each would take 2 ms: all are dropped in a slice with room for one.
  expect(packed(pool, 4 * MILLISECOND)).toBe(0);
  expect(pool.size).toBe(0);
  // The same height runs nothing again.
  await heights.follow(node.chain.tip.height);
  expect(runs).toHaveLength(60);
});
