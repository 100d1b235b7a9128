/** What becomes of transactions on their way into the pool. */
import type { Result } from "../errors/result.ts";
import type { Refusal } from "../ledger/refusal.ts";

/** Whether the pool did not have the transaction before, or why it is refused. */
export type AdmissionResult = Result<{ readonly added: boolean }, Refusal>;

/**
 * The same for one whose signatures were to be checked first. `busy`: too much waits to be checked, or the source has
 * brought too much in vain. `late`: the deadline passed before it was judged.
 */
export type OfferResult = Result<{ readonly added: boolean }, Refusal | "busy" | "late">;
