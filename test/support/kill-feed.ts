/** Transactions of the kinds that affect every index, and the node's answers about each. */
import { setTimeout as delay } from "node:timers/promises";
import { encodeBase58 } from "../../src/bytes/base58.ts";
import { encodeHex } from "../../src/bytes/hex.ts";
import { addressOf, addressText } from "../../src/crypto/addresses.ts";
import { sha256 } from "../../src/crypto/hashes.ts";
import type { SeededRandom } from "../../src/testing/seeded-random.ts";
import { type NodeProcess, transactionInfo, until } from "./node-process.ts";
import { signedRequest, walletKeys } from "./sign-request.ts";

const chainId = "Z".charCodeAt(0);
const root = walletKeys("root");
/** Number of transactions from earlier runs that are checked after each kill; at the end of a chain all are. */
const SAMPLE = 50;

/** Sends transactions and hashes to a node that is killed repeatedly, and records what its answers promised. */
export class Feed {
  /** Transactions that a node accepted with status 200. */
  accepted = 0;
  /** Accepted transactions that were in the pool when a node was killed: the pool is in memory only. */
  forgotten = 0;
  /** Transactions that a node reported as confirmed, with the height of their block. */
  private readonly confirmed = new Map<string, number>();
  /** Confirmed in the run before the last kill. */
  private recent = new Set<string>();
  /** Accepted in this run and not yet known to be confirmed. */
  private waiting = new Set<string>();
  private serial = 0;
  /** Hashes that a node promised to anchor: status 202 means that they are on its disk. */
  private readonly promised = new Set<string>();
  private readonly random: SeededRandom;
  /** Called when a transaction is reported as confirmed. */
  private onConfirmed: () => void = () => {};

  constructor(random: SeededRandom) {
    this.random = random;
  }

  get promisedCount(): number {
    return this.promised.size;
  }

  get confirmedCount(): number {
    return this.confirmed.size;
  }

  /**
   * Broadcasts transactions and polls their status until `isOver` returns true or the node is gone.
   * @param pauseMs time before the next transaction
   */
  async run(node: NodeProcess, isOver: () => boolean, pauseMs = (): number => 0): Promise<void> {
    for (let first = true; !isOver(); first = false) {
      if (pauseMs() > 0) await delay(pauseMs());
      if (first || this.random.chance(20)) await this.anchor(node);
      const answer = await node.post("/transactions/broadcast", this.nextRequest());
      // The node rejects the revocation of something unknown and accepts everything else.
      if (answer.status === 200) {
        this.accepted++;
        this.waiting.add(answer.json.id);
      }
      const [oldest] = this.waiting;
      if (oldest === undefined) continue;
      const info = await transactionInfo(node, oldest);
      // During a rollback an answer may be about a block that is about to be removed.
      if (info === undefined || isOver()) continue;
      this.confirm(oldest, info.height);
    }
  }

  private async anchor(node: NodeProcess): Promise<void> {
    const hash = encodeHex(this.random.bytes(32));
    // A node that does not gather hashes sends them at once and promises nothing.
    if ((await node.post("/hash", { hash })).status === 202) this.promised.add(hash);
  }

  /**
   * Waits until every promised hash is anchored. Requires a node that gathers hashes and an index of all anchors.
   * @throws Error that names a lost hash
   */
  async checkPromises(node: NodeProcess): Promise<void> {
    for (const hash of this.promised)
      await until(`the anchor of ${hash}`, async () => {
        const { status, json } = await node.get(`/hash/${hash}/status`);
        // An incomplete index answers with its progress.
        if (status === 503) return undefined;
        if (status !== 200) throw new Error(`The node lost the promised hash ${hash}`);
        return json.status === "anchored" || undefined;
      });
  }

  /** Resolves as soon as the node reports another transaction as confirmed. */
  nextConfirmed(): Promise<void> {
    return new Promise((resolve) => {
      this.onConfirmed = resolve;
    });
  }

  private confirm(id: string, height: number): void {
    this.onConfirmed();
    this.waiting.delete(id);
    this.confirmed.set(id, height);
    this.recent.add(id);
  }

  /** Call this after a rollback was requested: everything above this height may be gone. */
  rolledBackTo(height: number): void {
    for (const [id, at] of this.confirmed) {
      if (at <= height) continue;
      this.confirmed.delete(id);
      this.recent.delete(id);
      this.waiting.add(id);
    }
  }

  /**
   * Checks that the restarted node still has what the killed one promised.
   * @param all checks every transaction ever confirmed on this chain, instead of those of the last run and a sample
   * @throws Error that names the lost transaction
   */
  async check(node: NodeProcess, all: boolean): Promise<void> {
    const earlier = [...this.confirmed.keys()];
    const asked = new Set(all ? earlier : this.recent);
    if (earlier.length > 0) for (let i = 0; i < SAMPLE; i++) asked.add(this.random.pick(earlier));
    for (const id of asked) {
      const info = await transactionInfo(node, id);
      if (info === undefined) throw new Error(`Transaction ${id} was in a block and is lost`);
      if (info.height !== this.confirmed.get(id))
        throw new Error(`Transaction ${id} moved from ${this.confirmed.get(id)} to ${info.height}`);
    }
    this.recent.clear();
    for (const id of [...this.waiting]) {
      const info = await transactionInfo(node, id);
      if (info !== undefined) this.confirm(id, info.height);
      else this.forgotten++;
    }
    this.recent.clear();
    this.waiting.clear();
  }

  /** A transfer, an anchor, data, an association, its revocation, a lease or a mapped anchor. */
  private nextRequest(): string {
    const { random } = this;
    this.serial++;
    const other = addressText(addressOf(walletKeys("other", random.below(20)).publicKey, chainId));
    const hash = encodeBase58(sha256(random.bytes(8)));
    const associationType = 1 + random.below(3);
    const data = [{ key: `k${random.below(50)}`, type: "integer", value: this.serial }];
    const request = random.pick<Record<string, unknown>>([
      { type: 4, recipient: other, amount: 1 + random.below(1000), fee: 100_000_000 },
      { type: 15, anchors: [hash], fee: 35_000_000 },
      { type: 12, data, fee: 60_000_000 },
      { type: 16, associationType, recipient: other, fee: 50_000_000 },
      { type: 17, associationType, recipient: other, fee: 50_000_000 },
      { type: 8, recipient: other, amount: 100_000_000 + random.below(1000), fee: 100_000_000 },
      { type: 22, anchors: { [hash]: hash }, fee: 35_000_000 },
    ]);
    return signedRequest(request, root, chainId);
  }
}
