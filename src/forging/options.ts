import type { WalletAccount } from "../control/index.ts";
import type { KeyPair } from "../crypto/signatures.ts";

/** How often the file is read that changes the fee vote, ms. Page 03 §17. */
export const FEE_VOTE_POLL_INTERVAL_MS = 60_000;

/** What the operator decides about forging. Page 03 §17. */
export interface ForgingOptions {
  /** Off: the node never makes a block. */
  readonly enabled: boolean;
  /** Connections without which nothing is forged. */
  readonly quorum: number;
  /** Time between two micro blocks, ms. */
  readonly microBlockIntervalMs: number;
  /** Age of the last key block up to which the node forges, ms; undefined: no limit. */
  readonly intervalAfterLastBlockMs: number | undefined;
  /** Ids of the features to vote for, in the order of the configuration. */
  readonly features: readonly number[];
}

/** The accounts that forge: the part of the wallet that is needed here. */
export interface ForgingAccounts {
  accounts(): readonly WalletAccount[];
  /** Throws for an address that is not in the wallet. */
  keyPair(address: Uint8Array): KeyPair;
}

/** State of the miner as `/debug/info` and `/node/status` show it. Page 06 §7.16. */
export type ForgingState = "disabled" | "mining blocks" | "mining microblocks" | `error: ${string}`;
