/** Builds transactions that the node's own accounts send. Page 07 §18.3. */

import { JsonNumber, type JsonValue } from "../bytes/json.ts";
import { failed } from "../errors/result.ts";
import { Feature } from "../profiles/index.ts";
import type { NetworkRules } from "./base.ts";
import { validationError } from "./errors.ts";
import { type RequestResult, transactionFromRequest } from "./json/request.ts";
import type { Transaction } from "./registry.ts";

interface FeeChain {
  height(): number;
  readonly network: {
    features(): readonly { readonly id: number; readonly activationHeight?: number | undefined }[];
  };
  readonly transactions: {
    /** Undefined if the type has no fee rule. */
    minimumFee(transaction: Transaction): bigint | undefined;
  };
}

export interface RequestKey {
  readonly keyType: string;
  /** Base58. */
  readonly publicKey: string;
}

export interface OwnTransaction {
  readonly type: number;
  readonly sender: RequestKey;
  /** Milliseconds since 1970. */
  readonly timestamp: bigint;
  /** The type's members, as in a request. */
  readonly members: readonly (readonly [name: string, value: JsonValue])[];
}

function isCobaltActive(chain: FeeChain): boolean {
  const cobalt = chain.network.features().find(({ id }) => id === Feature.Cobalt);
  return cobalt?.activationHeight !== undefined && cobalt.activationHeight <= chain.height();
}

/** Uses the minimum fee, and version 3 if allowed, otherwise version 1. */
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
  const draft = build(1n);
  if (!draft.ok) return draft;
  const fee = chain.transactions.minimumFee(draft.value.transaction);
  if (fee !== undefined) return build(fee);
  return failed({ kind: "validation", error: validationError("UnsupportedTransactionType") });
}
