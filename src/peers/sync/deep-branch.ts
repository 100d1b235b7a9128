/**
 * Searches peers for a better chain that branches off deeper than `max-rollback`. This node only
 * reports such a chain.
 */
import type { BlockHeader } from "../../blocks/block.ts";
import { bytesEqual, bytesKey } from "../../bytes/compare.ts";
import type { Chain } from "../../chain/chain.ts";
import type { ReceivedBlock } from "../../chain/checking/extension-intake.ts";
import { MAX_BRANCH_BLOCKS } from "../../chain/deciding/branch-score.ts";
import { type DeepBranch, deepBranchText } from "../../control/deep-branch.ts";
import type { Cancel, Clock, Log } from "../../interfaces.ts";
import { contain } from "../../runtime/contain.ts";
import { ExpiringMap } from "../../runtime/expiring-map.ts";
import { tables } from "../../storage/tables.ts";
import type { NetworkRules } from "../../transactions/index.ts";
import type { Preverifier } from "../../verification/ahead.ts";
import type { Peer } from "../connections/peer.ts";

const IDS_PER_REQUEST = 100;
/** Maximum requests until the last common block is found. */
const MAX_ROUNDS = 8;
/** In the first request, depths of ids grow with powers of this factor. */
const DEPTH_FACTOR = 1.1;
const BLOCKS_PER_REQUEST = 10;
const ANSWER_TIMEOUT_MS = 30_000;
const SEARCH_TIMEOUT_MS = 600_000;
const SEARCH_INTERVAL_MS = 600_000;
const MAX_SEARCHED_HOSTS = 1_000;
const FOUND_LIFETIME_MS = 1_800_000;
const LOG_INTERVAL_MS = 3_600_000;

interface FoundBranch {
  readonly commonId: Uint8Array;
  readonly firstId: Uint8Array;
  readonly commonHeight: number;
  /** Undefined if the checked blocks do not exceed our score. */
  readonly score: bigint | undefined;
  /** Monotonic time, ms. */
  readonly foundAt: number;
  readonly peers: WeakSet<Peer>;
}

interface Search {
  readonly peer: Peer;
  readonly startedAt: number;
  rounds: number;
  requestedIds: ReadonlySet<string> | undefined;
  commonId: Uint8Array | undefined;
  readonly headers: BlockHeader[];
  /** Headers that `branchScore` has already seen. */
  checkedCount: number;
  /** Oldest first. */
  missingIds: readonly Uint8Array[];
  readonly requestedBlocks: Map<string, "open" | "in check" | BlockHeader>;
  cancel: Cancel;
}

interface DeepBranchDependencies {
  readonly chain: Pick<Chain, "tip" | "heightOf" | "read" | "branchScore">;
  readonly clock: Clock;
  readonly log: Log;
  readonly maxRollback: number;
  readonly checks: Pick<Preverifier, "isReceivedSigned">;
  readonly rules: NetworkRules;
  readonly onEnd: (peer: Peer, isFound: boolean) => void;
}

export class DeepBranchSearch {
  readonly #dependencies: DeepBranchDependencies;
  readonly #searchedHosts: ExpiringMap<true>;
  #search: Search | undefined;
  #found: FoundBranch | undefined;
  #loggedAt = Number.NEGATIVE_INFINITY;

  constructor(dependencies: DeepBranchDependencies) {
    this.#dependencies = dependencies;
    this.#searchedHosts = new ExpiringMap(dependencies.clock, SEARCH_INTERVAL_MS, MAX_SEARCHED_HOSTS);
  }

  get found(): DeepBranch | undefined {
    const { chain, clock, maxRollback } = this.#dependencies;
    const found = this.#found;
    if (found === undefined) return undefined;
    const depth = chain.tip.height - found.commonHeight;
    const isCurrent =
      depth > maxRollback &&
      (found.score === undefined || found.score > chain.tip.score) &&
      clock.monotonic() - found.foundAt < FOUND_LIFETIME_MS &&
      chain.heightOf(found.commonId) === found.commonHeight;
    if (!isCurrent) this.#found = undefined;
    return isCurrent ? { commonHeight: found.commonHeight, depth, maxRollback } : undefined;
  }

  isSearching(peer: Peer): boolean {
    return this.#search?.peer === peer;
  }

  /** @param peer claims a better chain, and knows none of our newest blocks. */
  start(peer: Peer): void {
    const { chain, clock, maxRollback, onEnd } = this.#dependencies;
    if (this.found !== undefined && this.#found?.peers.has(peer)) {
      onEnd(peer, true);
      return;
    }
    const newestHeight = chain.tip.height - maxRollback;
    if (this.#search !== undefined || newestHeight < 1 || peer.isClosed || this.#searchedHosts.has(peer.host))
      return;
    this.#searchedHosts.set(peer.host, true);
    this.#search = {
      peer,
      startedAt: clock.monotonic(),
      rounds: 0,
      requestedIds: undefined,
      commonId: undefined,
      headers: [],
      checkedCount: 0,
      missingIds: [],
      requestedBlocks: new Map(),
      cancel: () => {},
    };
    const depths = Array.from(
      { length: IDS_PER_REQUEST - 1 },
      (_, i) => Math.floor(DEPTH_FACTOR ** i) + i - 1,
    );
    this.#requestIdsAt(this.#search, [
      ...depths.map((depth) => newestHeight - depth).filter((height) => height > 1),
      1,
    ]);
  }

  /** @returns false for an answer to another request */
  takeIds(peer: Peer, ids: readonly Uint8Array[]): boolean {
    const search = this.#search;
    if (search?.peer !== peer || search.requestedIds === undefined) return false;
    if (ids.length > 0 && !search.requestedIds.has(bytesKey(ids[0]))) return false;
    search.requestedIds = undefined;
    this.#runStep(search, () => this.#readIds(search, ids));
    return true;
  }

  takeBlock(peer: Peer, block: ReceivedBlock): boolean {
    const search = this.#search;
    const key = bytesKey(block.scan.header.signature);
    if (search?.peer !== peer || search.requestedBlocks.get(key) !== "open") return false;
    search.requestedBlocks.set(key, "in check");
    const { log, checks, rules } = this.#dependencies;
    const onFailure = (): void => this.#end(search, false);
    contain({ log, message: "Cannot check a block of a branch", onFailure }, async () => {
      const signed = await checks.isReceivedSigned(peer.label, block, rules);
      if (this.#search !== search) return;
      // Undefined if no thread can check the block now.
      if (signed !== true) this.#end(search, false);
      else {
        search.requestedBlocks.set(key, copyHeader(block.scan.header));
        this.#runStep(search, () => this.#readBlocks(search));
      }
    });
    return true;
  }

  forget(peer: Peer): void {
    if (this.#search?.peer === peer) this.#end(this.#search, false);
  }

  end(): void {
    if (this.#search !== undefined) this.#end(this.#search, false);
  }

  #runStep(search: Search, step: () => void): void {
    const { clock } = this.#dependencies;
    if (clock.monotonic() - search.startedAt > SEARCH_TIMEOUT_MS) {
      this.#end(search, false);
      return;
    }
    search.cancel();
    search.cancel = clock.after(ANSWER_TIMEOUT_MS, () => this.#handleTimeout(search));
    step();
  }

  #requestIdsAt(search: Search, heights: readonly number[]): void {
    const ids = this.#dependencies.chain.read((reader) =>
      heights.map((height) => reader.get(tables.headers, height)?.signature),
    );
    this.#requestIds(
      search,
      ids.filter((id) => id !== undefined),
    );
  }

  #requestIds(search: Search, ids: readonly Uint8Array[]): void {
    search.requestedIds = new Set(ids.map(bytesKey));
    this.#runStep(search, () => search.peer.send({ type: "GetSignatures", ids }));
  }

  #readIds(search: Search, ids: readonly Uint8Array[]): void {
    if (search.commonId !== undefined) {
      const known = new Set(search.headers.map(({ signature }) => bytesKey(signature)));
      this.#fetchBlocks(
        search,
        ids.filter((id) => !known.has(bytesKey(id))),
      );
      return;
    }
    const { chain, maxRollback } = this.#dependencies;
    const firstUnknown = ids.findIndex((id) => chain.heightOf(id) === undefined);
    const common = ids[firstUnknown < 0 ? ids.length - 1 : firstUnknown - 1];
    const height = common && chain.heightOf(common);
    const limit = chain.tip.height - maxRollback;
    if (common === undefined || height === undefined || height >= limit || ++search.rounds > MAX_ROUNDS)
      this.#end(search, false);
    else if (firstUnknown < 0) {
      const step = Math.max(1, Math.ceil((limit - height) / (IDS_PER_REQUEST - 1)));
      const heights = Array.from({ length: IDS_PER_REQUEST }, (_, i) => height + i * step);
      this.#requestIdsAt(search, heights.filter((at) => at <= limit).reverse());
    } else if (
      this.#found !== undefined &&
      bytesEqual(this.#found.firstId, ids[firstUnknown]) &&
      this.found
    ) {
      // Another peer has proven this branch.
      this.#found.peers.add(search.peer);
      this.#end(search, true);
    } else {
      search.commonId = common;
      this.#fetchBlocks(search, ids.slice(firstUnknown));
    }
  }

  #fetchBlocks(search: Search, ids: readonly Uint8Array[]): void {
    search.missingIds = ids.slice(0, MAX_BRANCH_BLOCKS - search.headers.length);
    search.requestedBlocks.clear();
    if (search.missingIds.length === 0) this.#end(search, false);
    else this.#requestBlocks(search);
  }

  #requestBlocks(search: Search): void {
    for (const id of search.missingIds.slice(0, BLOCKS_PER_REQUEST)) {
      if (search.requestedBlocks.has(bytesKey(id))) continue;
      search.requestedBlocks.set(bytesKey(id), "open");
      search.peer.send({ type: "GetBlock", id });
    }
  }

  #readBlocks(search: Search): void {
    this.#takeConsecutive(search);
    const { headers, checkedCount, missingIds } = search;
    if (missingIds.length === 0 || headers.length - checkedCount >= BLOCKS_PER_REQUEST)
      this.#judgeBranch(search, true);
    else this.#requestBlocks(search);
  }

  #takeConsecutive(search: Search): void {
    const { headers, missingIds, requestedBlocks } = search;
    const firstMissing = missingIds.findIndex((id) => typeof requestedBlocks.get(bytesKey(id)) !== "object");
    const arrived = firstMissing < 0 ? missingIds : missingIds.slice(0, firstMissing);
    for (const id of arrived) {
      const header = requestedBlocks.get(bytesKey(id));
      if (typeof header === "object") headers.push(header);
    }
    search.missingIds = missingIds.slice(arrived.length);
  }

  /** Judges the branch by the blocks before the first missing one. */
  #handleTimeout(search: Search): void {
    if (search.commonId === undefined || search.requestedIds !== undefined) {
      this.#end(search, false);
      return;
    }
    this.#takeConsecutive(search);
    this.#judgeBranch(search, false);
  }

  #judgeBranch(search: Search, mayContinue: boolean): void {
    const { chain, clock } = this.#dependencies;
    const { commonId, headers, missingIds } = search;
    if (commonId === undefined) return;
    const branch = chain.branchScore(commonId, headers, search.checkedCount);
    search.checkedCount = headers.length;
    const commonHeight = chain.heightOf(commonId);
    if (branch === undefined || commonHeight === undefined || headers.length === 0) this.#end(search, false);
    else if (branch.isBetter) {
      const peers = new WeakSet([search.peer]);
      const [{ signature: firstId }] = headers;
      const score = branch.score > chain.tip.score ? branch.score : undefined;
      this.#found = { commonId, commonHeight, firstId, score, foundAt: clock.monotonic(), peers };
      this.#report();
      this.#end(search, true);
    } else if (!mayContinue || headers.length === MAX_BRANCH_BLOCKS) this.#end(search, false);
    else if (missingIds.length > 0) this.#requestBlocks(search);
    else
      this.#requestIds(
        search,
        headers
          .slice(-BLOCKS_PER_REQUEST)
          .map(({ signature }) => signature)
          .reverse(),
      );
  }

  #report(): void {
    const { clock, log } = this.#dependencies;
    const branch = this.found;
    if (branch === undefined || clock.monotonic() - this.#loggedAt < LOG_INTERVAL_MS) return;
    this.#loggedAt = clock.monotonic();
    log.warn(deepBranchText(branch));
  }

  #end(search: Search, isFound: boolean): void {
    search.cancel();
    if (this.#search !== search) return;
    this.#search = undefined;
    this.#dependencies.onEnd(search.peer, isFound);
  }
}

/** The copy does not keep the block's bytes in memory. */
function copyHeader(header: BlockHeader): BlockHeader {
  return {
    ...header,
    reference: Uint8Array.from(header.reference),
    generationSignature: Uint8Array.from(header.generationSignature),
    generator: Uint8Array.from(header.generator),
    signature: Uint8Array.from(header.signature),
  };
}
