/** Holdfast only. Page 03 §8. */
import Type from "typebox";
import type { JsonOut } from "../../../bytes/json.ts";
import { addressText } from "../../../crypto/addresses.ts";
import { parseLimit } from "../../lists/pages.ts";
import { get, type ReadCall, routesOf } from "../../route.ts";
import { AddressText, Amount, Count, Height, object, Timestamp } from "../../schemas/common.ts";

const WINDOW_BLOCKS = 1_000;
const MAX_FORGERS = 100;
const DEFAULT_FORGERS = 25;

function answerDueBlocks(call: ReadCall): JsonOut {
  const limit = parseLimit(call, { fallback: DEFAULT_FORGERS, max: MAX_FORGERS });
  return call.read((chain) => {
    const { height, timestamp, examinedBlocks, forgers } = chain.network.dueBlocks(WINDOW_BLOCKS, limit);
    const stake = forgers.reduce((sum, { generatingBalance }) => sum + generatingBalance, 0n);
    return {
      height,
      timestamp,
      window: examinedBlocks,
      generators: forgers.map((one) => ({
        generator: addressText(one.address),
        due: one.due ?? null,
        blocks: one.blocks,
        blockShare: examinedBlocks === 0 ? 0 : one.blocks / examinedBlocks,
        balance: one.generatingBalance,
        stakeShare: stake === 0n ? 0 : Number(one.generatingBalance) / Number(stake),
      })),
    };
  });
}

/** Blocks and generators that `/generators/missed` examines. */
const EXAMINED_BLOCKS = 100;
const CONSIDERED_FORGERS = 100;

function answerMissedBlocks(call: ReadCall): JsonOut {
  return call.read((chain) => {
    const found = chain.network.missedBlocks(EXAMINED_BLOCKS, CONSIDERED_FORGERS);
    return {
      height: found.height,
      window: found.examinedBlocks,
      blocks: found.blocks.map(({ generator, shortest, ...block }) => ({
        ...block,
        generator: addressText(generator),
        shortest: addressText(shortest),
      })),
    };
  });
}

const Share = Type.Number({ minimum: 0, maximum: 1 });

export const dueBlockRoutes = routesOf("statistics", [
  get("/generators/due", {
    summary: `When generators of the last ${WINDOW_BLOCKS} blocks may forge the next one, earliest first`,
    request: { query: { limit: Type.Integer({ minimum: 1, maximum: MAX_FORGERS, examples: [10] }) } },
    answers: {
      ok: object({
        height: Height,
        timestamp: Timestamp,
        window: Type.Integer({ ...Count, description: "Number of examined blocks." }),
        generators: Type.Array(
          object({
            generator: AddressText,
            due: Type.Union([Timestamp, Type.Null()], {
              description: "Earliest time of its next block; null: it may not forge.",
            }),
            blocks: Count,
            blockShare: Share,
            balance: Amount,
            stakeShare: Type.Number({
              ...Share,
              description: "Share of the generating balances of all listed generators.",
            }),
          }),
        ),
      }),
      failures: { 400: "The limit is not valid." },
    },
    cost: { cacheable: true },
    runsInReader: true,
    handle: answerDueBlocks,
  }),
  get("/generators/missed", {
    summary: `Blocks among the last ${EXAMINED_BLOCKS} that another generator could have made earlier, newest first`,
    answers: {
      ok: object({
        height: Height,
        window: Type.Integer({ ...Count, description: "Number of examined blocks." }),
        blocks: Type.Array(
          object({
            height: Height,
            timestamp: Timestamp,
            generator: AddressText,
            shortest: Type.String({
              ...AddressText,
              description: "Recent generator with the shortest delay; without accounts with a script.",
            }),
            due: Type.Unsafe<bigint>({ ...Timestamp, description: "When it could have made the block." }),
          }),
        ),
      }),
    },
    cost: { cacheable: true },
    runsInReader: true,
    handle: answerMissedBlocks,
  }),
]);
