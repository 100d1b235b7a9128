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

function object(type: ObjectType, fields: Record<string, Value>): ObjectValue {
  return new ObjectValue(type, new Map(Object.entries(fields)));
}

function address(bytes: Uint8Array): ObjectValue {
  return object(ADDRESS, { bytes });
}

/** A recipient that the reference forgets to wrap: scripts can do nothing with it. */
function opaqueAddress(bytes: Uint8Array): OpaqueValue {
  return new OpaqueValue("LangAddress", bytes);
}

/** The fields that only this type has, and the object type. */
function ownFields(tx: VisibleTransaction): [ObjectType, Record<string, Value>] {
  switch (tx.type) {
    case 4: {
      const { amount, attachment } = tx;
      return [TRANSFER_TRANSACTION, { amount, recipient: address(tx.recipient), attachment }];
    }
    case 8:
      return [LEASE_TRANSACTION, { amount: tx.amount, recipient: address(tx.recipient) }];
    case 9:
      return [LEASE_CANCEL_TRANSACTION, { leaseId: tx.leaseId }];
    case 11: {
      const transfers = tx.transfers.map(({ recipient, amount }) =>
        object(TRANSFER, { recipient: address(recipient), amount }),
      );
      const totalAmount = int64(tx.transfers.reduce((sum, { amount }) => sum + amount, 0n));
      const transferCount = BigInt(transfers.length);
      const { attachment } = tx;
      return [MASS_TRANSFER_TRANSACTION, { totalAmount, transfers, transferCount, attachment }];
    }
    case 12: {
      const data = tx.data.map(({ key, value }) => object(DATA_ENTRY, { key, value }));
      return [DATA_TRANSACTION, { data }];
    }
    case 13:
      return [SET_SCRIPT_TRANSACTION, { script: tx.script ?? unit }];
    case 15:
      return [ANCHOR_TRANSACTION, { anchorCount: BigInt(tx.anchors.length), anchors: tx.anchors }];
    case 16:
    case 17: {
      const type = tx.type === 16 ? ISSUE_ASSOCIATION_TRANSACTION : REVOKE_ASSOCIATION_TRANSACTION;
      return [type, { assocType: tx.associationType, recipient: opaqueAddress(tx.recipient) }];
    }
    case 18:
      return [SPONSORSHIP_TRANSACTION, { recipient: opaqueAddress(tx.recipient) }];
    case 19:
      return [CANCEL_SPONSORSHIP_TRANSACTION, { recipient: opaqueAddress(tx.recipient) }];
    case 20: {
      const accounts = tx.accounts.map(({ bytes }) => new OpaqueValue("PublicKey", bytes));
      return [REGISTER_TRANSACTION, { accounts }];
    }
  }
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
  const [type, own] = ownFields(transaction);
  const { fee, timestamp, version, sender, senderAddress, proofs } = transaction;
  return object(type, {
    ...own,
    id,
    fee,
    timestamp,
    version: BigInt(version),
    sender: address(senderAddress),
    senderPublicKey: sender.bytes,
    bodyBytes,
    proofs: Array.from({ length: PROOFS }, (_, i) => proofs[i] ?? EMPTY),
  });
}
