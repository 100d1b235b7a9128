import { concatBytes } from "../../bytes/compare.ts";
import { ByteWriter } from "../../bytes/writer.ts";
import { fastHash } from "../../crypto/hashes.ts";
import type { TransactionBase } from "../base.ts";
import { rule } from "../checks.ts";
import { always, defineTransaction } from "../define.ts";
import { negativeAmount } from "../errors.ts";
import { address, amount } from "../fields.ts";
import { bare, timestamp } from "../layout.ts";

/** Creates an initial balance. Page 02 §10.1. */
export interface GenesisTransaction extends TransactionBase {
  readonly type: 1;
  readonly recipient: Uint8Array;
  readonly amount: bigint;
}

/** The id and signature: twice the hash of the body with a four-byte type. Page 02 §5. */
function genesisId(tx: GenesisTransaction): Uint8Array {
  const writer = new ByteWriter().i32(tx.type).i64(tx.timestamp).bytes(tx.recipient).i64(tx.amount);
  const hash = fastHash(writer.toBytes());
  return concatBytes(hash, hash);
}

export const genesis = defineTransaction<GenesisTransaction>({
  type: 1,
  name: "genesis",
  className: "Genesis",
  requestable: false,
  versions: { 1: always },
  fields: { recipient: address, amount: amount(0n) },
  layouts: { 1: bare(timestamp, "recipient", "amount") },
  json: ["type", "version", "id", "fee", "timestamp", "proofs", "recipient", "amount"],
  portfolio: true,
  payouts: (tx) => [tx],
  checks: [
    rule(
      (tx) => tx.amount >= 0n,
      (tx) => negativeAmount(tx.amount),
    ),
  ],
  computeId: genesisId,
});
