/** One step of `forks.ts`: builds the chains, or offers one of them to a node that has the other. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { type Block, blockBytes, buildBlock, scanBlock } from "../src/blocks/block.ts";
import type { Chain } from "../src/chain/chain.ts";
import { ExtensionIntake, type ReceivedBlock } from "../src/chain/checking/extension-intake.ts";
import { atOnce } from "../src/chain/testing/at-once.ts";
import { addressOf } from "../src/crypto/addresses.ts";
import type { Cancel } from "../src/interfaces.ts";
import { dev } from "../src/profiles/index.ts";
import { openStore, type Store } from "../src/storage/store.ts";
import { buildTransaction } from "../src/testing/build-transaction.ts";
import { DevNode, keyPairOf, rootKeyPair } from "../src/testing/dev-node.ts";
import { VirtualClock } from "../src/testing/virtual-clock.ts";
import type { Transaction } from "../src/transactions/index.ts";
import { threadVerifier } from "../src/verification/verifier.ts";
import { report } from "./figures.ts";

const [step, directory = "", kind = "transfers"] = process.argv.slice(2);
const BLOCKS = 105;
const TRANSACTIONS = 3_500;
/** Recipients of a mass transfer. */
const RECIPIENTS = 4;
const START = Number(dev.genesis.blockTimestamp) + 60_000;
const LATER = START + 110 * 60_000;
const APART = 60_000;
/** Number of our newest blocks that the fork replaces. The fork has one block more. */
const REPLACED = 100;

/** A clock for time slices: monotonic time is real, the time of day is fixed. */
class BenchClock extends VirtualClock {
  override monotonic(): number {
    return performance.now();
  }

  override after(delayMs: number, task: () => void): Cancel {
    if (delayMs > 0) return super.after(delayMs, task);
    const handle = setImmediate(task);
    return () => clearImmediate(handle);
  }
}

const open = (name: string): Promise<Store> => openStore(join(directory, name), { network: "bench" });

function nodeOf(store: Store): DevNode {
  return new DevNode({ store, clock: new BenchClock(LATER), accounts: [] });
}

let serial = 0;

function transactionOf(timestamp: number): Transaction {
  serial++;
  const recipient = (n: number): Uint8Array => {
    const key = new Uint8Array(32);
    new DataView(key.buffer).setUint32(0, n % 20_000);
    return addressOf(key, dev.chainId);
  };
  const plan = { sender: rootKeyPair, fee: 1_000_000_000n, timestamp, chainId: dev.chainId };
  if (kind === "transfers")
    return buildTransaction({
      ...plan,
      type: 4,
      members: { recipient: recipient(serial), amount: BigInt(serial), attachment: new Uint8Array(0) },
    });
  const transfers = Array.from({ length: RECIPIENTS }, (_, i) => ({
    recipient: recipient(serial * RECIPIENTS + i),
    amount: BigInt(serial),
  }));
  return buildTransaction({ ...plan, type: 11, members: { transfers, attachment: new Uint8Array(0) } });
}

function nextBlock(chain: Chain, transactions: number, feeVote: number): Block {
  const { keyBlock } = chain.tip;
  const timestamp = keyBlock.timestamp + BigInt(APART);
  const draft = chain.forging.draftBlock(rootKeyPair.publicKey, timestamp, LATER);
  const list = Array.from({ length: transactions }, (_, i) =>
    transactionOf(Number(timestamp) - 1 - (i % 1000)),
  );
  return buildBlock({ ...draft, transactions: list, features: [], feeVote }, rootKeyPair);
}

function grow(chain: Chain, block: Block): void {
  const result = atOnce(chain.accept(block, { signature: true }));
  if (!result.ok) throw new Error(result.error.printed);
}

/** Builds two chains with the same first blocks. Each block of the second chain goes into its own file. */
async function build(): Promise<void> {
  const [ours, theirs] = [await open("ours"), await open("theirs")];
  const [one, other] = [nodeOf(ours).chain, nodeOf(theirs).chain];
  for (let i = 0; i < BLOCKS - REPLACED; i++) {
    const block = nextBlock(one, TRANSACTIONS, 0);
    grow(one, block);
    grow(other, block);
  }
  for (let i = 0; i < REPLACED; i++) grow(one, nextBlock(one, TRANSACTIONS, 0));
  for (let i = 0; i <= REPLACED; i++) {
    const block = nextBlock(other, TRANSACTIONS, 1);
    grow(other, block);
    writeFileSync(join(directory, `fork-${i}`), blockBytes(block));
  }
  await ours.close();
  await theirs.close();
}

function sentBlock(bytes: Uint8Array): ReceivedBlock {
  return { bytes, scan: scanBlock(bytes) };
}

function phantom(): readonly ReceivedBlock[] {
  const first = sentBlock(readFileSync(join(directory, "fork-0")));
  const block = { ...blockFields(first), baseTarget: 1n, transactions: [] };
  return [sentBlock(blockBytes(buildBlock(block, keyPairOf("nobody"))))];
}

function blockFields({ scan }: ReceivedBlock) {
  const { transactionCount: _, signature: __, generator: ___, ...fields } = scan.header;
  return fields;
}

/** Resident bytes without file pages: the system can reclaim the store's pages at any time. Linux only. */
function ownMemory(): number {
  try {
    const kB = /^RssAnon:\s+(\d+)/m.exec(readFileSync("/proc/self/status", "latin1"))?.[1];
    return 1_024 * Number(kB ?? 0);
  } catch {
    return 0;
  }
}

async function offer(blocks: readonly ReceivedBlock[]): Promise<void> {
  const store = await open("ours");
  const node = nodeOf(store);
  const verifier = threadVerifier(node.profile, 1);
  const intake = new ExtensionIntake(node.chain, verifier, node.profile, { maxRollback: 100 });
  const MB = 2 ** 20;
  let peak = process.memoryUsage().rss;
  const before = peak;
  let heap = 0;
  let own = 0;
  let longest = 0;
  let commits = 0;
  let last = performance.now();
  const look = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    const { rss, heapUsed } = process.memoryUsage();
    peak = Math.max(peak, rss);
    heap = Math.max(heap, heapUsed);
    own = Math.max(own, ownMemory());
  };
  node.chain.onChange(() => {
    commits++;
    look();
  });
  const timer = setInterval(look, 5);
  const began = performance.now();
  const result = await intake.offer(blocks).apply();
  look();
  const took = performance.now() - began;
  await new Promise((resolve) => setTimeout(resolve, 10));
  look();
  const switching = longest;
  longest = 0;
  // Reverted transactions return to the pool.
  const isBack = () => node.log.lines.find(({ facts }) => "returned" in facts);
  while (result.kind === "applied" && isBack() === undefined)
    await new Promise((resolve) => setTimeout(resolve, 10));
  look();
  clearInterval(timer);
  const back = performance.now() - began - took;
  const what = "refusal" in result ? result.refusal.printed.slice(-60) : result.kind;
  console.log(
    `${step} (${kind}): ${result.kind} after ${took.toFixed(0)} ms in ${commits} commits, longest turn ` +
      `${switching.toFixed(0)} ms; the pool ${back.toFixed(0)} ms, longest turn ${longest.toFixed(0)} ms; ` +
      `resident ${(before / MB).toFixed(0)} MB, at most ${(Math.max(peak, process.resourceUsage().maxRSS * 1024) / MB).toFixed(0)} MB, ` +
      `${(own / MB).toFixed(0)} MB without pages of the store, heap ${(heap / MB).toFixed(0)} MB: ${what}`,
  );
  report(`${step} (${kind}): longest slice of the main thread`, switching, "ms");
  report(`${step} (${kind}): memory without pages of the store`, own / MB, "MB");
  if (node.pool.size > 0)
    console.log(`  ${JSON.stringify(isBack()?.facts)}, ${node.pool.byteSize} bytes in the pool`);
  await verifier.close();
  await store.close();
}

if (step === "build") await build();
else if (step === "phantom") await offer(phantom());
else {
  const files = Array.from({ length: REPLACED + 1 }, (_, i) => readFileSync(join(directory, `fork-${i}`)));
  await offer(files.map(sentBlock));
}
