/** Holdfast only. */
import Type from "typebox";
import { encodeBase58 } from "../../bytes/base58.ts";
import { addressText } from "../../crypto/addresses.ts";
import type { ChainTransaction } from "../../interfaces.ts";
import { definitionOf, movedTokens, transactionId } from "../../transactions/index.ts";
import { AddressText, Amount, Count, Height, Timestamp, TransactionId } from "../schemas/common.ts";
import type { Row } from "./tables.ts";

const typeMembers = {
  id: TransactionId,
  type: Type.Integer(),
  name: Type.String({ description: "Name of the type, as in `type=`." }),
  height: Height,
  position: Type.Integer({ ...Count, description: "Position in the block, from 0." }),
  timestamp: Timestamp,
};

export const transactionRowTable = {
  name: "transactions",
  members: {
    ...typeMembers,
    sender: Type.Optional(AddressText),
    recipient: Type.Optional(Type.String({ ...AddressText, description: "The only recipient." })),
    recipients: Type.Integer({ ...Count, description: "Number of recipients." }),
    amount: Type.Unsafe<bigint>({
      ...Amount,
      description: "Transferred, burned or leased tokens, units of 10^-8 token.",
    }),
    fee: Type.Unsafe<bigint>({ ...Amount, description: "Fee that was charged, units." }),
    feePayer: Type.Optional(Type.String({ ...AddressText, description: "A sponsor that paid the fee." })),
  },
} as const;

export const transactionTypeMembers = typeMembers;

/** Returns the members that lists of all transactions and of an account share. */
export function typeRow({ transaction, height, position }: ChainTransaction) {
  return {
    id: encodeBase58(transactionId(transaction)),
    type: transaction.type,
    name: definitionOf(transaction).pathNames[0],
    height,
    position,
    timestamp: transaction.timestamp,
  };
}

export function recipientsOf({ transaction }: Pick<ChainTransaction, "transaction">): readonly Uint8Array[] {
  const { payouts } = definitionOf(transaction);
  if (payouts !== undefined) return payouts(transaction).map(({ recipient }) => recipient);
  const recipient = "recipient" in transaction ? transaction.recipient : undefined;
  return recipient === undefined ? [] : [recipient];
}

export function transactionRow(found: ChainTransaction): Row {
  const { transaction, effectiveFee, effectiveSponsor } = found;
  const recipients = recipientsOf(found);
  return {
    ...typeRow(found),
    sender: definitionOf(transaction).hasSender ? addressText(transaction.senderAddress) : undefined,
    recipient: recipients.length === 1 ? addressText(recipients[0]) : undefined,
    recipients: recipients.length,
    amount: movedTokens(transaction),
    fee: effectiveFee,
    feePayer: effectiveSponsor && addressText(effectiveSponsor),
  };
}
