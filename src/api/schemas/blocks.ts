import Type from "typebox";
import { AddressText, Amount, BaseTarget, BlockId, base58, Height, object, Timestamp } from "./common.ts";
import { BlockTransactionSchema, TransactionSchema } from "./transactions.ts";

const headerMembers = {
  version: Type.Integer(),
  timestamp: Timestamp,
  reference: base58("Id of the previous block."),
  "nxt-consensus": object({ "base-target": BaseTarget, "generation-signature": base58("32 bytes.") }),
  features: Type.Optional(Type.Array(Type.Integer())),
  feeVote: Type.Integer({ minimum: -1, maximum: 1 }),
  generator: AddressText,
  signature: BlockId,
  blocksize: Type.Integer({ description: "Size of the whole block in bytes." }),
  transactionCount: Type.Integer(),
};
const consensusAlias = {
  nxtconsensus: object({ basetarget: BaseTarget, generationsignature: base58("32 bytes.") }),
};

/** Page 06 §5.5. */
export const HeaderSchema = object({ ...headerMembers, height: Height, ...consensusAlias }, "BlockHeader");

/** Page 06 §5.6. */
export const BlockSchema = object(
  {
    ...headerMembers,
    transactions: Type.Array(BlockTransactionSchema),
    fee: Amount,
    burnedFees: Amount,
    miningReward: Amount,
    generatorReward: Amount,
    height: Height,
    ...consensusAlias,
  },
  "Block",
);

/** Block of `/blocks/child`, without amounts and height. */
export const ChildBlockSchema = object(
  {
    ...headerMembers,
    transactions: Type.Array(TransactionSchema),
    ...consensusAlias,
  },
  "ChildBlock",
);
