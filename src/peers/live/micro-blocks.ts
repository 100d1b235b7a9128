/** Page 04 §14. */

import type { MicroBlockAnnouncement } from "../../blocks/announcement.ts";
import { type MicroBlock, microBlockBytes } from "../../blocks/micro-block.ts";
import { encodeBase58 } from "../../bytes/base58.ts";
import { bytesEqual, bytesKey } from "../../bytes/compare.ts";
import { microBlockText, signatureRefusal } from "../../chain/deciding/block-refusal.ts";
import { getOrInsert } from "../../collections/get-or-insert.ts";
import { failed } from "../../errors/result.ts";
import type { Cancel } from "../../interfaces.ts";
import { contain } from "../../runtime/contain.ts";
import { ExpiringMap } from "../../runtime/expiring-map.ts";
import { TokenBucket } from "../../runtime/token-bucket.ts";
import type { Peer } from "../connections/peer.ts";
import type { PeerContext } from "../context.ts";
import type { MicroBlockOptions } from "../options.ts";
import { pickRandom } from "../random-choice.ts";
import { shortId } from "../short-id.ts";
import type { ReceivedMessage } from "../wire/messages.ts";
import { type AnnouncedMicroBlock, Announcements } from "./announcements.ts";
import { parseWithTransactions } from "./received-transactions.ts";

interface MicroBlockDependencies extends PeerContext {
  readonly options: MicroBlockOptions;
}

const ANNOUNCEMENT_BUDGET = { perSecond: 5, burst: 50 };
/** After this many requests for a micro block, other announced ones come first. Page 04 §3. */
const PREFERRED_ATTEMPTS = 2;
const MAX_PROCESSED = 1_000;
const MAX_OPEN_REQUESTS = 16;

interface MicroBlockSizes {
  readonly announced: number;
  readonly announcedReferences: number;
  readonly awaited: number;
  readonly processed: number;
}

interface PeerState {
  readonly budget: TokenBucket;
  /** Announcements of requested micro blocks, by total signature. */
  readonly requested: ExpiringMap<MicroBlockAnnouncement>;
  unansweredCount: number;
}

export class MicroBlocks {
  readonly #dependencies: MicroBlockDependencies;
  readonly #announcements: Announcements;
  readonly #states = new WeakMap<Peer, PeerState>();
  /** Total signatures of appended and refused micro blocks. */
  readonly #processed: ExpiringMap<true>;
  /** Peers asked since the tip changed, by total signature. */
  #askedPeers = new Map<string, Set<Peer>>();
  /** The tip that the micro blocks of `#askedPeers` and `#request` follow. */
  #requestTipId: Uint8Array | undefined;
  #request: { readonly peer: Peer; readonly key: string; readonly cancel: Cancel } | undefined;
  #unsubscribe = (): void => {};
  #isStopped = false;

  constructor(dependencies: MicroBlockDependencies) {
    const { network, clock, options } = dependencies;
    this.#dependencies = dependencies;
    this.#announcements = new Announcements(clock, options.announcementMs);
    this.#processed = new ExpiringMap(clock, options.processedMs, MAX_PROCESSED);
    network.on("MicroBlockInv", (peer, { announcement }) => this.#onAnnouncement(peer, announcement));
    network.on("MicroBlockResponse", (peer, message) => this.#onResponse(peer, message));
    network.onClosed((peer) => this.#onClosed(peer));
  }

  start(): void {
    const { chain, log } = this.#dependencies;
    this.#unsubscribe = chain.onChange(() => {
      contain({ log, message: "Cannot request the next micro block" }, () => this.#requestNext());
    });
  }

  /** Page 06 §7.16. */
  get sizes(): MicroBlockSizes {
    const { microBlocks, references } = this.#announcements.sizes;
    return {
      announced: microBlocks,
      announcedReferences: references,
      awaited: this.#request === undefined ? 0 : 1,
      processed: this.#processed.size,
    };
  }

  stop(): void {
    this.#isStopped = true;
    this.#unsubscribe();
    this.#request?.cancel();
    this.#request = undefined;
  }

  #onClosed(peer: Peer): void {
    this.#announcements.forget(peer);
    if (this.#request?.peer !== peer) return;
    this.#request.cancel();
    this.#request = undefined;
    this.#requestNext();
  }

  #onAnnouncement(peer: Peer, announcement: MicroBlockAnnouncement): Promise<void> | undefined {
    if (this.#isStopped || !this.#stateOf(peer).budget.take()) return undefined;
    if (!this.#announcements.has(announcement)) return this.#checkSignature(peer, announcement);
    this.#addAnnouncement(peer, announcement);
    return undefined;
  }

  async #checkSignature(peer: Peer, announcement: MicroBlockAnnouncement): Promise<void> {
    const { checks, rules } = this.#dependencies;
    const isSigned = await checks.isAnnouncementSigned(peer.label, announcement, rules.chainId);
    if (this.#isStopped || peer.isClosed) return;
    if (isSigned) {
      this.#addAnnouncement(peer, announcement);
      return;
    }
    const { totalSignature, reference } = announcement;
    const text = `MicroBlockInv(${shortId(totalSignature)} ~> ${shortId(reference)})`;
    peer.blacklist(signatureRefusal(text).printed);
  }

  #addAnnouncement(peer: Peer, announcement: MicroBlockAnnouncement): void {
    // The generator is checked later, because the referenced block may be missing now.
    this.#announcements.add(peer, announcement);
    this.#requestNext();
  }

  #requestNext(): void {
    if (this.#isStopped) return;
    const { tip } = this.#dependencies.chain;
    if (this.#requestTipId === undefined || !bytesEqual(this.#requestTipId, tip.id)) {
      this.#requestTipId = tip.id;
      this.#askedPeers = new Map();
      this.#request?.cancel();
      this.#request = undefined;
    }
    if (this.#request !== undefined || !tip.liquid) return;
    const { options, clock } = this.#dependencies;
    const next = this.#chooseRequest(this.#announcements.findFollowing(tip.id, tip.keyBlock.generatorKey));
    if (next === undefined) return;
    const { peer, announcement } = next;
    const state = this.#stateOf(peer);
    const key = bytesKey(announcement.totalSignature);
    state.requested.set(key, announcement);
    const cancel = clock.after(options.responseTimeoutMs, () => {
      state.unansweredCount++;
      this.#request = undefined;
      this.#requestNext();
    });
    this.#request = { peer, key, cancel };
    peer.send({ type: "MicroBlockRequest", id: announcement.totalSignature });
  }

  /**
   * Chooses the first announced micro block with fewer than `PREFERRED_ATTEMPTS` requests, or else the first with an
   * unasked owner. Prefers owners with the fewest unanswered requests.
   */
  #chooseRequest(
    announced: readonly AnnouncedMicroBlock[],
  ): { peer: Peer; announcement: MicroBlockAnnouncement } | undefined {
    for (const limit of [PREFERRED_ATTEMPTS, Number.POSITIVE_INFINITY])
      for (const { announcement, owners } of announced) {
        const key = bytesKey(announcement.totalSignature);
        const asked = this.#askedPeers.get(key) ?? new Set();
        if (this.#processed.has(key) || asked.size >= limit) continue;
        const unasked = owners.filter((owner) => !owner.isClosed && !asked.has(owner));
        const fewest = Math.min(...unasked.map((owner) => this.#stateOf(owner).unansweredCount));
        const peer = pickRandom(
          this.#dependencies.random,
          unasked.filter((owner) => this.#stateOf(owner).unansweredCount === fewest),
        );
        if (peer === undefined) continue;
        this.#askedPeers.set(key, asked.add(peer));
        return { peer, announcement };
      }
    return undefined;
  }

  async #onResponse(peer: Peer, message: ReceivedMessage<"MicroBlockResponse">): Promise<void> {
    const { header } = message.scan;
    const state = this.#stateOf(peer);
    const key = bytesKey(header.totalSignature);
    const announcement = state.requested.get(key);
    if (this.#isStopped || announcement === undefined) return;
    state.requested.delete(key);
    state.unansweredCount = 0;
    const request = this.#request;
    const isAwaited = request?.peer === peer && request.key === key;
    if (isAwaited) request.cancel();
    try {
      await this.#append(peer, announcement, message);
    } finally {
      // After a chain change, another request may be open.
      if (isAwaited && this.#request === request) this.#request = undefined;
      this.#requestNext();
    }
  }

  #followsTip(reference: Uint8Array): boolean {
    return bytesEqual(reference, this.#dependencies.chain.tip.id);
  }

  async #append(
    peer: Peer,
    announcement: MicroBlockAnnouncement,
    { bytes, scan: { header, offsets } }: ReceivedMessage<"MicroBlockResponse">,
  ): Promise<void> {
    const { network, chain, pool, checks, rules, log } = this.#dependencies;
    if (!chain.checkMicroBlock(header).ok) return;
    const micro = parseWithTransactions(
      { peer, pool, rules },
      bytes,
      offsets,
      (transactions): MicroBlock => ({ ...header, transactions }),
    );
    if (micro === undefined) return;
    const id = encodeBase58(micro.totalSignature);
    const signed = await checks.isSigned(peer.label, microBlockBytes(micro));
    if (signed !== false) {
      await checks.verifyTransactions(peer.label, micro.transactions);
      const runs = chain.scriptRuns(micro.transactions, chain.tip.height);
      await checks.runBlockScripts(peer.label, runs);
    }
    const result =
      signed === false
        ? failed(signatureRefusal(microBlockText(micro)))
        : await chain.whenFree(() => chain.acceptMicroBlock(micro, { signature: signed }));
    if (result.ok) {
      if (result.value === "appended") peer.credit("microBlock");
      this.#processed.set(bytesKey(micro.totalSignature), true);
      const owners = this.#announcements.owners(micro.totalSignature).add(peer);
      network.broadcast({ type: "MicroBlockInv", announcement }, owners);
    } else if (result.error.kind === "InvalidSignature")
      peer.blacklist(`Could not append microblock ${id}: ${result.error.printed}`);
    else {
      // If the tip has not changed, the micro block itself is invalid.
      if (this.#followsTip(header.reference)) this.#processed.set(bytesKey(micro.totalSignature), true);
      log.debug("Micro block refused", { peer: peer.label, total: id, reason: result.error.printed });
    }
  }

  #stateOf(peer: Peer): PeerState {
    const { clock, options } = this.#dependencies;
    return getOrInsert(this.#states, peer, () => ({
      budget: new TokenBucket(clock, ANNOUNCEMENT_BUDGET),
      requested: new ExpiringMap(clock, options.announcementMs, MAX_OPEN_REQUESTS),
      unansweredCount: 0,
    }));
  }
}
