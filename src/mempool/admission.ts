import type { Result } from "../errors/result.ts";
import type { Refusal } from "../ledger/refusal.ts";

/** `added` is false if the pool had the transaction already. */
export type AdmissionResult = Result<{ readonly added: boolean }, Refusal>;

/**
 * `busy`: the queue is full, or the source (client or peer) caused too much refused work; `late`: the client's deadline
 * has passed.
 */
export type OfferResult = Result<{ readonly added: boolean }, Refusal | "busy" | "late">;
