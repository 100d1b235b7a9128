import type { Settings } from "../config/settings.ts";
import { collectSettingValues } from "../config/sources/settings-by-name.ts";
import type { NetworkProfile } from "../profiles/index.ts";

type Groups = "api" | "wallet" | "forging" | "pool" | "chain" | "disk" | "index" | "anchoring" | "following";

/** Changes to settings, in groups and without one. */
export type SettingsChanges = Partial<Omit<Settings, Groups>> & {
  readonly [G in Groups]?: Partial<Settings[G]> | undefined;
};

/** Returns a network's default settings with changes; later changes win. Without peers, unless `peers` is set. */
export function settingsOf(profile: NetworkProfile, ...changes: readonly SettingsChanges[]): Settings {
  const {
    node,
    connections: _c,
    sync: _s,
    ...groups
  } = collectSettingValues((_, setting) => setting.defaultFor(profile, "/nowhere"));
  let settings: Settings = {
    ...node,
    ...groups,
    profile,
    peers: undefined,
    warnings: [],
    given: new Map(),
    shown: {},
  };
  for (const change of changes) {
    const { api, wallet, forging, pool, chain, disk, index, anchoring, following, ...rest } = change;
    settings = {
      ...settings,
      ...rest,
      api: { ...settings.api, ...api },
      wallet: { ...settings.wallet, ...wallet },
      forging: { ...settings.forging, ...forging },
      pool: { ...settings.pool, ...pool },
      chain: { ...settings.chain, ...chain },
      disk: { ...settings.disk, ...disk },
      index: { ...settings.index, ...index },
      anchoring: { ...settings.anchoring, ...anchoring },
      following: { ...settings.following, ...following },
    };
  }
  return settings;
}
