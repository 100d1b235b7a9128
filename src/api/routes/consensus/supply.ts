/** Page 06 §7.7. */
import type { JsonOut } from "../../../bytes/json.ts";
import { apiError } from "../../../http/errors.ts";
import { type Call, get, routesOf } from "../../route.ts";
import { Amount, Height, object } from "../../schemas/common.ts";

const SupplySchema = object({ height: Height, initial: Amount, burned: Amount, total: Amount });

/** @param height default: the current one, including the liquid block */
function answerSupply(call: Call, height?: number): JsonOut {
  const initial = call.api.info.network.genesis.initialBalance;
  return call.read((chain) => {
    const current = chain.height();
    if (height !== undefined && height >= current) throw apiError("blockDoesNotExist");
    const burned = chain.network.burned(height);
    return { height: height ?? current, initial, burned, total: initial - burned };
  });
}

export const supplyRoutes = routesOf("supply", [
  get("/supply", {
    summary: "Current supply",
    answers: { ok: SupplySchema },
    handle: (call) => answerSupply(call),
  }),
  get("/supply/at/:height", {
    summary: "Supply at a past height",
    request: { params: { height: Height } },
    answers: { ok: SupplySchema, failures: { 404: "The height is not below the current height." } },
    handle: (call) => answerSupply(call, call.int("height")),
  }),
]);
