/** The `dev` network: a private, single-machine chain. */
import { CUSTOM_ROLLBACK_DEPTH, defaultForging, defaultPeers, readNetworkSettings } from "./custom.ts";
import type { NetworkProfile } from "./profile.ts";

/** A template for custom network files. */
export const devSettings = `{
 "name": "LTO",
 "display-name": "LTO Development",
 "address-scheme-character": "Z",
 "payment": true,
 "functionality": {
  "pre-activated-features": {
   "1": 0,
   "2": 0,
   "3": 0,
   "4": 0,
   "5": 0,
   "8": 0,
   "10": 0,
   "11": 0,
   "12": 0,
   "13": 0,
   "14": 0,
   "15": 0,
   "16": 0,
   "17": 0
  },
  "feature-check-blocks-period": 1000,
  "blocks-for-feature-activation": 100,
  "double-features-periods-after-height": 100000000,
  "fee-vote-blocks-period": 10,
  "blocks-for-fee-change": 6,
  "mining-reward": 1000000000,
  "mining-reward-bonus": 1000000,
  "mining-reward-bonus-period": 500,
  "lease-unbonding-period": 10,
  "burn-addresses": []
 },
 "genesis": {
  "average-block-delay": "5s",
  "initial-base-target": 875001,
  "timestamp": 1735689600000,
  "block-timestamp": 1735689600000,
  "initial-balance": 100000000000000,
  "transactions": [
   {
    "recipient": "3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt",
    "amount": 100000000000000
   }
  ],
  "signature": "53KvG3HPs4adaf5uurmqxiUr6TqWsm7hyumxXZHC55ocqmBgn36QTSBiVtmQCWrW9BSvWHRFxkBhajdJbq2PnhQn"
 }
}
`;

/** The first account of this wallet seed owns the whole supply. */
export const DEV_SEED_TEXT = "root";

const { averageBlockDelayMs: _, ...settings } = readNetworkSettings(devSettings);

/** Micro blocks are frequent, and forgers build on them immediately. */
export const dev: NetworkProfile = {
  name: "dev",
  ...settings,
  forging: {
    microBlockIntervalMs: 100,
    minMicroBlockAgeMs: 0,
    maxTransactionsInMicroBlock: defaultForging.maxTransactionsInMicroBlock,
  },
  peers: defaultPeers,
  rollbackDepth: CUSTOM_ROLLBACK_DEPTH,
  indexAll: true,
  warnings: [],
};
