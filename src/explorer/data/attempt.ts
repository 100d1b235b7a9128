/** Requests whose failure leaves the rest of a page intact. */
import { FailedRequestError } from "../../client/index.ts";
import type { NodeApi, Problem } from "../page.ts";

export type Attempt<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: Problem };

/** @throws the client's error if the node is unreachable: then the page has nothing to show */
export async function attempt<T>(node: NodeApi, asked: Promise<T>): Promise<Attempt<T>> {
  try {
    return { ok: true, value: await asked };
  } catch (error) {
    const problem = await node.diagnose(error);
    if (problem.kind === "unreachable") throw error;
    return { ok: false, problem };
  }
}

/** @throws the client's errors for other statuses */
export async function undefinedIfMissing<T>(
  asked: Promise<T>,
  missing: readonly number[] = [404],
): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof FailedRequestError && missing.includes(error.status)) return undefined;
    throw error;
  }
}
