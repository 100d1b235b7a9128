/** Page 04 §2. */
import type { ForgedListener } from "../forging/forger.ts";
import { areaLog } from "../runtime/area-log.ts";
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
import { logPeers } from "./peer-log.ts";
import { Sync, type SyncDependencies } from "./sync/sync.ts";

interface PeersDependencies
  extends Omit<ConnectionLayerDependencies, "chainId" | "options">,
    Omit<LiveUpdatesDependencies, "network" | "options">,
    Pick<SyncDependencies, "extensions" | "blockDelayMs" | "metrics"> {
  readonly options: PeersOptions;
}

export interface Peers extends ConnectionLayer {
  readonly count: number;
  readonly sync: Pick<Sync, "progress" | "deepBranch" | "state" | "announceScore" | "scoreOf">;
  readonly history: Pick<ChainHistory, "cacheSizes">;
  readonly microBlocks: LiveUpdates["microBlocks"];
  readonly forged: ForgedListener;
  transactionAdded(transaction: Transaction): void;
}

/** Sends nothing before `start`. @throws NodeNameError */
export function createPeers(dependencies: PeersDependencies): Peers {
  const { clock, rules, options } = dependencies;
  const log = rateLimitedLog(dependencies.log, clock);
  const syncLog = areaLog(dependencies.log, "sync");
  const { chainId } = rules;
  const connections = createConnectionLayer({
    ...dependencies,
    log,
    chainId,
    options: options.connections,
  });
  const { network } = connections;
  const endPeerLog = logPeers({ network, clock: namedClock(clock, "log of peers"), log });

  // Listeners run in the order of creation: a new peer gets `GetPeers` first, then our score.
  const partContext = (name: string) => ({ ...dependencies, network, log, clock: namedClock(clock, name) });
  const history = new ChainHistory(dependencies.chain, clock, options.sync);
  const replier = new HistoryReplier({ ...partContext("answers to peers"), history });
  const sync = new Sync({
    ...partContext("synchronization"),
    log: rateLimitedLog(syncLog, clock),
    blockLog: syncLog,
    options: options.sync,
  });
  const live = createLiveUpdates(partContext("news of peers"));
  network.on("Block", (peer, message) =>
    sync.takeRequestedBlock(peer, message) ? undefined : live.takePushedBlock(peer, message),
  );

  return {
    ...connections,
    get count() {
      return network.count;
    },
    get listeningPort() {
      return connections.listeningPort;
    },
    sync,
    history,
    microBlocks: live.microBlocks,
    forged: live.forged,
    transactionAdded: live.transactionAdded,
    async start() {
      live.start();
      await connections.start();
    },
    async stop() {
      endPeerLog();
      live.stop();
      sync.end();
      await connections.stop();
      replier.end();
      history.close();
    },
  };
}
