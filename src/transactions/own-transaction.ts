/** Transactions that the node makes for an account of its own. Page 07 §18.3. */

import { JsonNumber, type JsonValue } from "../bytes/json.ts";
import { failed } from "../errors/result.ts";
import { Feature } from "../profiles/index.ts";
import type { NetworkRules } from "./base.ts";
import { validationError } from "./errors.ts";
import { type RequestResult, transactionFromRequest } from "./json/request.ts";
import type { Transaction } from "./registry.ts";

/** What has to be known of the chain. */
interface FeeChain {
  height(): number;
  readonly network: {
    features(): readonly { readonly id: number; readonly activationHeight?: number | undefined }[];
  };
  readonly transactions: {
    /** In units; undefined for a type without a rule there. */
    minimumFee(transaction: Transaction): bigint | undefined;
  };
}

/** A public key as requests give it. */
export interface RequestKey {
  readonly keyType: string;
  /** Base58. */
  readonly publicKey: string;
}

export interface OwnTransaction {
  /** Number of the type. */
  readonly type: number;
  readonly sender: RequestKey;
  /** ms. */
  readonly timestamp: bigint;
  /** What the type has, as in a request. */
  readonly members: readonly (readonly [name: string, value: JsonValue])[];
}

/** Whether transactions of version 3 are allowed. */
function isCobaltActive(chain: FeeChain): boolean {
  const cobalt = chain.network.features().find(({ id }) => id === Feature.Cobalt);
  return cobalt?.activationHeight !== undefined && cobalt.activationHeight <= chain.height();
}

/** The transaction at the smallest fee, in the newest version that is allowed, unsigned; or why there can be none. */
export function buildOwnTransaction(
  chain: FeeChain,
  network: NetworkRules,
  { type, sender, timestamp, members }: OwnTransaction,
): RequestResult {
  const version = isCobaltActive(chain) ? "3" : "1";
  const build = (fee: bigint): RequestResult =>
    transactionFromRequest(
      new Map<string, JsonValue>([
        ["type", new JsonNumber(String(type))],
        ["version", new JsonNumber(version)],
        ["fee", new JsonNumber(String(fee))],
        ["senderKeyType", sender.keyType],
        ["senderPublicKey", sender.publicKey],
        ...members,
      ]),
      { network, timestamp: () => timestamp },
    );
  const cheapest = build(1n);
  if (!cheapest.ok) return cheapest;
  const fee = chain.transactions.minimumFee(cheapest.value.transaction);
  if (fee !== undefined) return build(fee);
  return failed({ kind: "validation", error: validationError("UnsupportedTransactionType") });
}
