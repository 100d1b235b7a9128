/** Blocks that peers push. Page 04 §13.1. */
import { type Block, type BlockHeader, blockBytes, blockFromScan } from "../../blocks/block.ts";
import { encodeBase58 } from "../../bytes/base58.ts";
import { bytesKey } from "../../bytes/compare.ts";
import { blockText, signatureRefusal } from "../../chain/deciding/block-refusal.ts";
import { sequenceInTip } from "../../chain/reading/tip.ts";
import { getOrInsert } from "../../collections/get-or-insert.ts";
import { MAX_FUTURE_MS } from "../../consensus/proof-of-stake.ts";
import { fastHash } from "../../crypto/hashes.ts";
import type { Cancel } from "../../interfaces.ts";
import { TokenBucket } from "../../runtime/token-bucket.ts";
import type { Peer } from "../connections/peer.ts";
import type { PeerContext } from "../context.ts";
import type { ReceivedMessage } from "../wire/messages.ts";
import { parseWithTransactions } from "./received-transactions.ts";

/** Per peer, for blocks that pass the first checks. */
const BLOCK_BUDGET = { perSecond: 2, burst: 20 };
/** Maximum wait for a block dated ahead of our clock, ms. */
const MAX_WAIT_MS = 10_000;
const MAX_PENDING = 16;
const MAX_PENDING_OF_PEER = 2;
const MAX_PENDING_BYTES = 8 * 2 ** 20;

interface PendingBlock {
  readonly senders: Set<Peer>;
  readonly bytes: number;
}

/** Applies blocks that follow the tip, and broadcasts those without transactions. */
export class PushedBlocks {
  readonly #dependencies: PeerContext;
  readonly #budgets = new WeakMap<Peer, TokenBucket>();
  /** Key: hash of all bytes, so that an altered copy cannot replace a block. */
  readonly #pending = new Map<string, PendingBlock>();
  readonly #waitTimers = new Set<Cancel>();
  #isStopped = false;

  constructor(dependencies: PeerContext) {
    this.#dependencies = dependencies;
  }

  stop(): void {
    this.#isStopped = true;
    for (const cancel of this.#waitTimers) cancel();
    this.#waitTimers.clear();
  }

  /** @returns a promise if reading from the peer must wait for it; otherwise undefined */
  handle(peer: Peer, message: ReceivedMessage<"Block">): Promise<void> | undefined {
    if (this.#isStopped) return undefined;
    const { chain, clock } = this.#dependencies;
    const { header } = message.scan;
    // A chain change in progress may add the parent.
    const mayParentArrive = chain.isBusy && !this.#isChildOfTip(header);
    if (!mayParentArrive && !(this.#isChildOfTip(header) && this.#msUntilDue(header) <= MAX_WAIT_MS))
      return undefined;
    const budget = getOrInsert(this.#budgets, peer, () => new TokenBucket(clock, BLOCK_BUDGET));
    if (!budget.take()) return undefined;
    const key = bytesKey(fastHash(message.bytes));
    const known = this.#pending.get(key);
    if (known !== undefined) {
      known.senders.add(peer);
      return undefined;
    }
    const pending = { senders: new Set([peer]), bytes: message.bytes.length };
    if (!this.#hasRoomFor(peer, pending.bytes)) return undefined;
    this.#pending.set(key, pending);
    const work = this.#process(peer, message, pending).finally(() => this.#pending.delete(key));
    if (!mayParentArrive && this.#msUntilDue(header) === 0) return work;
    // The block must wait: the peer's next messages must not wait with it.
    work.catch((error: unknown) => {
      if (!this.#isStopped)
        this.#dependencies.log.error("Cannot process a pushed block", { peer: peer.label, error });
    });
    return undefined;
  }

  #isChildOfTip({ reference }: BlockHeader): boolean {
    return sequenceInTip(this.#dependencies.chain.tip, reference) !== undefined;
  }

  #mayFit(header: BlockHeader): boolean {
    const checked = this.#dependencies.chain.checkHeader(header);
    if (checked.ok) return checked.value === "fits";
    return checked.error.kind === "BlockFromFuture" && this.#msUntilDue(header) <= MAX_WAIT_MS;
  }

  /** A block is due when it may be applied. Page 03 §8.6. */
  #msUntilDue({ timestamp }: BlockHeader): number {
    const due = timestamp - BigInt(MAX_FUTURE_MS) + 1n - BigInt(this.#dependencies.clock.now());
    return due <= 0n ? 0 : Number(due);
  }

  #hasRoomFor(peer: Peer, bytes: number): boolean {
    let totalBytes = bytes;
    let peerCount = 0;
    for (const pending of this.#pending.values()) {
      totalBytes += pending.bytes;
      if (pending.senders.has(peer)) peerCount++;
    }
    return (
      this.#pending.size < MAX_PENDING && peerCount < MAX_PENDING_OF_PEER && totalBytes <= MAX_PENDING_BYTES
    );
  }

  async #process(peer: Peer, message: ReceivedMessage<"Block">, pending: PendingBlock): Promise<void> {
    const { chain, checks, log } = this.#dependencies;
    const { header } = message.scan;
    if (chain.isBusy && !this.#isChildOfTip(header)) await chain.whenFree(() => {});
    if (!this.#mayFit(header)) return;
    const checked = await this.#parseSigned(peer, message);
    if (checked === undefined) return;
    const { block, signed } = checked;
    await checks.verifyTransactions(peer.label, block.transactions);
    const parent = chain.heightOf(header.reference);
    const runs = parent === undefined ? [] : chain.scriptRuns(block.transactions, parent + 1);
    await checks.runBlockScripts(peer.label, runs);
    await this.#waitUntilDue(header);
    if (this.#isStopped) return;
    const result = await chain.whenFree(() => chain.accept(block, { signature: signed }));
    if (!result.ok) {
      if (result.error.kind === "InvalidSignature") this.#ban(peer, block);
      const id = encodeBase58(block.signature);
      log.debug("Pushed block refused", { peer: peer.label, id, reason: result.error.printed });
    } else if (result.value === "appended") {
      for (const sender of pending.senders) sender.credit("block");
      if (block.transactions.length === 0)
        this.#dependencies.network.broadcast({ type: "Block", bytes: blockBytes(block) }, pending.senders);
    }
  }

  /** @returns undefined if the peer was banned; `signed` is undefined if the check was impossible */
  async #parseSigned(
    peer: Peer,
    { bytes, scan }: ReceivedMessage<"Block">,
  ): Promise<{ readonly block: Block; readonly signed: boolean | undefined } | undefined> {
    const { checks, pool, rules } = this.#dependencies;
    const isReceivedFormSigned = await checks.isSigned(peer.label, bytes.subarray(0, scan.length));
    const read = parseWithTransactions({ peer, pool, rules }, bytes, scan.offsets, (transactions) =>
      blockFromScan(bytes, scan, transactions),
    );
    if (read === undefined) return undefined;
    const { block, canonical } = read;
    // The signature covers the canonical bytes.
    const signed = canonical ? isReceivedFormSigned : await checks.isSigned(peer.label, blockBytes(block));
    if (signed !== false) return { block, signed };
    this.#ban(peer, block);
    return undefined;
  }

  #ban(peer: Peer, block: Block): void {
    const text = blockText(block);
    peer.blacklist(`Could not append ${text}: ${signatureRefusal(text).printed}`);
  }

  #waitUntilDue(header: BlockHeader): Promise<void> {
    const ms = this.#msUntilDue(header);
    if (ms === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.#dependencies.clock.after(ms, () => {
        this.#waitTimers.delete(cancel);
        resolve();
      });
      this.#waitTimers.add(cancel);
    });
  }
}
