/** Settings of nodes in tests. */
import type { Settings, SettingValues } from "../config/settings.ts";
import { allSettings } from "../config/sources/settings-by-name.ts";
import type { NetworkProfile } from "../profiles/profile.ts";

/** The standard settings of a network, with what is different: without other nodes unless `peers` says so. */
export function settingsOf(profile: NetworkProfile, changes: Partial<Settings> = {}): Settings {
  // Every key of the table with its standard value, which is what the type says.
  const values = Object.fromEntries(
    allSettings.map(([key, setting]) => [key, setting.standard(profile, "/nowhere")]),
  ) as unknown as SettingValues;
  return {
    ...values,
    profile,
    apiKeyHash: undefined,
    walletSeed: undefined,
    walletAccountSeed: undefined,
    poolBlacklist: [],
    poolAllowTransfersTo: [],
    hashAccount: undefined,
    peers: undefined,
    warnings: [],
    shown: {},
    ...changes,
  };
}
