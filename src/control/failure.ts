import type { Result } from "../errors/result.ts";
import type { ScriptVar } from "../script/index.ts";
import type { RequestError, ValidationError } from "../transactions/index.ts";

/** Why the node refused a call. A fault of the node rejects the call's promise instead. */
export type ControlFailure =
  /** The node is overloaded, or its disk has too little space. */
  | { readonly kind: "busy" }
  | { readonly kind: "disk-fault" }
  /** The deadline passed before the call began. */
  | { readonly kind: "late" }
  /** The bytes or the JSON are not a transaction. */
  | { readonly kind: "no-transaction"; readonly error: RequestError }
  /** The ledger or the pool refused a transaction. Page 05 §27. */
  | {
      readonly kind: "refused";
      readonly error: ValidationError;
      /** Set if and only if the check against the state failed. `script`: the sender's script that failed. */
      readonly state?: { readonly script?: ScriptRefusal } | undefined;
    }
  /** Page 01 §9.5. */
  | { readonly kind: "not-in-wallet" }
  /** The wallet has no seed for new accounts. */
  | { readonly kind: "account-based-wallet" }
  | { readonly kind: "account-exists" }
  /** The undo journal does not reach this height. */
  | { readonly kind: "journal-pruned"; readonly height: number }
  /** Page 03 §15 defines `text`. */
  | { readonly kind: "checkpoint-refused"; readonly text: string }
  /** P2P is disabled. */
  | { readonly kind: "no-peers" }
  /** Invalid or unresolvable name. */
  | { readonly kind: "unknown-host"; readonly host: string }
  | { readonly kind: "bans-disabled" }
  | { readonly kind: "not-banned"; readonly host: string }
  | { readonly kind: "anchors-full" }
  /** The node does not queue hashes. */
  | { readonly kind: "anchors-off" };

/** Page 08 §9, §17.4. */
interface ScriptRefusal {
  readonly script: string;
  readonly vars: readonly ScriptVar[];
}

export type Outcome<T> = Result<T, ControlFailure>;
