import type { WalletAccount } from "../control/index.ts";
import type { ChainReader, Clock, Log } from "../interfaces.ts";
import type { OfferResult } from "../mempool/admission.ts";
import type { Metrics } from "../runtime/metrics.ts";
import type { NetworkRules, Transaction } from "../transactions/index.ts";

export interface AnchoringNode {
  readonly clock: Pick<Clock, "now" | "after">;
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
  readonly reader: ChainReader;
  readonly network: NetworkRules;
  inPool(id: Uint8Array): boolean;
  /** Offers a transaction to the pool, and broadcasts it if accepted. */
  offer(transaction: Transaction): Promise<OfferResult>;
  /** Returns the account that signs and pays; undefined if the wallet lacks it. */
  account(): WalletAccount | undefined;
  sign(address: Uint8Array, message: Uint8Array): Uint8Array;
  /** Returns true while the node lacks its peers' blocks. */
  isBehind(): boolean;
  yieldToOthers(): Promise<void>;
}
