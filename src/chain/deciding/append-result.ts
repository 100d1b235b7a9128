import type { Result } from "../../errors/result.ts";
import type { BlockRefusal } from "./block-refusal.ts";

/** `appended`; `known`: it was there already; `ignored`: a version of the liquid block with nothing new. */
type AppendOutcome = "appended" | "known" | "ignored";

/** What became of a block or micro block. */
export type AppendResult = Result<AppendOutcome, BlockRefusal>;
