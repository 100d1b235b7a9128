/** Names of the reference that have no effect here, and why. They cause a warning, not an error. */

import { exactDuration } from "../../bytes/durations.ts";
import { FEE_VOTE_POLL_INTERVAL_MS } from "../../forging/options.ts";
import { STANDARD_PEERS } from "../../peers/options.ts";

const OWN_FEE_VOTE = "votes are set by --fee-vote or the fee vote file";

/** Variables of the reference's container, without their prefix. Page 06 §8.3. */
export const IGNORED_VARIABLES: ReadonlyMap<string, string> = new Map([
  ["HEAP_SIZE", "this node manages its memory by itself"],
  ["CONFIG_FILE", "the settings file is named by --config or HOLDFAST_CONFIG"],
  ["FEE_TARGET", OWN_FEE_VOTE],
  ["FEE_MAX_PRICE", OWN_FEE_VOTE],
]);

/** Variables of the container that have no prefix. */
export const IGNORED_PLAIN_VARIABLES: ReadonlyMap<string, string> = new Map([
  ["COINMARKETCAP_API_KEY", `this node asks nobody for prices; ${OWN_FEE_VOTE}`],
]);

const NO_UPNP = "this node has no UPnP: forward the port for other nodes in the router yourself";
const NO_METRICS = "this node sends no metrics";

const OF_NETWORK = "that of the network";
const ms = exactDuration;
const { connections, sync, gossip, microBlocks } = STANDARD_PEERS;

/**
 * Settings of the reference that are constants here: path, value, and the earlier name as a setting of this node if
 * it is not the last part of the path.
 */
const CONSTANTS: readonly (readonly [path: string, value: string | number, name?: string])[] = [
  ["miner.fee-vote-watch-interval", ms(FEE_VOTE_POLL_INTERVAL_MS), "fee-vote-interval"],
  ["miner.minimal-block-generation-offset", ms(0)],
  ["miner.min-micro-block-age", OF_NETWORK],
  ["miner.max-transactions-in-micro-block", OF_NETWORK],
  ["network.peers-data-residence-time", ms(connections.knownPeerMs)],
  ["network.peers-broadcast-interval", ms(connections.askForPeersMs)],
  ["network.max-unverified-peers", connections.maxUnverified],
  ["network.received-txs-cache-timeout", ms(connections.rememberTransactionsMs)],
  ["network.break-idle-connections-timeout", ms(connections.idleMs)],
  ["network.connection-timeout", ms(connections.dialMs)],
  ["network.handshake-timeout", ms(connections.handshakeMs)],
  ["network.traffic-logger.ignore-tx-messages", connections.quietWhenSent.join(",")],
  ["network.traffic-logger.ignore-rx-messages", connections.quietWhenReceived.join(",")],
  ["synchronization.synchronization-timeout", ms(sync.timeoutMs)],
  ["synchronization.max-chain-length", sync.maxChainLength, "sync-max-chain-length"],
  ["synchronization.invalid-blocks-storage.timeout", ms(sync.invalidBlocksMs), "invalid-blocks-timeout"],
  ["synchronization.history-replier.max-block-cache-size", sync.blockCache],
  ["synchronization.history-replier.max-micro-block-cache-size", sync.microBlockCache],
  ["synchronization.utx-synchronizer.network-tx-cache-size", gossip.rememberedTransactions],
  ["synchronization.utx-synchronizer.network-tx-cache-time", ms(gossip.rememberMs)],
  ["synchronization.utx-synchronizer.max-buffer-size", gossip.batchSize, "tx-buffer-size"],
  ["synchronization.utx-synchronizer.max-buffer-time", ms(gossip.batchMs), "tx-buffer-time"],
  [
    "synchronization.micro-block-synchronizer.wait-response-timeout",
    ms(microBlocks.responseMs),
    "micro-block-response-timeout",
  ],
  [
    "synchronization.micro-block-synchronizer.processed-micro-blocks-cache-timeout",
    ms(microBlocks.processedMs),
  ],
  ["synchronization.micro-block-synchronizer.inv-cache-timeout", ms(microBlocks.announcementMs)],
];

/** Earlier settings of this node that are constants now. */
export const IGNORED_NAMES: ReadonlyMap<string, string> = new Map(
  CONSTANTS.map(([path, value, name = path.slice(path.lastIndexOf(".") + 1)]) => [
    name,
    `it is always ${value}`,
  ]),
);

/** Settings of the reference by their paths below the network's name, including all below them. */
export const IGNORED_PATHS: ReadonlyMap<string, string> = new Map([
  ["data-directory", "the chain is kept in the folder `chain` of the data directory"],
  ["max-cache-size", "the caches of this node have sizes of their own"],
  ["matcher", "there is no exchange in this protocol any more"],
  ["fees", "fees are voted on"],
  ["utx.cleanup-interval", "transactions that are in the chain leave the pool with their block"],
  ["miner.max-transactions-in-key-block", "key blocks are built without transactions"],
  ["network.upnp", NO_UPNP],
  ...CONSTANTS.map(([path, value]): [string, string] => [path, `it is always ${value}`]),
  ["synchronization.score-ttl", "the score of a node counts as long as it is connected"],
  ["synchronization.invalid-blocks-storage.max-size", "the number of invalid blocks in memory is fixed"],
]);

/** Other sections of the reference's file. */
export const IGNORED_SECTIONS: ReadonlyMap<string, string> = new Map([
  ["kamon", NO_METRICS],
  ["metrics", NO_METRICS],
  ["akka", "this node is no Java program"],
  ["logback", "the log is set by --log-level and --log-format"],
]);

/** Returns why a path, or a section that contains it, has no effect. */
export function reasonIgnored(path: string, reasons: ReadonlyMap<string, string>): string | undefined {
  for (const [name, reason] of reasons) if (path === name || path.startsWith(`${name}.`)) return reason;
  return undefined;
}
