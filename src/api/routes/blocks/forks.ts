/** Holdfast only. */
import Type from "typebox";
import { encodeBase58 } from "../../../bytes/base58.ts";
import type { JsonOut } from "../../../bytes/json.ts";
import { headerJson } from "../../chain-json.ts";
import { type Call, get, type ReadCall, routesOf } from "../../route.ts";
import { HeaderSchema } from "../../schemas/blocks.ts";
import { BlockId, Count, Height, object, Timestamp } from "../../schemas/common.ts";
import { parseBlockId, requireBlock } from "./blocks.ts";

/** @throws ApiError 101, 301 */
function answerRevertedBlock(call: ReadCall): JsonOut {
  const id = parseBlockId(call.param("signature"));
  const info = requireBlock(call.read((chain) => chain.blocks.reverted(id)));
  return {
    header: headerJson(info.header),
    microBlock: info.isMicroBlock,
    onChain: info.isOnChain,
    keepsKeyBlock: info.keepsKeyBlock,
    replacedBy: info.replacedBy === undefined ? null : headerJson(info.replacedBy),
  };
}

async function answerReorganisations(call: Call): Promise<JsonOut> {
  const { since, count, newest } = await call.api.control.chain.reorganisations();
  return {
    since,
    count,
    reorganisations: newest.map((one) => ({
      timestamp: one.timestamp,
      commonHeight: one.commonHeight,
      oldTip: encodeBase58(one.oldTip),
      newTip: encodeBase58(one.newTip),
      revertedTransactions: one.revertedTransactions,
      revertedCount: one.revertedCount,
      reverted: one.reverted.map(encodeBase58),
      committedCount: one.committedCount,
      committed: one.committed.map(encodeBase58),
    })),
  };
}

const Ids = Type.Array(BlockId, { description: "Ids of the 20 lowest blocks, in ascending order." });

export const forkRoutes = routesOf("node", [
  get("/blocks/reverted/:signature", {
    tag: "blocks",
    summary: "A reverted block and its replacement; the node remembers the last 4,096 units",
    request: { params: { signature: BlockId } },
    answers: {
      ok: object({
        header: HeaderSchema,
        microBlock: Type.Boolean({
          description: "True if the id belongs to a micro block, false if it belongs to a key block.",
        }),
        onChain: Type.Boolean({ description: "True if the block is on the chain again." }),
        keepsKeyBlock: Type.Boolean({
          description: "True if only micro blocks were reverted, and their key block is on the chain.",
        }),
        replacedBy: Type.Union([HeaderSchema, Type.Null()], {
          description:
            "Current block at its height; null if there is none, or if the block is on the chain again.",
        }),
      }),
      failures: { 400: "The id is not Base58, or too long.", 404: "The node does not remember the block." },
    },
    handle: answerRevertedBlock,
  }),
  get("/node/reorganisations", {
    onFollower: "source",
    summary: "The last 100 reorganisations",
    answers: {
      ok: object({
        since: Timestamp,
        count: Type.Integer({ ...Count, description: "Number since the node started." }),
        reorganisations: Type.Array(
          object({
            timestamp: Timestamp,
            commonHeight: Height,
            oldTip: BlockId,
            newTip: BlockId,
            revertedTransactions: Type.Integer({
              ...Count,
              description: "Transactions of the reverted blocks. The new blocks can contain them too.",
            }),
            revertedCount: Count,
            reverted: Ids,
            committedCount: Count,
            committed: Ids,
          }),
        ),
      }),
    },
    handle: answerReorganisations,
  }),
]);
