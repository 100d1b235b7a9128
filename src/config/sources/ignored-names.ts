/** Names that the reference knows and this node has no use for, and why: they are warned of, not refused. */

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

const { connections, sync, gossip, microBlocks } = STANDARD_PEERS;
const UTX = "synchronization.utx-synchronizer";
const MICRO_BLOCKS = "synchronization.micro-block-synchronizer";
const REPLIER = "synchronization.history-replier";

/** Settings of the reference that are constants here: the path, the name that they had as settings of ours, the value. */
const CONSTANTS: readonly (readonly [path: string, name: string, value: string | number])[] = [
  ["miner.fee-vote-watch-interval", "fee-vote-interval", exactDuration(FEE_VOTE_POLL_INTERVAL_MS)],
  ["network.peers-data-residence-time", "peers-data-residence-time", exactDuration(connections.knownPeerMs)],
  ["network.peers-broadcast-interval", "peers-broadcast-interval", exactDuration(connections.askForPeersMs)],
  ["network.max-unverified-peers", "max-unverified-peers", connections.maxUnverified],
  [
    "network.received-txs-cache-timeout",
    "received-txs-cache-timeout",
    exactDuration(connections.rememberTransactionsMs),
  ],
  ["synchronization.max-chain-length", "sync-max-chain-length", sync.maxChainLength],
  [
    "synchronization.invalid-blocks-storage.timeout",
    "invalid-blocks-timeout",
    exactDuration(sync.invalidBlocksMs),
  ],
  [`${REPLIER}.max-block-cache-size`, "max-block-cache-size", sync.blockCache],
  [`${REPLIER}.max-micro-block-cache-size`, "max-micro-block-cache-size", sync.microBlockCache],
  [`${UTX}.network-tx-cache-size`, "network-tx-cache-size", gossip.rememberedTransactions],
  [`${UTX}.network-tx-cache-time`, "network-tx-cache-time", exactDuration(gossip.rememberMs)],
  [`${UTX}.max-buffer-size`, "tx-buffer-size", gossip.batchSize],
  [`${UTX}.max-buffer-time`, "tx-buffer-time", exactDuration(gossip.batchMs)],
  [
    `${MICRO_BLOCKS}.wait-response-timeout`,
    "micro-block-response-timeout",
    exactDuration(microBlocks.responseMs),
  ],
  [
    `${MICRO_BLOCKS}.processed-micro-blocks-cache-timeout`,
    "processed-micro-blocks-cache-timeout",
    exactDuration(microBlocks.processedMs),
  ],
  [`${MICRO_BLOCKS}.inv-cache-timeout`, "inv-cache-timeout", exactDuration(microBlocks.announcementMs)],
];

/** Settings that we had before they became constants. */
export const IGNORED_NAMES: ReadonlyMap<string, string> = new Map(
  CONSTANTS.map(([, name, value]) => [name, `it is always ${value}`]),
);

/** Settings of the reference, by their paths below the network's name: this one, and all below it. */
export const IGNORED_PATHS: ReadonlyMap<string, string> = new Map([
  ["data-directory", "the chain is kept in the folder `chain` of the data directory"],
  ["max-cache-size", "the caches of this node have sizes of their own"],
  ["matcher", "there is no exchange in this protocol any more"],
  ["fees", "fees are voted on"],
  ["utx.cleanup-interval", "transactions that are in the chain leave the pool with their block"],
  ["miner.max-transactions-in-key-block", "key blocks are built without transactions"],
  ["network.upnp", NO_UPNP],
  ...CONSTANTS.map(([path, , value]): [string, string] => [path, `it is always ${value}`]),
  ["synchronization.score-ttl", "the score of a node counts as long as it is connected"],
  ["synchronization.invalid-blocks-storage.max-size", "the number of invalid blocks in memory is fixed"],
]);

/** Sections of the reference's file beside the network's own. */
export const IGNORED_SECTIONS: ReadonlyMap<string, string> = new Map([
  ["kamon", NO_METRICS],
  ["metrics", NO_METRICS],
  ["akka", "this node is no Java program"],
  ["logback", "the log is set by --log-level and --log-format"],
]);

/** Why a path, or what it is part of, has no effect. */
export function reasonIgnored(path: string, reasons: ReadonlyMap<string, string>): string | undefined {
  for (const [name, reason] of reasons) if (path === name || path.startsWith(`${name}.`)) return reason;
  return undefined;
}
