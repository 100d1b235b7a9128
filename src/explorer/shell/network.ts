import { networkLabels } from "../data/labels.ts";
import type { NetworkInfo } from "../page.ts";
import { tokenSymbol } from "../parts/inline.tsx";

/** Applies the names and units of the node's network. */
export function applyNetwork(network: NetworkInfo | undefined): void {
  tokenSymbol.value = network?.tokenSymbol;
  networkLabels.value = network?.accountNames ?? new Map();
}
