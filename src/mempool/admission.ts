import type { Result } from "../errors/result.ts";
import type { Refusal } from "../ledger/refusal.ts";

/** `added`: false if the pool already had it. */
export type AdmissionResult = Result<{ readonly added: boolean }, Refusal>;

/**
 * As `AdmissionResult`, after a check of signatures. `busy`: the queue is full, or the source has caused too much
 * useless work. `late`: the deadline passed.
 */
export type OfferResult = Result<{ readonly added: boolean }, Refusal | "busy" | "late">;
