/** The value of `tx`. Page 08 §15.3, §15.4. */
import { int64 } from "../bytes/int64.ts";
import { ScriptException } from "./errors.ts";
import {
  ADDRESS,
  ANCHOR_TRANSACTION,
  CANCEL_SPONSORSHIP_TRANSACTION,
  DATA_ENTRY,
  DATA_TRANSACTION,
  ISSUE_ASSOCIATION_TRANSACTION,
  LEASE_CANCEL_TRANSACTION,
  LEASE_TRANSACTION,
  MASS_TRANSFER_TRANSACTION,
  REGISTER_TRANSACTION,
  REVOKE_ASSOCIATION_TRANSACTION,
  SET_SCRIPT_TRANSACTION,
  SPONSORSHIP_TRANSACTION,
  TRANSFER,
  TRANSFER_TRANSACTION,
} from "./object-types.ts";
import type { ScriptTransaction, VisibleTransaction } from "./transaction-view.ts";
import type { ObjectType } from "./types.ts";
import { ObjectValue, OpaqueValue, unit, type Value } from "./values.ts";

/** `proofs` always has as many entries; missing ones are empty. */
const PROOFS = 8;
const EMPTY = new Uint8Array(0);

function address(bytes: Uint8Array): ObjectValue {
  return new ObjectValue(ADDRESS, [bytes]);
}

/** A recipient that the reference forgets to wrap: scripts can do nothing with it. */
function opaqueAddress(bytes: Uint8Array): OpaqueValue {
  return new OpaqueValue("LangAddress", bytes);
}

/** The object type, and the values of the fields that only this type has, in its order. */
function ownFields(tx: VisibleTransaction): [ObjectType, Value[]] {
  switch (tx.type) {
    case 4:
      return [TRANSFER_TRANSACTION, [tx.amount, address(tx.recipient), tx.attachment]];
    case 8:
      return [LEASE_TRANSACTION, [tx.amount, address(tx.recipient)]];
    case 9:
      return [LEASE_CANCEL_TRANSACTION, [tx.leaseId]];
    case 11: {
      const totalAmount = int64(tx.transfers.reduce((sum, { amount }) => sum + amount, 0n));
      const transfers = tx.transfers.map(
        ({ recipient, amount }) => new ObjectValue(TRANSFER, [address(recipient), amount]),
      );
      return [MASS_TRANSFER_TRANSACTION, [totalAmount, transfers, BigInt(transfers.length), tx.attachment]];
    }
    case 12:
      return [DATA_TRANSACTION, [tx.data.map(({ key, value }) => new ObjectValue(DATA_ENTRY, [key, value]))]];
    case 13:
      return [SET_SCRIPT_TRANSACTION, [tx.script ?? unit]];
    case 15:
      return [ANCHOR_TRANSACTION, [BigInt(tx.anchors.length), tx.anchors]];
    case 16:
      return [ISSUE_ASSOCIATION_TRANSACTION, [tx.associationType, opaqueAddress(tx.recipient)]];
    case 17:
      return [REVOKE_ASSOCIATION_TRANSACTION, [tx.associationType, opaqueAddress(tx.recipient)]];
    case 18:
      return [SPONSORSHIP_TRANSACTION, [opaqueAddress(tx.recipient)]];
    case 19:
      return [CANCEL_SPONSORSHIP_TRANSACTION, [opaqueAddress(tx.recipient)]];
    case 20:
      return [REGISTER_TRANSACTION, [tx.accounts.map(({ bytes }) => new OpaqueValue("PublicKey", bytes))]];
  }
}

/** Eight proofs, whatever the transaction has. */
function paddedProofs(proofs: readonly Uint8Array[]): Uint8Array[] {
  const padded = proofs.slice(0, PROOFS);
  while (padded.length < PROOFS) padded.push(EMPTY);
  return padded;
}

const VISIBLE: ReadonlySet<number> = new Set([4, 8, 9, 11, 12, 13, 15, 16, 17, 18, 19, 20]);

function isVisible(tx: ScriptTransaction["transaction"]): tx is VisibleTransaction {
  return VISIBLE.has(tx.type);
}

/**
 * The value of `tx`.
 * @throws ScriptException for a transaction that scripts cannot see
 */
export function transactionValue({ transaction, id, bodyBytes }: ScriptTransaction): Value {
  if (!isVisible(transaction)) {
    throw new ScriptException("scala.NotImplementedError: an implementation is missing");
  }
  const [type, values] = ownFields(transaction);
  const { fee, timestamp, version, sender, senderAddress, proofs } = transaction;
  values.push(id, fee, timestamp, BigInt(version));
  values.push(address(senderAddress), sender.bytes, bodyBytes, paddedProofs(proofs));
  return new ObjectValue(type, values);
}
