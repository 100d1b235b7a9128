/** The other nodes: everything of this node that talks to them, wired together. Page 04 §2. */
import type { ForgedListener } from "../forging/forger.ts";
import { rateLimitedLog } from "../runtime/rate-limited-log.ts";
import { namedClock } from "../runtime/timers.ts";
import type { Transaction } from "../transactions/index.ts";
import {
  type ConnectionLayer,
  type ConnectionLayerDependencies,
  createConnectionLayer,
} from "./connections/connection-layer.ts";
import { ChainHistory } from "./history/chain-history.ts";
import { HistoryReplier } from "./history/history-replier.ts";
import { createLiveUpdates, type LiveUpdates, type LiveUpdatesDependencies } from "./live/live-updates.ts";
import type { PeersOptions } from "./options.ts";
import type { BlockIntake } from "./sync/loader-dependencies.ts";
import { Sync } from "./sync/sync.ts";

interface PeersDependencies
  extends Omit<ConnectionLayerDependencies, "chainId" | "options">,
    Omit<LiveUpdatesDependencies, "network" | "options"> {
  /** Takes blocks that may replace blocks of ours. */
  readonly extensions: BlockIntake;
  /** Mean delay between blocks of the network, ms. */
  readonly blockDelayMs: number;
  readonly options: PeersOptions;
}

/** What the rest of the node knows of the other nodes. */
export interface Peers extends ConnectionLayer {
  /** Number of connected peers: forging has a quorum. */
  readonly count: number;
  /** How far this node is behind others. */
  readonly sync: Pick<Sync, "progress" | "state" | "tellScore" | "scoreOf">;
  readonly history: Pick<ChainHistory, "cacheSizes">;
  /** How many micro blocks are under way. */
  readonly microBlocks: LiveUpdates["microBlocks"];
  /** Tells others what was forged here. */
  readonly forged: ForgedListener;
  /** Sends others a transaction that a client of this node brought. */
  transactionAdded(transaction: Transaction): void;
}

/**
 * Builds what talks to other nodes; nothing is sent before `start`.
 * @throws NodeNameError
 */
export function createPeers(dependencies: PeersDependencies): Peers {
  const { clock, rules, options } = dependencies;
  const log = rateLimitedLog(dependencies.log, clock);
  const { chainId } = rules;
  const neighbourhood = createConnectionLayer({
    ...dependencies,
    log,
    chainId,
    options: options.connections,
  });
  const { network } = neighbourhood;

  // Each part takes the kinds of messages that are its own. A new peer is greeted in the order of these lines: the
  // question for peers, which the neighbourhood asks, comes first, our score behind it.
  const { chain, extensions, checks, random } = dependencies;
  const history = new ChainHistory(chain, clock, options.sync);
  const replier = new HistoryReplier({ network, history, clock: namedClock(clock, "answers to peers"), log });
  const sync = new Sync({
    network,
    chain,
    intake: extensions,
    checks,
    rules,
    clock: namedClock(clock, "synchronization"),
    random,
    log,
    blockDelayMs: dependencies.blockDelayMs,
    options: options.sync,
  });
  const live = createLiveUpdates({
    ...dependencies,
    clock: namedClock(clock, "news of peers"),
    network,
    log,
  });
  network.on("Block", (peer, message) =>
    sync.takeRequestedBlock(peer, message) ? undefined : live.block(peer, message),
  );

  return {
    ...neighbourhood,
    get count() {
      return network.count;
    },
    get listeningPort() {
      return neighbourhood.listeningPort;
    },
    sync,
    history,
    microBlocks: live.microBlocks,
    forged: live.forged,
    transactionAdded: live.transactionAdded,
    async start() {
      live.start();
      await neighbourhood.start();
    },
    async stop() {
      live.stop();
      sync.end();
      // Who was just told a score is still answered.
      await neighbourhood.stop();
      replier.end();
      history.close();
    },
  };
}
