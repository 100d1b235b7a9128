/**
 * Every setting of the node, once. The groups have files of their own, `*-settings.ts`. Flags, environment names,
 * file keys, `--help`, `config print`, the table in docs/operate.md and the type `Settings` are all derived from
 * this table.
 *
 * From the name of a setting, `api-port`, come the flag `--api-port`, the variable `HOLDFAST_API_PORT` and the
 * file key `api-port`. The other names are those of the reference's container (`container`: behind `CHAIN_`
 * or the network's name, page 06 §8.3), of its configuration (`reference`: `CHAIN__REST_API__PORT`), and of the
 * indexer (`plain`, page 07 §4.2).
 */
import type { JsonOut } from "../bytes/json.ts";
import type { PeersOptions } from "../peers/options.ts";
import type { NetworkProfile } from "../profiles/index.ts";
import { accessSettings } from "./groups/access-settings.ts";
import { anchoringSettings } from "./groups/anchoring-settings.ts";
import { apiSettings } from "./groups/api-settings.ts";
import { chainSettings } from "./groups/chain-settings.ts";
import type { Setting } from "./groups/define-setting.ts";
import { exchangeSettings } from "./groups/exchange-settings.ts";
import { forgingSettings } from "./groups/forging-settings.ts";
import { indexSettings } from "./groups/index-settings.ts";
import { nodeSettings } from "./groups/node-settings.ts";
import { peerSettings } from "./groups/peer-settings.ts";
import { poolSettings } from "./groups/pool-settings.ts";
import { walletSettings } from "./groups/wallet-settings.ts";
import type { Secret } from "./kinds/secret.ts";

/** In the order of `--help`, `config print` and docs/operate.md. */
export const settingsTable = {
  ...nodeSettings,
  ...apiSettings,
  ...accessSettings,
  ...walletSettings,
  ...forgingSettings,
  ...poolSettings,
  ...peerSettings,
  ...exchangeSettings,
  ...chainSettings,
  ...indexSettings,
  ...anchoringSettings,
} as const;

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
  | keyof typeof peerSettings
  | keyof typeof exchangeSettings;

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
