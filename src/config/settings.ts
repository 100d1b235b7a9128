/**
 * `settingsTable` defines flags, variables, file keys, help and docs.
 *
 * The name `api-port` defines the flag `--api-port`, the variable `HOLDFAST_API_PORT` and the file key `api-port`.
 * Other names: `container` is the part of a variable's name after `LTO_` or `CHAIN_` (page 06 §8.3),
 * `reference` a path in the reference's file (page 06 §8.1), `plain` a variable without a prefix (page 07 §4.2).
 */
import type { JsonOut } from "../bytes/json.ts";
import type { PeersOptions } from "../peers/options.ts";
import type { NetworkProfile } from "../profiles/index.ts";
import { accessSettings } from "./groups/access-settings.ts";
import { anchoringSettings } from "./groups/anchoring-settings.ts";
import { apiSettings } from "./groups/api-settings.ts";
import { backupSettings } from "./groups/backup-settings.ts";
import { chainSettings } from "./groups/chain-settings.ts";
import { controlSettings } from "./groups/control-settings.ts";
import type { Setting } from "./groups/define-setting.ts";
import { diskSettings } from "./groups/disk-settings.ts";
import { followingSettings } from "./groups/following-settings.ts";
import { forgingSettings } from "./groups/forging-settings.ts";
import { gatewaySettings } from "./groups/gateway-settings.ts";
import { importSettings } from "./groups/import-settings.ts";
import { indexSettings } from "./groups/index-settings.ts";
import { mirrorSettings } from "./groups/mirror-settings.ts";
import { monitoringSettings } from "./groups/monitoring-settings.ts";
import { nodeSettings } from "./groups/node-settings.ts";
import { connectionSettings, syncSettings } from "./groups/peer-settings.ts";
import { poolSettings } from "./groups/pool-settings.ts";
import { walletSettings } from "./groups/wallet-settings.ts";

/** In the order of `--help`, `config print` and docs/settings.md. */
export const settingsTable = {
  node: nodeSettings,
  api: { ...apiSettings, ...accessSettings },
  following: followingSettings,
  gateway: gatewaySettings,
  wallet: walletSettings,
  forging: forgingSettings,
  pool: poolSettings,
  connections: connectionSettings,
  sync: syncSettings,
  chain: chainSettings,
  imports: importSettings,
  disk: diskSettings,
  backup: backupSettings,
  index: indexSettings,
  anchoring: anchoringSettings,
  mirror: mirrorSettings,
  monitoring: monitoringSettings,
  control: controlSettings,
} as const;

type Table = typeof settingsTable;

export type Group = keyof Table;

export const groupTitles: Readonly<Record<Group, string>> = {
  node: "Node",
  api: "HTTP interface",
  following: "Following another node",
  gateway: "Gateway",
  wallet: "Wallet",
  forging: "Forging and voting",
  pool: "Unconfirmed transactions",
  connections: "Connections to other nodes",
  sync: "Synchronization with other nodes",
  chain: "Chain",
  imports: "Trusted blocks",
  disk: "Free disk space",
  backup: "Backup",
  index: "Index",
  anchoring: "Anchoring and sponsoring",
  mirror: "Copy in PostgreSQL",
  monitoring: "Monitoring",
  control: "Control by gateways",
};

/** Group and property: `api.port`. */
export type SettingKey = { [G in Group]: `${G}.${keyof Table[G] & string}` }[Group];

export type SettingValues = {
  readonly [G in Group]: {
    readonly [K in keyof Table[G]]: Table[G][K] extends Setting<infer T> ? T : never;
  };
};

export type SettingValue<K extends SettingKey> = K extends `${infer G extends Group}.${infer Name}`
  ? Name extends keyof SettingValues[G]
    ? SettingValues[G][Name]
    : never
  : never;

type NodeValues = SettingValues["node"];
export type GroupValues = Omit<SettingValues, "node" | "connections" | "sync">;

/**
 * Durations are in milliseconds (`...Ms`), paths are absolute, and members of the group `node` are at the
 * top level. `api.apiKey` becomes `api.apiKeyHash`. At most one of `wallet.seed` and `wallet.accountSeed` is set.
 */
export interface Settings extends NodeValues, GroupValues {
  readonly profile: NetworkProfile;
  /** Undefined if P2P is disabled. */
  readonly peers: PeersOptions | undefined;
  readonly warnings: readonly string[];
  /** Flag, variable or file key of each setting that a source sets. */
  readonly given: ReadonlyMap<SettingKey, string>;
  /** Values as in a file, for `/debug/configInfo`. Secrets are hidden; null means not set. */
  readonly shown: { readonly [name: string]: JsonOut };
}
