import type { Result } from "../errors/result.ts";
import type { ScriptVar } from "../script/index.ts";
import type { RequestError, ValidationError } from "../transactions/index.ts";

/** `api/refusals.ts` has the texts for clients. Faults of the node reject instead. */
export type ControlFailure =
  /** Too many calls are waiting. */
  | { readonly kind: "busy" }
  | { readonly kind: "disk-fault" }
  /** The deadline passed before the call began. */
  | { readonly kind: "late" }
  | { readonly kind: "no-transaction"; readonly error: RequestError }
  /** By ledger or pool. Page 05 §27. */
  | {
      readonly kind: "refused";
      readonly error: ValidationError;
      /** Set if and only if the check against the state failed; has the result of the sender's script. */
      readonly state?: { readonly script?: ScriptRefusal } | undefined;
    }
  /** Page 01 §9.5, also for the next two. */
  | { readonly kind: "not-in-wallet" }
  | { readonly kind: "account-based-wallet" }
  /** The wallet already has the next account of its seed. */
  | { readonly kind: "account-exists" }
  /** The undo journal does not reach this height. */
  | { readonly kind: "journal-pruned"; readonly height: number }
  /** With the protocol's text. Page 03 §15. */
  | { readonly kind: "checkpoint-refused"; readonly text: string }
  /** P2P is disabled. */
  | { readonly kind: "no-peers" }
  /** Invalid, or cannot be resolved. */
  | { readonly kind: "unknown-host" }
  | { readonly kind: "anchors-full" };

/** As text, with its variables. Page 08 §9, §17.4. */
interface ScriptRefusal {
  readonly script: string;
  readonly vars: readonly ScriptVar[];
}

export type Outcome<T> = Result<T, ControlFailure>;
