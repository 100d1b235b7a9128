import type { PeerAddress } from "../../peers/peer-address.ts";
import type { NetworkProfile } from "../../profiles/index.ts";
import { displayName, nodeName, oneOf, path, timeServer, tokenSymbol, whole } from "../kinds/kinds.ts";
import { logLevels } from "../kinds/log-level-kind.ts";
import { networkFileKind } from "../kinds/network-file-kind.ts";
import { DAY, duration, size } from "../kinds/quantity-kinds.ts";
import { optional, withDefault } from "./define-setting.ts";

export const nodeSettings = {
  network: withDefault(
    "network",
    oneOf(["dev", "mainnet", "testnet", "custom"]),
    (network): "dev" | "mainnet" | "testnet" | "custom" => networkWord(network),
    {
      container: "NETWORK",
      reference: "blockchain.type",
      basic: true,
      about: "Network to join. `dev` is a chain of one node with a funded wallet; `custom` needs --genesis",
      defaultText: "dev; custom if a genesis file is given",
    },
  ),
  genesis: optional("genesis", networkFileKind, {
    basic: true,
    about: "JSON file with the genesis block, features and timings of a custom network",
  }),
  displayName: withDefault("display-name", displayName, (network) => network.displayName, {
    about: "Name of the network in the explorer. Nodes of a network need not agree on it",
    defaultText: "depends on the network: the member `display-name` of a genesis file",
  }),
  tokenSymbol: withDefault("token-symbol", tokenSymbol, (network) => network.tokenSymbol, {
    about: "Name of the network's tokens in the explorer. Nodes of a network need not agree on it",
    defaultText: "depends on the network: the member `token-symbol` of a genesis file; LTO on others",
  }),
  dataDir: withDefault("data-dir", path, (_, dataDir) => dataDir, {
    reference: "directory",
    basic: true,
    about: "Directory of chain, indexes and wallet",
    defaultText: "~/.holdfast/<network>",
  }),
  nodeName: optional("node-name", nodeName, {
    container: "NODE_NAME",
    reference: "network.node-name",
    about: "Name of this node in the network",
    defaultText: "Node-<nonce>",
  }),
  ntpServer: withDefault(
    "ntp-server",
    timeServer,
    (network): PeerAddress | undefined =>
      network.name === "dev" ? undefined : { host: "pool.ntp.org", port: 123 },
    {
      about: "Time server that corrects this machine's clock. `off`: no correction",
      defaultText: "pool.ntp.org; off on dev",
    },
  ),
  logLevel: withDefault(
    "log-level",
    logLevels,
    { level: "info", areas: {} },
    {
      container: "LOG_LEVEL",
      basic: true,
      about:
        "Minimum log level: trace, debug, info, warn, error, or off. " +
        "`info,peers=debug,sync=off` sets other levels for parts of the node",
      defaultText: "info",
    },
  ),
  logFormat: withDefault("log-format", oneOf(["auto", "json", "text"]), "auto", {
    about: "Log format: a JSON object per line, or text. `auto` is text on a terminal, else JSON",
  }),
  logFile: optional("log-file", path, {
    basic: true,
    about: "File for the log. Standard output then gets the log only if it is a terminal",
    defaultText: "no file",
  }),
  logFileMaxBytes: withDefault("log-file-max-size", size(0, 2 ** 40), 64 * 2 ** 20, {
    about: "Size at which a new log file begins. 0: no limit",
  }),
  logFileMaxAgeMs: withDefault("log-file-max-age", duration(0, 3_650 * DAY), 7 * DAY, {
    about: "Age at which a new log file begins. 0: no limit",
  }),
  logFileKeep: withDefault("log-file-keep", whole(1, 1_000), 10, {
    about: "Number of older log files to keep: `<log-file>.1` is the newest",
  }),
} as const;

function networkWord(network: NetworkProfile): "dev" | "mainnet" | "testnet" | "custom" {
  const { name } = network;
  return name === "dev" || name === "mainnet" || name === "testnet" ? name : "custom";
}
