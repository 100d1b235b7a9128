import type { Result } from "../errors/result.ts";
import type { Refusal } from "../ledger/refusal.ts";

/** Result of an admission. `added` is false if the pool had the transaction already. */
export type AdmissionResult = Result<{ readonly added: boolean }, Refusal>;

/**
 * Like `AdmissionResult`, with a check of signatures. `busy`: the queue is full, or the source has caused too much
 * useless work. `late`: the deadline has passed.
 */
export type OfferResult = Result<{ readonly added: boolean }, Refusal | "busy" | "late">;
