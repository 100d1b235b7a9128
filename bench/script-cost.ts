/**
 * Measures the cost of scripts: each library function with its most expensive arguments relative to its price, the
 * slowest known scripts, and blocks full of the slowest scripts, in one thread and in all threads of this machine. A
 * signature check costs 100 points, so a point is worth a hundredth of its time.
 */

import { concatBytes } from "../src/bytes/compare.ts";
import { yieldToEventLoop } from "../src/chain/writing/time-slice.ts";
import { addressOf } from "../src/crypto/addresses.ts";
import { secureHash } from "../src/crypto/hashes.ts";
import { accountSeed, keyPairFromAccountSeed } from "../src/crypto/seeds.ts";
import { sign } from "../src/crypto/signatures.ts";
import type { ScriptRun } from "../src/ledger/scripts/script-verdicts.ts";
import { DEFAULT_CHECKER_THREADS } from "../src/runtime/threads/thread-count.ts";
import { Equality } from "../src/script/evaluate/equality.ts";
import type { Expression } from "../src/script/expression.ts";
import { estimateScript, evaluateScript, ScriptParseError, ScriptWork } from "../src/script/index.ts";
import { NATIVE_FUNCTIONS } from "../src/script/library/native-functions.ts";
import { writeExpression } from "../src/script/serialization.ts";
import type { Value } from "../src/script/values/values.ts";
import {
  scriptView,
  signTransaction,
  type Transaction,
  transactionBytes,
} from "../src/transactions/index.ts";
import { Preverifier } from "../src/verification/ahead.ts";
import { VerificationBatch } from "../src/verification/verification-batch.ts";
import { threadVerifier } from "../src/verification/verifier.ts";
import { COSTLY_ESTIMATES, COSTLY_SCRIPTS } from "./costly-scripts.ts";
import { report } from "./figures.ts";
import { compare, rate } from "./support.ts";

const chainId = 0x54;
/** Limits of a block by protocol. Page 08 §16.5. */
const RUNS_IN_BLOCK = 100;

const keys = keyPairFromAccountSeed(accountSeed(new TextEncoder().encode("bench"), 0));
const message = new Uint8Array(120).fill(1);
const signature = sign(keys, message);

const longBytes = new Uint8Array(98_301).fill(1);
const text = "€".repeat(32_767);
const otherText = `${"€".repeat(32_766)}x`;
const halves = "\ud800".repeat(32_767);
const min = -(2n ** 63n);

/** The slowest arguments of each function, by function number. */
const worst: ReadonlyMap<number, readonly Value[]> = new Map<number, readonly Value[]>([
  [0, [longBytes, longBytes.slice()]],
  [1, [longBytes, "ByteVector"]],
  [100, [min, 1n]],
  [101, [min + 1n, 1n]],
  [102, [min, 1n]],
  [103, [min, 1n]],
  [104, [2n ** 31n, 2n ** 31n]],
  [105, [min, 3n]],
  [106, [min, 3n]],
  [107, [min, 2n ** 62n, min]],
  [200, [longBytes]],
  [201, [longBytes, 98_300n]],
  [202, [longBytes, 1n]],
  [300, [text.slice(1), "x"]],
  [203, [longBytes.subarray(0, 32_768), longBytes.subarray(0, 32_768)]],
  [303, [text, 32_766n]],
  [304, [otherText, 1n]],
  [305, [text]],
  [400, [[1n]]],
  [401, [[1n], 0n]],
  [412, [true]],
  [410, [min]],
  [411, [halves]],
  [421, [true]],
  [420, [min]],
  [500, [message, signature, keys.publicKey]],
  [501, [longBytes]],
  [502, [longBytes]],
  [503, [longBytes]],
  [600, [longBytes.subarray(0, 64)]],
  [601, ["z".repeat(80)]],
  [602, [longBytes.subarray(0, 32_768)]],
  [603, ["A".repeat(43_688)]],
]);

const PRICE_OF_SIGNATURE = 100;
const signed = NATIVE_FUNCTIONS.find(({ id }) => id === 500);
if (signed === undefined) throw new Error("The signature check is missing from the function list");
const checkSignature = signed;
const ms = 20;

const functions = NATIVE_FUNCTIONS.filter(({ name }) => name !== "throw");
const standings = await compare(
  [
    {
      name: "the price",
      measure: () =>
        rate(() => checkSignature.apply([message, signature, keys.publicKey], new Equality()), ms),
    },
    ...functions.map((callee) => ({
      name: `${callee.name} (${callee.id})`,
      measure: () => {
        const args = worst.get(callee.id);
        if (args === undefined) throw new Error(`Missing worst-case arguments for ${callee.name}`);
        return rate(() => callee.apply(args, new Equality()), ms);
      },
    })),
    {
      name: "sigVerify, 98,301 bytes",
      measure: () =>
        rate(() => checkSignature.apply([longBytes, signature, keys.publicKey], new Equality()), ms),
    },
  ],
  9,
);
console.log("function                          µs   price   times its price");
for (const [index, { name, median: perSecond, ratio }] of standings.slice(1).entries()) {
  const price = functions[index]?.cost ?? PRICE_OF_SIGNATURE;
  const times = PRICE_OF_SIGNATURE / price / ratio;
  console.log(
    `${name.padEnd(26)} ${(1e6 / perSecond).toFixed(2).padStart(9)} ${String(price).padStart(7)} ${times.toFixed(2).padStart(17)}`,
  );
  report(`${name}, against its price`, times, "times");
}

const base = {
  chainId,
  version: 3,
  sender: { keyType: "ed25519", bytes: keys.publicKey },
  senderAddress: addressOf(keys.publicKey, chainId),
  fee: 1_000_000_000n,
  proofs: [],
} as const;

function transfer(timestamp: bigint): Transaction {
  const recipient = addressOf(new Uint8Array(32), chainId);
  const attachment = new Uint8Array(0);
  return signTransaction({ ...base, type: 4, timestamp, recipient, amount: 1n, attachment }, keys);
}

/** A script as the state holds it. */
function scriptOf(expression: Expression): Uint8Array {
  const content = concatBytes(Uint8Array.of(1), writeExpression(expression));
  return concatBytes(content, secureHash(content).subarray(0, 4));
}

const transaction = scriptView(transfer(1n));

/** Durations of several runs, ms. */
function runs(expression: (typeof COSTLY_SCRIPTS)[number][1], count: number): number[] {
  return Array.from({ length: count }, () => {
    const start = performance.now();
    evaluateScript({ expression }, { transaction, height: 1, chainId });
    return performance.now() - start;
  });
}

const check = rate(() => checkSignature.apply([message, signature, keys.publicKey], new Equality()), 500);
const scripts = COSTLY_SCRIPTS.map(([name, expression]) => {
  const verdict = evaluateScript({ expression }, { transaction, height: 1, chainId });
  if (verdict.outcome !== "refused") throw new Error(`${name}: ${verdict.outcome}`);
  const vars = Math.min(
    ...Array.from({ length: 5 }, () => {
      const start = performance.now();
      verdict.vars();
      return performance.now() - start;
    }),
  );
  const work = new ScriptWork();
  evaluateScript({ expression }, { transaction, height: 1, chainId, work });
  return { name, expression, vars, counted: work.used / 1e6, time: Math.min(...runs(expression, 15)) };
}).sort((a, b) => b.time - a.time);

console.log(
  "\nscript                                               ms of a run   checks   ms of its log as text   ms counted",
);
for (const { name, time, vars, counted } of scripts) {
  const checks = Math.round((time / 1000) * check);
  console.log(
    `${name.padEnd(53)} ${time.toFixed(1).padStart(10)} ${String(checks).padStart(8)} ${vars.toFixed(1).padStart(13)} ${counted.toFixed(1).padStart(22)}`,
  );
}

const [first] = scripts;
if (first !== undefined) {
  const before = process.cpuUsage();
  const total = runs(first.expression, RUNS_IN_BLOCK).reduce((sum, time) => sum + time, 0) / 1000;
  const used = process.cpuUsage(before);
  console.log(
    `\na block with ${RUNS_IN_BLOCK} runs of “${first.name}” in one thread: ${total.toFixed(1)} s, ${((used.user + used.system) / 1e6).toFixed(1)} s of processor time with the collector's, as long as ${Math.round(total * check).toLocaleString("en")} checks of a signature`,
  );
}

const network = { chainId, payment: true };
const verifier = threadVerifier(network, DEFAULT_CHECKER_THREADS);
const threads = `${DEFAULT_CHECKER_THREADS} checker thread${DEFAULT_CHECKER_THREADS > 1 ? "s" : ""} and this one`;

/** Elapsed time, and processor time of all threads, in seconds. */
async function timed(work: () => Promise<void>): Promise<string> {
  const before = process.cpuUsage();
  const start = performance.now();
  await work();
  const seconds = (performance.now() - start) / 1000;
  const used = process.cpuUsage(before);
  return `${seconds.toFixed(1)} s by the clock, ${((used.user + used.system) / 1e6).toFixed(1)} s of processor time`;
}

if (first !== undefined) {
  const script = scriptOf(first.expression);
  const runsOf = (count: number): ScriptRun[] =>
    Array.from({ length: count }, (_, i) => ({ transaction: transfer(BigInt(i)), script, height: 1 }));
  const ahead = new Preverifier(verifier);
  const run = (runs: readonly ScriptRun[]): Promise<void> =>
    ahead.runBlockScripts("bench", runs, async () => {
      const isRun = verifier.runNextScript("bench");
      if (isRun) await yieldToEventLoop();
      return isRun;
    });
  // Start the threads before measuring.
  await run(runsOf(8));
  const block = runsOf(RUNS_IN_BLOCK);
  console.log(`the same in ${threads} (target: below 5 s): ${await timed(() => run(block))}`);
}

/** Scripts of 8 KB that fit in a block. */
const SCRIPTS_IN_BLOCK = 125;

const estimates = COSTLY_ESTIMATES.map(([name, expression]) => {
  let result = "";
  const times = Array.from({ length: 7 }, () => {
    const start = performance.now();
    try {
      result = `cost ${estimateScript(expression)}`;
    } catch (error) {
      if (!(error instanceof ScriptParseError)) throw error;
      result = "refused";
    }
    return performance.now() - start;
  });
  const bytes = scriptOf(expression);
  const again = Array.from({ length: 7 }, () => {
    const start = performance.now();
    try {
      estimateScript(expression, bytes);
    } catch (error) {
      if (!(error instanceof ScriptParseError)) throw error;
    }
    return performance.now() - start;
  });
  return { name, result, time: Math.min(...times), again: Math.min(...again) };
});
console.log("\nscript                                               ms of an estimate   the same again");
for (const { name, result, time, again } of estimates)
  console.log(
    `${name.padEnd(53)} ${time.toFixed(1).padStart(17)} ${again.toFixed(1).padStart(16)}   ${result}`,
  );
const passing = Math.max(...estimates.filter(({ result }) => result !== "refused").map(({ time }) => time));
const seconds = (SCRIPTS_IN_BLOCK * passing) / 1000;
console.log(
  `\na block that sets ${SCRIPTS_IN_BLOCK} of them, in one thread: ${seconds.toFixed(1)} s of processor time`,
);

const [[, puzzle]] = COSTLY_ESTIMATES;
const setting = VerificationBatch.create({ bytes: 2 ** 21, blocks: 1, transactions: SCRIPTS_IN_BLOCK });
setting.clear();
for (let i = 0; i < SCRIPTS_IN_BLOCK; i++) {
  // A different script each time, since a thread caches the cost.
  const number: Expression = { kind: "long", value: BigInt(i) };
  const script = scriptOf({ kind: "block", name: "number", value: number, body: puzzle });
  const set = signTransaction({ ...base, type: 13, timestamp: BigInt(i), script }, keys);
  if (!setting.addTransaction(transactionBytes(set))) throw new Error("The block is full");
}
const stream = verifier.stream();
const inThreads = await timed(async () => {
  const checked = stream.check(setting);
  stream.assist(setting);
  await checked;
});
if (!setting.isParsed(SCRIPTS_IN_BLOCK - 1)) throw new Error("A script was rejected");
console.log(`the same in ${threads}: ${inThreads}`);
await verifier.close();
