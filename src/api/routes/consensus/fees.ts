/** Page 06 §7.4. */
import Type from "typebox";
import { JsonNumber, type JsonOut, type JsonValue } from "../../../bytes/json.ts";
import type { FeeVote } from "../../../control/index.ts";
import { apiError } from "../../../http/errors.ts";
import { readMembers } from "../../members.ts";
import { cachedByState } from "../../reading/cached-by-state.ts";
import { type Call, get, post, routesOf } from "../../route.ts";
import { Amount, Count, Height, object } from "../../schemas/common.ts";

const votes: readonly FeeVote[] = ["DECREASE", "MAINTAIN", "INCREASE"];
const Vote = Type.Enum(["DECREASE", "MAINTAIN", "INCREASE"]);

const feeVotes = cachedByState((chain) => chain.network.feeVotes());

async function answerStatus(call: Call): Promise<JsonOut> {
  const nodeStatus = await call.api.control.forging.feeVote();
  const {
    price,
    votes: sum,
    period,
    nextPrice,
    nextActivationHeight,
  } = call.read((chain) => feeVotes(call.api.info.network, chain));
  const change = nextPrice < price ? "DECREASE" : nextPrice > price ? "INCREASE" : "MAINTAIN";
  return {
    price,
    votes: sum,
    period,
    next: { status: change, price: nextPrice, activationHeight: nextActivationHeight },
    nodeStatus,
  };
}

/** Accepts a name, or a number whose sign is the vote. Numbers are truncated to 64 bits. @throws ApiError 117 */
function parseVote(value: JsonValue): FeeVote {
  if (value instanceof JsonNumber) {
    const number = value.toInt64Wrapping();
    return number < 0n ? "DECREASE" : number > 0n ? "INCREASE" : "MAINTAIN";
  }
  const name = typeof value === "string" ? value.toUpperCase() : undefined;
  const vote = votes.find((one) => one === name);
  if (vote === undefined) throw apiError("invalidFeeVote");
  return vote;
}

async function setVote(call: Call): Promise<JsonOut> {
  const newVote = parseVote(readMembers(call.json(), (body) => body.any("status") ?? null));
  await call.api.control.forging.setFeeVote(newVote);
  return { status: newVote };
}

export const feeRoutes = routesOf("fees", [
  get("/fees/status", {
    onFollower: "source",
    summary: "Fee price, current votes, and the next price",
    answers: {
      ok: object({
        price: Amount,
        votes: Type.Integer(),
        period: Count,
        next: object({ status: Vote, price: Amount, activationHeight: Height }),
        nodeStatus: Vote,
      }),
    },
    handle: answerStatus,
  }),
  post("/fees/vote", {
    summary: "Sets this node's vote on the fee price",
    access: "key:admin",
    request: {
      body: {
        kind: "json",
        schema: Type.Object({ status: Type.Union([Type.String(), Type.Number()]) }),
      },
      example: { body: { status: "MAINTAIN" } },
    },
    answers: { ok: object({ status: Vote }), failures: { 400: "The vote is not valid." } },
    handle: setVote,
  }),
]);
