import type { TrustNetwork } from "./trust-network.ts";

/** The trust network as configured, and who stands at its root. */
export interface TrustSettings {
  readonly network: TrustNetwork;
  /** Address of the root account: the oldest of the wallet unless configured; undefined: nobody. Page 07 §9.1. */
  readonly root: Uint8Array | undefined;
}
