/** Names that the reference knows and this node has no use for, and why: they are warned of, not refused. */

const OWN_FEE_VOTE = "votes are set by --fee-vote or the fee vote file";

/** Variables of the reference's container, without their prefix. Page 06 §8.3. */
export const VARIABLES_WITHOUT_EFFECT: ReadonlyMap<string, string> = new Map([
  ["HEAP_SIZE", "this node manages its memory by itself"],
  ["CONFIG_FILE", "the settings file is named by --config or HOLDFAST_CONFIG"],
  ["FEE_TARGET", OWN_FEE_VOTE],
  ["FEE_MAX_PRICE", OWN_FEE_VOTE],
]);

/** Variables of the container that have no prefix. */
export const PLAIN_WITHOUT_EFFECT: ReadonlyMap<string, string> = new Map([
  ["COINMARKETCAP_API_KEY", `this node asks nobody for prices; ${OWN_FEE_VOTE}`],
]);

const NO_UPNP = "this node has no UPnP: forward the port for other nodes in the router yourself";
const NO_METRICS = "this node sends no metrics";

/** Settings of the reference, by their paths below the network's name: this one, and all below it. */
export const PATHS_WITHOUT_EFFECT: ReadonlyMap<string, string> = new Map([
  ["data-directory", "the chain is kept in the folder `chain` of the data directory"],
  ["max-cache-size", "the caches of this node have sizes of their own"],
  ["matcher", "there is no exchange in this protocol any more"],
  ["fees", "fees are voted on"],
  ["utx.cleanup-interval", "transactions that are in the chain leave the pool with their block"],
  ["miner.max-transactions-in-key-block", "key blocks are built without transactions"],
  ["network.upnp", NO_UPNP],
  ["synchronization.score-ttl", "the score of a node counts as long as it is connected"],
  ["synchronization.invalid-blocks-storage.max-size", "the number of invalid blocks in memory is fixed"],
]);

/** Sections of the reference's file beside the network's own. */
export const SECTIONS_WITHOUT_EFFECT: ReadonlyMap<string, string> = new Map([
  ["kamon", NO_METRICS],
  ["metrics", NO_METRICS],
  ["akka", "this node is no Java program"],
  ["logback", "the log is set by --log-level and --log-format"],
]);

/** Why a path, or what it is part of, has no effect. */
export function reasonFor(path: string, reasons: ReadonlyMap<string, string>): string | undefined {
  for (const [name, reason] of reasons) if (path === name || path.startsWith(`${name}.`)) return reason;
  return undefined;
}
