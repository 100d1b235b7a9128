/** Page 08 §15.3, §15.4. */
import { ScriptException } from "../errors.ts";
import { ADDRESS } from "./object-types.ts";
import type { ScriptTransaction } from "./transaction-view.ts";
import { ObjectValue, OpaqueValue, type Value } from "./values.ts";

/** Length of `proofs`; missing ones are empty. */
const PROOF_COUNT = 8;
const EMPTY = new Uint8Array(0);

export function addressValue(bytes: Uint8Array): ObjectValue {
  return new ObjectValue(ADDRESS, [bytes]);
}

/** A recipient that the reference does not convert to an `Address`. */
export function opaqueAddress(bytes: Uint8Array): OpaqueValue {
  return new OpaqueValue("LangAddress", bytes);
}

function paddedProofs(proofs: readonly Uint8Array[]): Uint8Array[] {
  const padded = proofs.slice(0, PROOF_COUNT);
  while (padded.length < PROOF_COUNT) padded.push(EMPTY);
  return padded;
}

/** @throws ScriptException for types that scripts cannot read */
export function transactionValue({ transaction, typeFields, id, bodyBytes }: ScriptTransaction): Value {
  if (typeFields === undefined) {
    throw new ScriptException("scala.NotImplementedError: an implementation is missing");
  }
  const { fee, timestamp, version, sender, senderAddress, proofs } = transaction;
  return new ObjectValue(typeFields.type, [
    ...typeFields.values,
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
