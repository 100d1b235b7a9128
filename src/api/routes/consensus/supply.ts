/** How much there is of the token. Page 06 §7.7. */
import type { JsonOut } from "../../../bytes/json.ts";
import { refuse } from "../../../http/errors.ts";
import type { Call, Route } from "../../route.ts";
import { Amount, Height, object } from "../../schemas/common.ts";

const SupplySchema = object({ height: Height, initial: Amount, burned: Amount, total: Amount });

/** @param height undefined: now, the liquid block included */
function supply(call: Call, height?: number): JsonOut {
  const initial = call.api.info.network.genesis.initialBalance;
  return call.read((chain) => {
    const current = chain.height();
    if (height !== undefined && height >= current) throw refuse("blockDoesNotExist");
    const burned = chain.burned(height);
    return { height: height ?? current, initial, burned, total: initial - burned };
  });
}

export const supplyRoutes = [
  {
    method: "GET",
    path: "/supply",
    tag: "supply",
    summary: "Supply now",
    answer: SupplySchema,
    handle: (call) => supply(call),
  },
  {
    method: "GET",
    path: "/supply/at/:height",
    tag: "supply",
    summary: "Supply at an earlier height",
    params: { height: Height },
    answer: SupplySchema,
    failures: { 404: "The height is not below the current one." },
    handle: (call) => supply(call, call.int("height")),
  },
] as const satisfies readonly Route[];
