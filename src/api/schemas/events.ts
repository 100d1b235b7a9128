import Type, { type Static } from "typebox";
import { AddressText, BlockId, Count, Height, object, Timestamp } from "./common.ts";
import { BlockTransactionSchema, TransactionSchema } from "./transactions.ts";

const Change = Type.Enum(["committed", "reverted"], {
  description: "`committed`: joined the chain; `reverted`: left the chain.",
});
const Sequence = Type.Integer({
  minimum: 0,
  description: "0 for a key block; 1, 2, … for its micro blocks.",
});

const UnitEventSchema = object(
  {
    change: Change,
    height: Height,
    sequence: Sequence,
    signature: BlockId,
    timestamp: Timestamp,
    generator: AddressText,
    transactionCount: Count,
  },
  "BlockEvent",
);

const TransactionEventSchema = object(
  {
    change: Change,
    height: Height,
    sequence: Sequence,
    blockSignature: BlockId,
    position: Count,
    transaction: BlockTransactionSchema,
  },
  "TransactionEvent",
);

const PoolEventSchema = object({ transaction: TransactionSchema }, "PoolEvent");

/** `pool`: number of pool events that were not sent. */
const MissedEventSchema = object({ pool: Count }, "MissedEvent");

const GapEventSchema = object(
  { since: Type.String({ description: "The event id that the client requested." }), message: Type.String() },
  "GapEvent",
);

export const eventSchemas = {
  block: UnitEventSchema,
  microblock: UnitEventSchema,
  transaction: TransactionEventSchema,
  pool: PoolEventSchema,
  missed: MissedEventSchema,
  gap: GapEventSchema,
};

export type EventData = { readonly [Name in keyof typeof eventSchemas]: Static<(typeof eventSchemas)[Name]> };
