import { FailedRequestError } from "../../client/index.ts";
import type { Attempt, NodeApi } from "../page.ts";

/** Catches the failure of a request. @throws the client's error if the node is unreachable */
export async function attempt<T>(node: NodeApi, answer: Promise<T>): Promise<Attempt<T>> {
  try {
    return { ok: true, value: await answer };
  } catch (error) {
    const problem = await node.diagnose(error);
    if (problem.kind === "unreachable") throw error;
    return { ok: false, problem };
  }
}

export async function undefinedIfMissing<T>(
  answer: Promise<T>,
  missingStatuses: readonly number[] = [404],
): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof FailedRequestError && missingStatuses.includes(error.status)) return undefined;
    throw error;
  }
}
