/** Blocks that left the chain. Holdfast only. */
import Type from "typebox";
import { encodeBase58 } from "../../../bytes/base58.ts";
import type { JsonOut } from "../../../bytes/json.ts";
import { headerJson } from "../../chain-json.ts";
import { type Call, get, type ReadCall, routesOf } from "../../route.ts";
import { HeaderSchema } from "../../schemas/blocks.ts";
import { BlockId, Count, Height, object, Timestamp } from "../../schemas/common.ts";
import { parseBlockId, requireBlock } from "./blocks.ts";

/** @throws ApiError 101, 301 */
function revertedBlock(call: ReadCall): JsonOut {
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

async function reorganisations(call: Call): Promise<JsonOut> {
  const { since, count, newest } = await call.api.control.chain.reorganisations();
  return {
    since,
    count,
    reorganisations: newest.map((one) => ({
      timestamp: one.at,
      commonHeight: one.commonHeight,
      revertedCount: one.revertedCount,
      reverted: one.reverted.map(encodeBase58),
      committedCount: one.committedCount,
      committed: one.committed.map(encodeBase58),
    })),
  };
}

const Ids = Type.Array(BlockId, { description: "The first 20 of them, the lowest first." });

export const forkRoutes = routesOf("node", [
  get("/blocks/reverted/:signature", {
    tag: "blocks",
    summary:
      "A block that left the chain, and what stands in its place; known for the last 4,096 units that left it",
    request: { params: { signature: BlockId } },
    answers: {
      ok: object({
        header: HeaderSchema,
        microBlock: Type.Boolean({
          description: "Whether the id is that of the block as it stood with one of its micro blocks.",
        }),
        onChain: Type.Boolean({ description: "Whether it has come back since." }),
        keepsKeyBlock: Type.Boolean({
          description: "Whether its key block is on the chain, and only micro blocks left it.",
        }),
        replacedBy: Type.Union([HeaderSchema, Type.Null()], {
          description: "The block at its height now; null when there is none, or when it has come back.",
        }),
      }),
      failures: { 400: "The id is not Base58, or too long.", 404: "No such block is remembered." },
    },
    handle: revertedBlock,
  }),
  get("/node/reorganisations", {
    summary:
      "The newest 50 times, since the node started, that other blocks took the place of blocks of its chain",
    answers: {
      ok: object({
        since: Timestamp,
        count: Count,
        reorganisations: Type.Array(
          object({
            timestamp: Timestamp,
            commonHeight: Height,
            revertedCount: Count,
            reverted: Ids,
            committedCount: Count,
            committed: Ids,
          }),
        ),
      }),
    },
    handle: reorganisations,
  }),
]);
