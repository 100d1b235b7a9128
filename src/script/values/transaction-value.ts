/** The value of `tx`. Page 08 §15.3, §15.4. */
import { ScriptException } from "../errors.ts";
import { ADDRESS } from "./object-types.ts";
import type { ScriptTransaction } from "./transaction-view.ts";
import { ObjectValue, OpaqueValue, type Value } from "./values.ts";

/** Fixed length of `proofs`; missing ones are empty. */
const PROOFS = 8;
const EMPTY = new Uint8Array(0);

export function addressValue(bytes: Uint8Array): ObjectValue {
  return new ObjectValue(ADDRESS, [bytes]);
}

/** A recipient that the reference forgets to wrap: scripts can only compare it. */
export function opaqueAddress(bytes: Uint8Array): OpaqueValue {
  return new OpaqueValue("LangAddress", bytes);
}

function paddedProofs(proofs: readonly Uint8Array[]): Uint8Array[] {
  const padded = proofs.slice(0, PROOFS);
  while (padded.length < PROOFS) padded.push(EMPTY);
  return padded;
}

/** @throws ScriptException for types invisible to scripts */
export function transactionValue({ transaction, own, id, bodyBytes }: ScriptTransaction): Value {
  if (own === undefined) {
    throw new ScriptException("scala.NotImplementedError: an implementation is missing");
  }
  const { fee, timestamp, version, sender, senderAddress, proofs } = transaction;
  return new ObjectValue(own.type, [
    ...own.values,
    id,
    fee,
    timestamp,
    BigInt(version),
    addressValue(senderAddress),
    sender.bytes,
    bodyBytes,
    paddedProofs(proofs),
  ]);
}
