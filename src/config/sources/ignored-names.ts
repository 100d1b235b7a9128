import { exactDuration } from "../../bytes/durations.ts";
import { FEE_VOTE_FILE_POLL_INTERVAL_MS } from "../../forging/options.ts";
import { DEFAULT_PEER_OPTIONS } from "../../peers/options.ts";

const OWN_FEE_VOTE = "votes are set with --fee-vote or the fee vote file";

/** Why container variables have no effect, by name without the prefix. Page 06 §8.3. */
export const IGNORED_VARIABLES: ReadonlyMap<string, string> = new Map([
  ["HEAP_SIZE", "this node manages its memory automatically"],
  ["CONFIG_FILE", "--config or HOLDFAST_CONFIG names the settings file"],
  ["FEE_TARGET", OWN_FEE_VOTE],
  ["FEE_MAX_PRICE", OWN_FEE_VOTE],
]);

export const IGNORED_PLAIN_VARIABLES: ReadonlyMap<string, string> = new Map([
  ["COINMARKETCAP_API_KEY", `this node does not fetch prices; ${OWN_FEE_VOTE}`],
]);

const NO_UPNP = "this node has no UPnP: forward the P2P port in the router";
const NO_METRICS = "this node sends no metrics";

const FIXED_BY_NETWORK = "the network's value";
const ms = exactDuration;
const { connections, sync, gossip, microBlocks } = DEFAULT_PEER_OPTIONS;

/**
 * Settings of the reference that are constants here. `name`: its name in earlier releases of Holdfast; default: the end
 * of the path.
 */
const CONSTANTS: readonly (readonly [path: string, value: string | number, name?: string])[] = [
  ["miner.fee-vote-watch-interval", ms(FEE_VOTE_FILE_POLL_INTERVAL_MS), "fee-vote-interval"],
  ["miner.minimal-block-generation-offset", ms(0)],
  ["miner.min-micro-block-age", FIXED_BY_NETWORK],
  ["miner.max-transactions-in-micro-block", FIXED_BY_NETWORK],
  ["network.peers-data-residence-time", ms(connections.knownPeerMs)],
  ["network.peers-broadcast-interval", ms(connections.peerRequestIntervalMs)],
  ["network.max-unverified-peers", connections.maxUnverified],
  ["network.received-txs-cache-timeout", ms(connections.rememberTransactionsMs)],
  ["network.break-idle-connections-timeout", ms(connections.idleTimeoutMs)],
  ["network.connection-timeout", ms(connections.dialTimeoutMs)],
  ["network.handshake-timeout", ms(connections.handshakeTimeoutMs)],
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
    ms(microBlocks.responseTimeoutMs),
    "micro-block-response-timeout",
  ],
  [
    "synchronization.micro-block-synchronizer.processed-micro-blocks-cache-timeout",
    ms(microBlocks.processedMs),
  ],
  ["synchronization.micro-block-synchronizer.inv-cache-timeout", ms(microBlocks.announcementMs)],
];

export const IGNORED_NAMES: ReadonlyMap<string, string> = new Map(
  CONSTANTS.map(([path, value, name = path.slice(path.lastIndexOf(".") + 1)]) => [
    name,
    `it is always ${value}`,
  ]),
);

/** Why settings of the reference have no effect, by path below the section `lto`. */
export const IGNORED_PATHS: ReadonlyMap<string, string> = new Map([
  ["data-directory", "the chain is in the directory `chain` of the data directory"],
  ["max-cache-size", "cache sizes are fixed"],
  ["matcher", "the protocol no longer has an exchange"],
  ["fees", "fees are voted on"],
  ["utx.cleanup-interval", "confirmed transactions leave the pool with their block"],
  ["miner.max-transactions-in-key-block", "key blocks are built without transactions"],
  ["network.upnp", NO_UPNP],
  ...CONSTANTS.map(([path, value]): [string, string] => [path, `it is always ${value}`]),
  ["synchronization.score-ttl", "the score of a node is valid while it is connected"],
  ["synchronization.invalid-blocks-storage.max-size", "the number of remembered invalid blocks is fixed"],
]);

/** Why other sections of the reference's file have no effect. */
export const IGNORED_SECTIONS: ReadonlyMap<string, string> = new Map([
  ["kamon", NO_METRICS],
  ["metrics", NO_METRICS],
  ["akka", "this node is not a Java program"],
  ["logback", "--log-level and --log-format configure the log"],
]);

export function reasonIgnored(path: string, reasons: ReadonlyMap<string, string>): string | undefined {
  for (const [name, reason] of reasons) if (path === name || path.startsWith(`${name}.`)) return reason;
  return undefined;
}
