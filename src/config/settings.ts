/**
 * Every setting of the node, once. Flags, environment names, file keys, `--help`, `config print`, the table in
 * docs/operate.md and the type `Settings` are all derived from this table.
 *
 * From the name of a setting, `api-port`, come the flag `--api-port`, the variable `HOLDFAST_API_PORT` and the
 * file key `api-port`. The other names are those of the reference's container (`container`: behind `CHAIN_`
 * or the network's name, page 06 §8.3), of its configuration (`reference`: `CHAIN__REST_API__PORT`), and of the
 * indexer (`plain`, page 07 §4.2).
 */
import type { JsonOut } from "../bytes/json.ts";
import type { PeersOptions } from "../peers/options.ts";
import type { PeerAddress } from "../peers/peer-address.ts";
import type { NetworkProfile } from "../profiles/index.ts";
import { always, maybe, type Setting } from "./define-setting.ts";
import {
  base58,
  checkpointItem,
  duration,
  host,
  list,
  nodeName,
  oneOf,
  path,
  secret,
  size,
  text,
  timeServer,
  whole,
  yesNo,
} from "./kinds.ts";
import { peerSettings } from "./peer-settings.ts";
import type { Secret } from "./secret.ts";
import { defaultTrustNetwork, trustNetworkKind } from "./trust-network-kind.ts";

const DAY = 86_400_000;

export const settingsTable = {
  // ---------------------------------------------------------------------------------------------- node
  network: always(
    {
      name: "network",
      group: "node",
      container: "NETWORK",
      about:
        "Network to take part in. `dev` is a chain of one node with a funded wallet; `custom` needs --genesis",
      standardText: "dev; custom when a genesis file is given",
    },
    oneOf(["dev", "mainnet", "testnet", "custom"]),
    (network): "dev" | "mainnet" | "testnet" | "custom" => networkWord(network),
  ),
  genesis: maybe(
    {
      name: "genesis",
      group: "node",
      about: "JSON file with the genesis block, features and timings of a custom network",
    },
    path,
  ),
  dataDir: always(
    {
      name: "data-dir",
      group: "node",
      about: "Folder of chain, indexes and wallet",
      standardText: "~/.holdfast/<network>",
    },
    path,
    (_, dataDir) => dataDir,
  ),
  nodeName: maybe(
    {
      name: "node-name",
      group: "node",
      container: "NODE_NAME",
      reference: "network.node-name",
      about: "Name of this node among others",
      standardText: "Node-<nonce>",
    },
    nodeName,
  ),
  ntpServer: always(
    {
      name: "ntp-server",
      group: "node",
      about:
        "Time server that says how far this machine's clock is off; the node goes by network time then. `off`: by the clock alone",
      standardText: "pool.ntp.org; off on dev",
    },
    timeServer,
    (network): PeerAddress | undefined =>
      network.name === "dev" ? undefined : { host: "pool.ntp.org", port: 123 },
  ),
  logLevel: always(
    {
      name: "log-level",
      group: "node",
      container: "LOG_LEVEL",
      about: "What the log holds at least",
    },
    oneOf(["trace", "debug", "info", "warn", "error", "off"], {
      all: "trace",
      silent: "off",
      fatal: "error",
    }),
    "info",
  ),
  logFormat: always(
    {
      name: "log-format",
      group: "node",
      about:
        "Form of the log: one JSON object a line, or text for people. `auto` is text on a terminal, else JSON",
    },
    oneOf(["auto", "json", "text"]),
    "auto",
  ),

  // ----------------------------------------------------------------------------------------------- api
  api: always(
    {
      name: "api",
      group: "api",
      container: "ENABLE_REST_API",
      reference: "rest-api.enable",
      about:
        "Serve the HTTP interface. Switched on by ENABLE_REST_API, it listens on all addresses, except on `dev`, " +
        "unless --api-host says otherwise",
      standardText: "yes; no on mainnet",
      on: true,
    },
    yesNo,
    (network) => network.name !== "mainnet",
  ),
  apiHost: always(
    {
      name: "api-host",
      group: "api",
      reference: "rest-api.bind-address",
      about: "Address to listen on. On `dev`, loopback only",
    },
    host,
    "127.0.0.1",
  ),
  apiPort: always(
    {
      name: "api-port",
      group: "api",
      reference: "rest-api.port",
      about: "Port to listen on; 0 takes a free one and the log says which",
    },
    whole(0, 65_535, "a port"),
    6869,
  ),
  apiKey: maybe(
    {
      name: "api-key",
      group: "api",
      container: "API_KEY",
      about:
        "Key that protected routes ask for. Without one they answer 403, except on `dev`, where they are open",
    },
    secret(text("KEY")),
  ),
  apiKeyHash: maybe(
    {
      name: "api-key-hash",
      group: "api",
      container: "API_KEY_HASH",
      reference: "rest-api.api-key-hash",
      about: "The same as a hash, so that the key itself is not stored: Base58 of SHA-256(BLAKE2b-256(key))",
    },
    base58(32),
  ),
  authToken: maybe(
    {
      name: "auth-token",
      group: "api",
      container: "AUTH_TOKEN",
      plain: "AUTH_TOKEN",
      about: "Token that `POST /hash` asks for (`Authorization: bearer TOKEN`)",
    },
    secret(text("TOKEN")),
  ),
  cors: always(
    {
      name: "cors",
      group: "api",
      reference: "rest-api.cors",
      about: "Let web pages of any origin read the interface",
      on: true,
    },
    yesNo,
    true,
  ),
  apiKeyDifferentHost: always(
    {
      name: "api-key-different-host",
      group: "api",
      reference: "rest-api.api-key-different-host",
      about: "Let such web pages send the header `X-API-Key` too",
    },
    yesNo,
    false,
  ),
  rateLimit: always(
    {
      name: "rate-limit",
      group: "api",
      about: "Requests a minute from one address; more are answered with 429. 0: no limit. Loopback has none",
    },
    whole(0, 1_000_000_000),
    6_000,
  ),

  // -------------------------------------------------------------------------------------------- wallet
  walletFile: always(
    {
      name: "wallet-file",
      group: "wallet",
      about: "File of the wallet. Its password lies beside it, in `<file>.password`, unless one is given",
      standardText: "<data-dir>/wallet/wallet.bin",
    },
    path,
    (_, dataDir) => `${dataDir}/wallet/wallet.bin`,
  ),
  walletPassword: maybe(
    {
      name: "wallet-password",
      group: "wallet",
      container: "WALLET_PASSWORD",
      reference: "wallet.password",
      about: "Password of the wallet file, instead of the random one that is stored beside it",
      standardText: "random",
    },
    secret(text("TEXT", 10_000)),
  ),
  walletSeed: maybe(
    {
      name: "wallet-seed",
      group: "wallet",
      container: "WALLET_SEED",
      reference: "wallet.seed-phrase",
      about: "Seed text of the wallet. A wallet file with another seed is refused",
      standardText: "random; `root` on dev",
    },
    secret(text("TEXT", 10_000)),
  ),
  walletSeedBase58: maybe(
    {
      name: "wallet-seed-base58",
      group: "wallet",
      container: "WALLET_SEED_BASE58",
      reference: "wallet.seed",
      about: "Seed of the wallet as Base58 of its bytes",
    },
    secret(base58()),
  ),
  walletAccountSeed: maybe(
    {
      name: "wallet-account-seed",
      group: "wallet",
      reference: "wallet.account-seed",
      about:
        "Seed of one fixed account, in Base58: the wallet is that account, in memory, and cannot be changed",
    },
    secret(base58()),
  ),

  // ------------------------------------------------------------------------------------------- forging
  forge: always(
    {
      name: "forge",
      group: "forging",
      container: "ENABLE_MINING",
      reference: "miner.enable",
      about: "Forge blocks with the accounts of the wallet",
      on: true,
    },
    yesNo,
    true,
  ),
  forgeQuorum: always(
    {
      name: "forge-quorum",
      group: "forging",
      reference: "miner.quorum",
      about: "Connections to other nodes without which nothing is forged",
    },
    whole(0, 10_000),
    0,
  ),
  minimalBlockGenerationOffsetMs: always(
    {
      name: "minimal-block-generation-offset",
      group: "forging",
      reference: "miner.minimal-block-generation-offset",
      about: "Shortest wait before a block is forged",
    },
    duration(0, 3_600_000),
    0,
  ),
  features: always(
    {
      name: "features",
      group: "forging",
      container: "FEATURES",
      reference: "features.supported",
      about: "Ids of the features that blocks of this node vote for",
      standardText: "none",
    },
    list(whole(1, 32_767, "a feature id"), "ID,..."),
    [],
  ),
  stopOnUnsupportedFeature: always(
    {
      name: "stop-on-unsupported-feature",
      group: "forging",
      reference: "features.auto-shutdown-on-unsupported-feature",
      about: "Stop when a feature becomes active that this version does not know",
      on: true,
    },
    yesNo,
    true,
  ),
  feeVote: always(
    {
      name: "fee-vote",
      group: "forging",
      about: "Vote on the fee price in blocks of this node",
    },
    oneOf(["decrease", "maintain", "increase"]),
    "maintain",
  ),
  feeVoteFile: always(
    {
      name: "fee-vote-file",
      group: "forging",
      reference: "miner.fee-vote-file",
      about:
        "File whose first line changes the vote while the node runs: DECREASE, MAINTAIN or INCREASE. " +
        "It is deleted at start",
      standardText: "<data-dir>/fee-vote",
    },
    path,
    (_, dataDir) => `${dataDir}/fee-vote`,
  ),
  feeVoteIntervalMs: always(
    {
      name: "fee-vote-interval",
      group: "forging",
      reference: "miner.fee-vote-watch-interval",
      about: "How often that file is read",
    },
    duration(100, DAY),
    60_000,
  ),
  microBlockIntervalMs: always(
    {
      name: "micro-block-interval",
      group: "forging",
      reference: "miner.micro-block-interval",
      about: "Time between micro blocks of this node",
      standardText: "that of the network: 100ms on dev, 5s on mainnet and testnet",
    },
    duration(1, 3_600_000),
    (network) => network.forging.microBlockIntervalMs,
  ),
  minMicroBlockAgeMs: always(
    {
      name: "min-micro-block-age",
      group: "forging",
      reference: "miner.min-micro-block-age",
      about: "How old a micro block must be for a key block of this node to build on it",
      standardText: "that of the network: 0ms on dev and custom, else 6s",
    },
    duration(0, 3_600_000),
    (network) => network.forging.minMicroBlockAgeMs,
  ),
  maxTransactionsInMicroBlock: always(
    {
      name: "max-transactions-in-micro-block",
      group: "forging",
      reference: "miner.max-transactions-in-micro-block",
      about: "Transactions that a micro block of this node holds at most",
      standardText: "that of the network: 255",
    },
    whole(1, 500),
    (network) => network.forging.maxTransactionsInMicroBlock,
  ),
  intervalAfterLastBlockMs: {
    ...maybe(
      {
        name: "interval-after-last-block",
        group: "forging",
        reference: "miner.interval-after-last-block-then-generation-is-allowed",
        about: "Forge only while the last block is younger than this",
        standardText: "that of the network: no limit on dev, else 30d",
      },
      duration(1_000, 100_000 * DAY),
    ),
    standard: (network: NetworkProfile): number | undefined => network.forging.intervalAfterLastBlockMs,
  },

  // ---------------------------------------------------------------------------------------------- pool
  poolMaxTransactions: always(
    {
      name: "pool-max-transactions",
      group: "pool",
      reference: "utx.max-size",
      about: "Transactions that wait at most; more are refused",
    },
    whole(1, 10_000_000),
    100_000,
  ),
  poolMaxBytes: always(
    {
      name: "pool-max-bytes",
      group: "pool",
      about: "Bytes of transactions that wait at most; more are refused",
    },
    size(2 ** 20, 2 ** 36),
    128 * 2 ** 20,
  ),
  poolMaxAgeMs: always(
    {
      name: "pool-max-age",
      group: "pool",
      reference: "utx.max-transaction-age",
      about: "Age at which a waiting transaction is dropped",
    },
    duration(1_000, 365 * DAY),
    90 * 60_000,
  ),
  poolBlacklist: always(
    {
      name: "pool-blacklist",
      group: "pool",
      reference: "utx.blacklist-sender-addresses",
      about: "Addresses whose transactions this node does not take into its pool",
      standardText: "none",
    },
    list(text("ADDRESS", 64), "ADDRESS,..."),
    [],
  ),
  poolAllowTransfersTo: always(
    {
      name: "pool-allow-transfers-to",
      group: "pool",
      reference: "utx.allow-blacklisted-transfer-to",
      about: "Addresses to which those may transfer all the same",
      standardText: "none",
    },
    list(text("ADDRESS", 64), "ADDRESS,..."),
    [],
  ),

  // -------------------------------------------------------------------------------------------- peers
  ...peerSettings,

  // --------------------------------------------------------------------------------------------- chain
  rollbackDepth: always(
    {
      name: "rollback-depth",
      group: "chain",
      reference: "max-rollback-depth",
      about: "Blocks that can be rolled back, and for which balances at a height are known",
      standardText: "that of the network: 1000000 on dev and custom, else 2000",
    },
    whole(100, 1_000_000_000),
    (network) => network.rollbackDepth,
  ),
  checkpointKey: {
    ...maybe(
      {
        name: "checkpoint-key",
        group: "chain",
        reference: "checkpoints.public-key",
        about:
          "Ed25519 key, in Base58, whose signed checkpoints `POST /blocks/checkpoint` accepts: blocks that contradict " +
          "one are removed. Without a key none is accepted",
        standardText: "that of the network: mainnet has one, others none",
      },
      base58(32),
    ),
    standard: (network: NetworkProfile): Uint8Array | undefined => network.checkpointKey,
  },
  checkpoints: always(
    {
      name: "checkpoints",
      group: "chain",
      about: "Blocks that no other may replace at their heights, until a signed checkpoint is accepted",
      standardText: "none",
    },
    list(checkpointItem, "HEIGHT:ID,..."),
    [],
  ),

  // --------------------------------------------------------------------------------------------- index
  hashAccount: maybe(
    {
      name: "hash-account",
      group: "index",
      about: "Address of the wallet account that signs and pays for `POST /hash`, and is the root of trust",
      standardText: "the oldest account of the wallet",
    },
    text("ADDRESS", 64),
  ),
  trustNetwork: always(
    {
      name: "trust-network",
      group: "index",
      container: "TRUST_NETWORK",
      plain: "TRUST_NETWORK",
      about:
        "Roles of the trust network: a JSON object, the path of a JSON file, or an object in the YAML file",
      standardText: "only the role `root`",
    },
    trustNetworkKind,
    () => defaultTrustNetwork,
  ),
  indexAllTransactions: always(
    {
      name: "index-all-transactions",
      group: "index",
      reference: "index-all-transactions",
      about: "List the transactions of every type at `/transactions/address`, not only some",
      standardText: "that of the network: yes on dev and custom, else no",
    },
    yesNo,
    (network) => network.indexAll,
  ),
  didDefaultResponse: always(
    {
      name: "did-default-response",
      group: "index",
      container: "DID_DEFAULT_RESPONSE",
      plain: "DID_DEFAULT_RESPONSE",
      about: "What `/identifiers` and `/identities` answer when the request does not say",
    },
    oneOf(["document", "resolution"]),
    "document",
  ),
} as const;

function networkWord(network: NetworkProfile): "dev" | "mainnet" | "testnet" | "custom" {
  const { name } = network;
  return name === "dev" || name === "mainnet" || name === "testnet" ? name : "custom";
}

type Table = typeof settingsTable;

/** Name of a setting in code. */
export type SettingKey = keyof Table;

/** Values of all settings as the table types them. */
export type SettingValues = {
  readonly [K in SettingKey]: Table[K] extends Setting<infer T, infer D> ? T | D : never;
};

/** Settings that are merged into others once they are read. */
type Merged =
  | "apiKey"
  | "walletSeedBase58"
  | "walletSeed"
  | "walletAccountSeed"
  | "poolBlacklist"
  | "poolAllowTransfersTo"
  | "hashAccount"
  | keyof typeof peerSettings;

/**
 * The settings of a run, checked: what the table has, times in milliseconds (`...Ms`), paths absolute, and
 * these in the form the node uses.
 */
export interface Settings extends Omit<SettingValues, Merged> {
  /** The network chosen, read from the genesis file when it is a custom one. */
  readonly profile: NetworkProfile;
  /** Hash that an API key must have (page 01 §11), 32 bytes; undefined: no key is configured. */
  readonly apiKeyHash: Uint8Array | undefined;
  /** Wallet seed bytes, when given. */
  readonly walletSeed: Secret<Uint8Array> | undefined;
  /** Seed of the one account of an account-based wallet, when given. At most one of the two seeds is there. */
  readonly walletAccountSeed: Secret<Uint8Array> | undefined;
  /** Addresses, 26 bytes each. */
  readonly poolBlacklist: readonly Uint8Array[];
  readonly poolAllowTransfersTo: readonly Uint8Array[];
  readonly hashAccount: Uint8Array | undefined;
  /** Whether and how the node talks to others; undefined: it talks to none. */
  readonly peers: PeersOptions | undefined;
  /** What must be said to the operator at the start. */
  readonly warnings: readonly string[];
  /** All settings by name as a file would have them, secrets hidden; null: not set. For `/debug/configInfo`. */
  readonly shown: { readonly [name: string]: JsonOut };
}
