/** Page 03 §4-§6.1, §17. */
export { customProfile, type NetworkSettings, readNetworkSettings } from "./custom.ts";
export { DEV_SEED_TEXT, dev, devSettings } from "./dev.ts";
export { parseDuration } from "./duration.ts";
export { ProfileError } from "./errors.ts";
export { Feature, featureDescription, hiddenFeatures, implementedFeatures } from "./features.ts";
export type {
  ForgingSettings,
  Functionality,
  GenesisEntry,
  GenesisSettings,
  NetworkProfile,
  PeerDefaults,
} from "./profile.ts";
export { mainnet, testnet } from "./public-networks.ts";
