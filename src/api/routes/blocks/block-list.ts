/** Holdfast only. */
import { encodeBase58 } from "../../../bytes/base58.ts";
import { addressText } from "../../../crypto/addresses.ts";
import { mapLazily } from "../../../http/responses/chunked-json.ts";
import type { Reply } from "../../../http/responses/reply.ts";
import type { BlockRow } from "../../../interfaces.ts";
import { cursors } from "../../lists/cursors.ts";
import { addressFilter, parseAddressFilter, parseRange, rangeParameters } from "../../lists/filters.ts";
import { limitParameters, pageOf, parseCursor } from "../../lists/pages.ts";
import { formatParameter, parseTableLimit, type Row, tableAnswers, tableReply } from "../../lists/tables.ts";
import { get, type ReadCall, routesOf } from "../../route.ts";
import { AddressText, Amount, BlockId, Count, Height, Timestamp } from "../../schemas/common.ts";

const table = {
  name: "blocks",
  members: {
    height: Height,
    id: BlockId,
    timestamp: Timestamp,
    generator: AddressText,
    transactionCount: Count,
    size: Count,
    fees: Amount,
    reward: Amount,
  },
} as const;

function rowJson(row: BlockRow): Row {
  return { ...row, id: encodeBase58(row.id), generator: addressText(row.generator) };
}

function answerBlocks(call: ReadCall): Reply {
  const rangeOf = parseRange(call);
  const generator = parseAddressFilter(call, "generator");
  const limit = parseTableLimit(call);
  const after = parseCursor(call, cursors.newestBlocks);
  return call.read((chain) => {
    const rows = chain.blocks.rows({ ...rangeOf(chain), generator, after, limit: limit + 1 });
    const { shown, next } = pageOf(rows, { limit }, cursors.newestBlocks, ({ height }) => height);
    return tableReply(call, chain, table, mapLazily(shown, rowJson), next);
  });
}

export const blockListRoutes = routesOf("blocks", [
  get("/blocks/newest", {
    summary: "Blocks without their transactions, newest first",
    request: {
      query: {
        ...limitParameters(cursors.newestBlocks),
        ...rangeParameters,
        generator: addressFilter("Account that generated the blocks."),
        ...formatParameter,
      },
      example: { query: { limit: 10 } },
    },
    answers: tableAnswers(table, "BlockRow"),
    cost: { cacheable: true },
    runsInReader: true,
    handle: answerBlocks,
  }),
]);
