import type { WalletAccount } from "../control/index.ts";
import type { ChainReader, Clock, Log } from "../interfaces.ts";
import type { OfferResult } from "../mempool/admission.ts";
import type { NetworkRules, Transaction } from "../transactions/index.ts";

/** What anchoring needs from the node. */
export interface AnchoringNode {
  readonly clock: Pick<Clock, "now" | "after">;
  readonly log: Log;
  readonly reader: ChainReader;
  readonly network: NetworkRules;
  inPool(id: Uint8Array): boolean;
  /** Offers a transaction to the pool, and to other nodes if the pool accepts it. */
  offer(transaction: Transaction): Promise<OfferResult>;
  /** Returns the account that signs and pays; undefined if the wallet does not hold it. */
  account(): WalletAccount | undefined;
  sign(address: Uint8Array, message: Uint8Array): Uint8Array;
  /** Returns true while the node knows that its chain is behind other nodes. */
  isBehind(): boolean;
  yieldToOthers(): Promise<void>;
}
