/** What of a page may be missing: one answer that fails leaves the others where they are. */
import { FailedRequestError } from "../../client/index.ts";
import type { NodeApi, Problem } from "../page.ts";

export type Attempt<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: Problem };

/**
 * What a question comes to, a failure too.
 * @throws what the client throws where the node cannot be reached: then there is nothing of the page to be shown
 */
export async function attempt<T>(node: NodeApi, asked: Promise<T>): Promise<Attempt<T>> {
  try {
    return { ok: true, value: await asked };
  } catch (error) {
    const problem = await node.diagnose(error);
    if (problem.kind === "unreachable") throw error;
    return { ok: false, problem };
  }
}

/**
 * An answer; undefined where the node has nothing of it.
 * @param missing statuses that say so
 * @throws what the client throws otherwise
 */
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
