/** What of a page may be missing: one answer that fails leaves the others where they are. */
import type { NodeApi } from "../page.ts";
import type { Problem } from "./problems.ts";

/** What came of a question. */
export type Attempt<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: Problem };

/** What a question comes to, a failure too. */
export async function attempt<T>(node: NodeApi, asked: Promise<T>): Promise<Attempt<T>> {
  try {
    return { ok: true, value: await asked };
  } catch (error) {
    return { ok: false, problem: await node.diagnose(error) };
  }
}
