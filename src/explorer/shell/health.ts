import { InvalidAnswerError } from "../../client/bounded-fetch.ts";
import { membersOf } from "../../client/decode.ts";
import type { Answer } from "../../client/index.ts";
import { everyMinute, useQuery } from "../data/use-query.ts";
import type { Attempt, PageContext } from "../page.ts";

export type Health = Answer<"GET /node/health">;

/** @throws InvalidAnswerError, because the server may not be a node */
export function parseHealth(answer: Health): Health {
  const { reasons, peers } = membersOf(answer);
  const isHealth =
    Array.isArray(reasons) &&
    reasons.every((reason) => typeof membersOf(reason).message === "string") &&
    typeof peers === "number";
  if (!isHealth) throw new InvalidAnswerError("its health is not a node's");
  return answer;
}

/** At most one load per minute. */
export function useHealth(context: PageContext): Attempt<Health> | undefined {
  return useQuery(
    context,
    "health",
    async () => parseHealth(await context.node.client.call("GET /node/health")),
    everyMinute(context),
  );
}
