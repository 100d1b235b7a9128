import type { WalletAccount } from "../control/index.ts";
import type { KeyPair } from "../crypto/signatures.ts";

/** Page 03 §17. */
export const FEE_VOTE_FILE_POLL_INTERVAL_MS = 60_000;

/** Page 03 §17. */
export interface ForgingOptions {
  readonly enabled: boolean;
  /** Minimum number of connected peers. */
  readonly quorum: number;
  readonly microBlockIntervalMs: number;
  /** Maximum age of the last key block, ms; undefined if unlimited. */
  readonly intervalAfterLastBlockMs: number | undefined;
  /** Ids of the features to vote for. */
  readonly features: readonly number[];
}

export interface ForgingAccounts {
  accounts(): readonly WalletAccount[];
  /** @throws if the address is not in the wallet */
  keyPair(address: Uint8Array): KeyPair;
}

/** Miner state in `/debug/info` and `/node/status`. Page 06 §7.16. */
export type ForgingState = "disabled" | "mining blocks" | "mining microblocks" | `error: ${string}`;
