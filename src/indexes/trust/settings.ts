import type { TrustNetwork } from "./trust-network.ts";

export interface TrustSettings {
  readonly network: TrustNetwork;
  /** Default: the wallet's oldest account. Page 07 §9.1. */
  readonly root: Uint8Array | undefined;
}
