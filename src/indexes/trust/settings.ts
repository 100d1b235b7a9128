import type { TrustNetwork } from "./trust-network.ts";

/** The configured trust network and its root. */
export interface TrustSettings {
  readonly network: TrustNetwork;
  /** Address of the root account, by default the oldest of the wallet. Page 07 §9.1. */
  readonly root: Uint8Array | undefined;
}
