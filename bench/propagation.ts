/**
 * Measures real nodes as processes on loopback: the time that a transaction and a micro block take through five nodes
 * in a line, the memory of a node with 100 idle connections, and the effect of a flood from 20 peers on a forging node.
 * `npm run bench -- propagation`. `HOLDFAST_BENCH_TURNS` (40) sets the number of transactions, `HOLDFAST_BENCH_SECONDS`
 * (60) the duration of the flood and of the quiet phase before it. Memory is available on Linux only.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { decodeBase58 } from "../src/bytes/base58.ts";
import { bytesKey } from "../src/bytes/compare.ts";
import { addressOf } from "../src/crypto/addresses.ts";
import { DEV_SEED_TEXT } from "../src/profiles/dev.ts";
import { buildTransaction } from "../src/testing/build-transaction.ts";
import { keyPairOf } from "../src/testing/dev-node.ts";
import { copyTransaction, type Transaction, transactionBytes } from "../src/transactions/index.ts";
import { report } from "./figures.ts";
import { inHome, median, whole } from "./support.ts";
import { ask, type BenchNode, startNode, WirePeer } from "./wire-peer.ts";

const TURNS = Number(process.env.HOLDFAST_BENCH_TURNS ?? 40);
const SECONDS = Number(process.env.HOLDFAST_BENCH_SECONDS ?? 60);
const NODES = 5;
const IDLE = 100;
const WANTED_MB = 256;
const FLOODERS = 20;
/** Interval between new connections from one address, ms: a node accepts 5 per second. */
const PACE_MS = 220;
const CHAIN_ID = "Z".charCodeAt(0);
const LTO = 100_000_000n;
const root = keyPairOf(DEV_SEED_TEXT);
/** The forger waits a second longer than the protocol requires. A block later than this has missed its slot. */
const EXTRA_DELAY_MS = 1_000;
const LATE_MS = 250;

let serial = 0n;
function transfer(sender = root): Transaction {
  return buildTransaction({
    type: 4,
    sender,
    fee: LTO,
    timestamp: Date.now(),
    chainId: CHAIN_ID,
    members: {
      recipient: addressOf(root.publicKey, CHAIN_ID),
      amount: (serial++ % LTO) + 1n,
      attachment: new Uint8Array(0),
    },
  });
}

const height = async (node: BenchNode): Promise<number> =>
  (await ask<{ height: number }>(node, "/blocks/height")).height;

/** Arrival times of messages of one kind at both ends of the line, by id. */
class Arrivals {
  readonly #times = new Map<string, number>();
  note(id: Uint8Array): void {
    const key = bytesKey(id);
    if (!this.#times.has(key)) this.#times.set(key, performance.now());
  }
  /** Milliseconds from the first end to the second, for all messages that reached both. */
  static between(first: Arrivals, second: Arrivals): number[] {
    return [...first.#times].flatMap(([key, time]) => {
      const arrived = second.#times.get(key);
      return arrived === undefined ? [] : [arrived - time];
    });
  }
}

function tell(what: string, times: readonly number[]): void {
  const sorted = [...times].sort((a, b) => a - b);
  console.log(
    `${what.padEnd(14)} ${String(times.length).padStart(5)} ${whole(median(sorted)).padStart(10)} ${whole(sorted.at(-1) ?? Number.NaN).padStart(10)}`,
  );
  report(`${what} through ${NODES} nodes, median`, median(sorted), "ms");
}

async function line(home: string): Promise<void> {
  const nodes: BenchNode[] = [];
  for (let i = 0; i < NODES; i++)
    nodes.push(await startNode(join(home, `${i}`), ...(i === 0 ? [] : ["--no-forge"])));
  const [first] = nodes as [BenchNode];
  const last = nodes[NODES - 1] as BenchNode;
  try {
    for (const [i, node] of nodes.slice(1).entries())
      await ask(node, "/peers/connect", { host: "127.0.0.1", port: (nodes[i] as BenchNode).p2pPort });
    while (Math.min(...(await Promise.all(nodes.map(height)))) < 3) await delay(100);
    const [sent, came, announced, heard] = [new Arrivals(), new Arrivals(), new Arrivals(), new Arrivals()];
    const near = await WirePeer.to(first.p2pPort, (message) => {
      if (message.type === "MicroBlockInv") announced.note(message.announcement.totalSignature);
      if (message.type === "Transaction") came.note(message.bytes);
    });
    const far = await WirePeer.to(last.p2pPort, (message) => {
      if (message.type === "MicroBlockInv") heard.note(message.announcement.totalSignature);
    });
    for (let turn = 0; turn < TURNS; turn++) {
      const transaction = transfer();
      sent.note(transactionBytes(transaction));
      // Send towards the forging node: in the other direction the micro block would overtake the transaction.
      await far.say({ type: "Transaction", bytes: transactionBytes(transaction) });
      await delay(500);
    }
    await delay(2_000);
    console.log("five in a line  count  median, ms  longest, ms");
    tell("transaction", Arrivals.between(sent, came));
    tell("micro block", Arrivals.between(announced, heard));
    near.close();
    far.close();
  } finally {
    for (const node of nodes) await node.stop();
  }
}

/** Current and peak resident memory of a process, bytes. */
function memory(node: BenchNode): readonly [now: number, peak: number] {
  const path = `/proc/${node.process.pid}/status`;
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  const of = (name: string): number => Number(new RegExp(`${name}:\\s*(\\d+) kB`).exec(text)?.[1]) * 1_024;
  return [of("VmRSS"), of("VmHWM")];
}

async function idle(home: string): Promise<void> {
  const node = await startNode(home);
  const peers: WirePeer[] = [];
  try {
    await delay(5_000);
    const [before] = memory(node);
    while (peers.length < IDLE) {
      peers.push(await WirePeer.to(node.p2pPort));
      await delay(PACE_MS);
    }
    await delay(10_000);
    const { peers: connected } = await ask<{ peers: unknown[] }>(node, "/peers/connected");
    const [now, peak] = memory(node);
    if (connected.length < IDLE) throw new Error(`Only ${connected.length} connections are open`);
    const note = `before: ${whole(before / 2 ** 20)} MB; peak: ${whole(peak / 2 ** 20)} MB`;
    report(`memory with ${IDLE} idle connections`, now / 2 ** 20, "MB", { atMost: WANTED_MB }, note);
  } finally {
    for (const peer of peers) peer.close();
    await node.stop();
  }
}

/** Delay of each block of a period after its due time, ms. */
async function lateness(node: BenchNode, ms: number): Promise<number[]> {
  const due = new Map<number, number>();
  const late: number[] = [];
  const end = performance.now() + ms;
  while (performance.now() < end) {
    const at = await height(node);
    if (!due.has(at + 1)) {
      const [info] = await ask<{ timestamp: number }[]>(node, "/debug/minerInfo");
      if (info !== undefined && (await height(node)) === at) due.set(at + 1, info.timestamp + EXTRA_DELAY_MS);
    }
    const time = due.get(at);
    if (time !== undefined) {
      due.delete(at);
      late.push((await ask<{ timestamp: number }>(node, `/blocks/headers/at/${at}`)).timestamp - time);
    }
    await delay(100);
  }
  return late;
}

async function flood(home: string): Promise<void> {
  const file = join(home, "delays");
  process.env.BENCH_DELAY_FILE = file;
  process.env.NODE_OPTIONS = `--import=${pathToFileURL(join(import.meta.dirname, "delay-probe-worker.js")).href}`;
  const node = await startNode(join(home, "node"));
  delete process.env.NODE_OPTIONS;
  const delays = (): number[] => readFileSync(file, "utf8").trim().split("\n").map(Number);
  const { signature: first } = await ask<{ signature: string }>(node, "/blocks/first");
  const genesis = decodeBase58(first, 100);
  let said = 0;
  let isOver = false;
  const attack = async (peer: WirePeer): Promise<void> => {
    while (!isOver && !peer.isClosed) {
      const valid = transfer();
      const invalid = copyTransaction(valid, { proofs: [new Uint8Array(64).fill(said % 256)] });
      const messages = [
        { type: "Transaction", bytes: transactionBytes(valid) },
        { type: "Transaction", bytes: transactionBytes(invalid) },
        { type: "Transaction", bytes: transactionBytes(transfer(keyPairOf("stranger"))) },
        { type: "GetSignatures", ids: [genesis] },
        { type: "GetBlock", id: genesis },
        { type: "MicroBlockRequest", id: genesis },
      ] as const;
      said += messages.length;
      await peer.say(...messages);
      // Yield, since the flood shares its thread with the observers.
      await delay(5);
    }
  };
  try {
    console.log(
      "\nforging        key blocks  latest, ms  missed  main thread's longest delay, ms: median, most",
    );
    const measured = async (name: string): Promise<void> => {
      const seen = delays().length;
      const late = await lateness(node, SECONDS * 1_000);
      const of = delays().slice(seen);
      console.log(
        `${name.padEnd(14)} ${String(late.length).padStart(10)} ${whole(Math.max(...late)).padStart(11)} ${String(late.filter((ms) => ms > LATE_MS).length).padStart(7)} ${whole(median(of)).padStart(8)} ${whole(Math.max(...of)).padStart(8)}`,
      );
      report(
        `key blocks of a ${name} node that are late`,
        late.filter((ms) => ms > LATE_MS).length,
        "blocks",
      );
    };
    await delay(5_000);
    await measured("quiet");
    const peers: WirePeer[] = [];
    for (let i = 0; i < FLOODERS; i++) peers.push(await WirePeer.to(node.p2pPort));
    const attacks = peers.map((peer) => attack(peer));
    await measured("flooded");
    isOver = true;
    await Promise.all(attacks);
    const { size } = await ask<{ size: number }>(node, "/transactions/unconfirmed/size");
    console.log(
      `${FLOODERS} peers said ${whole(said)} messages; ${peers.filter((peer) => peer.isClosed).length} were cut off; ${size} transactions wait; ${whole(memory(node)[1] / 2 ** 20)} MB at most`,
    );
    for (const peer of peers) peer.close();
  } finally {
    await node.stop();
  }
}

await inHome(line);
await inHome(idle);
await inHome(flood);
