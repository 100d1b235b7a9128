/**
 * Copies a forging node that receives transactions and hashes, repeatedly: alternately a backup and a snapshot. Each copy
 * becomes a node of its own, whose chain is verified and continues.
 */
import { cpSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { readEvents } from "../../src/client/events.ts";
import { SeededRandom } from "../../src/testing/seeded-random.ts";
import { importChain } from "./imported-chain.ts";
import { Feed } from "./kill-feed.ts";
import { everything } from "./kill-modes.ts";
import {
  cliPath,
  heightOf,
  type NodeProcess,
  removeFolder,
  runCli,
  startNodeProcess,
  until,
} from "./node-process.ts";
import { type PeerProcess, peerOn, SHARED } from "./peer-process.ts";

export const copyKinds = ["backup", "snapshot"] as const;
export type CopyKind = (typeof copyKinds)[number];
/** What the machine did when a gap between two commits began; `other` is not measured. */
export type Phase = CopyKind | "quiet" | "other";

/** Maximum time before a copy, ms: enough for several micro blocks. */
const MAX_WAIT_MS = 2_000;
/** Each micro block finds transactions while gaps are measured. At other times the chain grows slowly. */
const FEED_PAUSE_MS = 20;
const SLOW_FEED_PAUSE_MS = 250;
/** Transactions in a block of the first part of the chain. */
const PER_BLOCK = 300;
const LAST_LINES = 2_000;
const ARGS = ["--ntp-server", "off", ...everything];

/** Times between two commits of blocks or micro blocks, ms. */
export type Gaps = Readonly<Record<Phase, readonly number[]>>;

export interface CopyReport {
  readonly copies: Readonly<Record<CopyKind, number>>;
  readonly gaps: Gaps;
  readonly height: number;
  readonly accepted: number;
  readonly confirmed: number;
  readonly promised: number;
}

/**
 * @param times number of copies of each kind
 * @param transactions number of transactions on the chain before the first copy
 * @throws Error that names the round and the fault
 */
export async function copyRounds(options: {
  readonly folder: string;
  readonly times: number;
  readonly seed: number;
  readonly transactions: number;
  readonly report?: (rounds: number, gaps: Gaps) => void;
}): Promise<CopyReport> {
  const { folder, times, transactions, report } = options;
  const random = new SeededRandom(options.seed);
  const dataDir = join(folder, "source");
  const blocks = Math.ceil(transactions / PER_BLOCK);
  if (blocks > 0) await importChain(dataDir, new Array<number>(blocks).fill(PER_BLOCK), everything);
  const source = await peerOn(await startNodeProcess({ dataDir, args: [...ARGS, ...SHARED] }));
  const feed = new Feed(new SeededRandom(random.below(2 ** 31)));
  const phases = new Phases();
  const over = new AbortController();
  const copies = { backup: 0, snapshot: 0 };
  const feeding = feed.run(
    source,
    () => over.signal.aborted,
    () => (phases.isMeasured ? FEED_PAUSE_MS : SLOW_FEED_PAUSE_MS),
  );
  const watching = phases.watch(source.url, over.signal);
  // Reported when the rounds end; a rejection must not end the process before that.
  feeding.catch(() => over.abort());
  try {
    await Promise.race([feed.nextConfirmed(), feeding]);
    const rounds = new CopiedNode(source, folder, phases);
    for (let round = 0; round < 2 * times && !over.signal.aborted; round++) {
      const kind = copyKinds[round % 2];
      phases.enter("quiet");
      await delay(random.below(MAX_WAIT_MS));
      try {
        await rounds.copyAndCheck(kind);
      } catch (error) {
        throw new Error(`Round ${round + 1} (${kind}): ${error instanceof Error ? error.message : error}`, {
          cause: error,
        });
      }
      copies[kind]++;
      report?.(round + 1, phases.gaps);
    }
    over.abort();
    await feeding;
    await watching;
    await feed.checkPromises(source);
    const { gaps } = phases;
    const [height, accepted, confirmed, promised] = [
      await heightOf(source),
      feed.accepted,
      feed.confirmedCount,
      feed.promisedCount,
    ];
    return { copies, gaps, height, accepted, confirmed, promised };
  } finally {
    over.abort();
    await source.stop();
  }
}

/** Records times between commits of a node by the phase in which they began. */
class Phases {
  readonly gaps: Record<Phase, number[]> = { quiet: [], backup: [], snapshot: [], other: [] };
  #phase: Phase = "other";
  #onCommit: () => void = () => {};
  #last: { readonly at: number; readonly phase: Phase } | undefined;

  enter(phase: Phase): void {
    this.#phase = phase;
  }

  /** Ends a measured phase with the next commit, so that its last gap is complete. */
  leave(): Promise<void> {
    return new Promise((resolve) => {
      this.#onCommit = () => {
        this.#phase = "other";
        resolve();
      };
    });
  }

  get isMeasured(): boolean {
    return this.#phase !== "other";
  }

  async watch(url: string, signal: AbortSignal): Promise<void> {
    try {
      for await (const _ of readEvents({ url, fetch, signal, events: ["block", "microblock"] })) {
        const at = performance.now();
        if (this.#last !== undefined) this.gaps[this.#last.phase].push(at - this.#last.at);
        this.#onCommit();
        this.#onCommit = () => {};
        this.#last = { at, phase: this.#phase };
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}

/** One copy after the other of the same node. */
class CopiedNode {
  readonly #source: PeerProcess;
  readonly #folder: string;
  readonly #phases: Phases;

  constructor(source: PeerProcess, folder: string, phases: Phases) {
    this.#source = source;
    this.#folder = folder;
    this.#phases = phases;
  }

  async copyAndCheck(kind: CopyKind): Promise<void> {
    const { dataDir } = this.#source;
    const copy = join(this.#folder, "copy");
    const restored = join(this.#folder, "restored");
    this.#phases.enter(kind);
    const copied =
      kind === "backup"
        ? await holdfast(["backup", copy, "--with-wallet", "--data-dir", dataDir])
        : await holdfast(["snapshot", "create", copy, "--data-dir", dataDir]);
    await this.#phases.leave();
    const height = heightIn(copied);
    if (kind === "backup") cpSync(copy, restored, { recursive: true });
    else await holdfastHere(["snapshot", "restore", copy, "--trust-source", "--data-dir", restored]);
    const verified = await holdfastHere(["verify", "--data-dir", restored, ...everything]);
    if (!verified.includes("No faults") || verified.includes("Not compared"))
      throw new Error(`The copy has faults: ${verified}`);
    if (kind === "backup") await this.#forges(restored, height);
    else await this.#follows(restored, height);
    removeFolder(copy);
    removeFolder(restored);
  }

  /** The backup contains the wallet, so its node forges on. */
  async #forges(dataDir: string, height: number): Promise<void> {
    const node = await startNodeProcess({ dataDir, args: ARGS });
    await this.#expectBlock(node, height - 1);
    await until("the copy to forge", async () => (await heightOf(node)) > height || undefined);
    await stopped(node);
  }

  /** The node of the snapshot downloads the blocks since then. */
  async #follows(dataDir: string, height: number): Promise<void> {
    const node = await peerOn(await startNodeProcess({ dataDir, args: ["--no-forge", ...ARGS, ...SHARED] }));
    await node.connect(this.#source);
    await until("the copy to receive blocks", async () => (await heightOf(node)) > height || undefined);
    await this.#expectBlock(node, height);
    await stopped(node);
  }

  /** A block below the tip keeps its id. */
  async #expectBlock(node: NodeProcess, height: number): Promise<void> {
    if (height < 1) return;
    const [copied, original] = await Promise.all(
      [node, this.#source].map(async ({ get }) => (await get(`/blocks/headers/at/${height}`)).json.signature),
    );
    if (copied === undefined || copied !== original)
      throw new Error(`The copy has block ${copied} at height ${height}, the node has ${original}`);
  }
}

async function stopped(node: NodeProcess): Promise<void> {
  const code = await node.stop();
  if (code !== 0) throw new Error(`The copy ended with code ${code}: ${node.output().slice(-LAST_LINES)}`);
}

/** Runs a command in a process of its own. @returns its output @throws Error if it fails */
async function holdfast(args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runCli(args);
  if (code !== 0) throw new Error(`${args[0]} ended with code ${code}: ${stderr.slice(-LAST_LINES)}`);
  return stdout;
}

/** Runs a command of the compiled program in this process, whose code is compiled after the first rounds. */
async function holdfastHere(args: readonly string[]): Promise<string> {
  // Threads need the compiled files.
  const { runCommand }: typeof import("../../src/cli/testing/fake-node.ts") = await import(
    new URL("./cli/testing/fake-node.js", pathToFileURL(cliPath)).href
  );
  const { code, out, err } = await runCommand(args);
  if (code !== 0) throw new Error(`${args[0]} ended with code ${code}: ${err.slice(-LAST_LINES)}`);
  return out + err;
}

function heightIn(output: string): number {
  const height = /up to height ([\d,]+), block/.exec(output)?.[1];
  if (height === undefined) throw new Error(`The copy names no height: ${output}`);
  return Number(height.replaceAll(",", ""));
}
