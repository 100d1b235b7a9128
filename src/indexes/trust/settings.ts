import type { TrustNetwork } from "./trust-network.ts";

export interface TrustSettings {
  readonly network: TrustNetwork;
  /** Address of the root account; by default the wallet's oldest. Page 07 §9.1. */
  readonly root: Uint8Array | undefined;
}
