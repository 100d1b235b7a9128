import type { Result } from "../errors/result.ts";
import type { ScriptVar } from "../script/index.ts";
import type { RequestError, ValidationError } from "../transactions/index.ts";

/**
 * Why the node did not do what it was asked, as plain data. What a client is told stands in `api/refusals.ts`.
 * Faults of the node are no failures: the call rejects.
 */
export type ControlFailure =
  /** Too much waits to be done already. */
  | { readonly kind: "busy" }
  /** The disk does not take what is written at the moment. */
  | { readonly kind: "disk-fault" }
  /** Its turn came when nobody waited for it any more; nothing was done. */
  | { readonly kind: "late" }
  /** What was sent is no transaction. */
  | { readonly kind: "no-transaction"; readonly error: RequestError }
  /** Ledger or pool refuse a transaction. Page 05 §27. */
  | {
      readonly kind: "refused";
      readonly error: ValidationError;
      /** Present exactly when the check against the state failed: what the sender's script had to say. */
      readonly state?: { readonly script?: ScriptRefusal } | undefined;
    }
  /** The account is not in the wallet. Page 01 §9.5, as the next two. */
  | { readonly kind: "not-in-wallet" }
  /** The wallet holds a single account and can have no other. */
  | { readonly kind: "account-based-wallet" }
  /** The next account of the wallet's seed is there already. */
  | { readonly kind: "account-exists" }
  /** A rollback would have to undo this height, to which the journal does not reach back. */
  | { readonly kind: "journal-pruned"; readonly height: number }
  /** With the protocol's text. Page 03 §15. */
  | { readonly kind: "checkpoint-refused"; readonly text: string }
  /** It talks to no other nodes. */
  | { readonly kind: "no-peers" }
  /** That is no host, or one that nobody knows. */
  | { readonly kind: "unknown-host" }
  /** As many hashes wait to be anchored as may. */
  | { readonly kind: "anchors-full" };

/** What the refusal by an account's script carries: the script as text, and its variables. Page 08 §9, §17.4. */
interface ScriptRefusal {
  readonly script: string;
  readonly vars: readonly ScriptVar[];
}

/** What became of something that was asked of the node. */
export type Outcome<T> = Result<T, ControlFailure>;
