/** Page 05 §27. */
import type { ScriptVar } from "../script/index.ts";
import { errorText, type Transaction, type ValidationError } from "../transactions/index.ts";

/** Refusals by static checks have further kinds (page 02 §7). */
type RefusalKind =
  | "GenericError"
  | "InsufficientFee"
  | "UnsupportedTransactionType"
  | "AlreadyInTheState"
  | "AccountBalanceError"
  | "Mistiming"
  | "NotActivated"
  | "ActivationError"
  | "UnsupportedKeyType"
  | "SenderIsBlacklisted"
  | "TransactionNotAllowedByScript"
  | "ScriptExecutionError";

export interface ScriptRecord {
  /** Text form of the script, page 08 §9. */
  readonly script: string;
  readonly vars: readonly ScriptVar[];
}

export class Refusal implements ValidationError {
  readonly kind: string;
  readonly args: readonly (string | bigint | number)[];
  /** If set, the transaction failed a check against the state: the refusal is "wrapped" (page 05 §27). */
  readonly transaction: Transaction | undefined;
  /** Set only for `TransactionNotAllowedByScript` and `ScriptExecutionError`. */
  readonly script: ScriptRecord | undefined;

  constructor(
    kind: string,
    args: readonly (string | bigint | number)[],
    transaction?: Transaction | undefined,
    script?: ScriptRecord | undefined,
  ) {
    this.kind = kind;
    this.args = args;
    this.transaction = transaction;
    this.script = script;
  }

  get isWrapped(): boolean {
    return this.transaction !== undefined;
  }

  withTransaction(transaction: Transaction): Refusal {
    return this.transaction ? this : new Refusal(this.kind, this.args, transaction, this.script);
  }
}

export function refuse(kind: RefusalKind, ...args: readonly (string | bigint | number)[]): Refusal {
  return new Refusal(kind, args);
}

export function genericError(text: string): Refusal {
  return new Refusal("GenericError", [text]);
}

/** Kinds whose message is their first argument. */
const kindsWithOwnText: ReadonlySet<string> = new Set(["GenericError", "InsufficientFee", "Mistiming"]);

const fixedTexts: ReadonlyMap<string, string> = new Map([
  ["InvalidAddress", "invalid address"],
  ["TooBigArray", "Too big sequences requested"],
  ["OverflowError", "overflow error"],
  ["ToSelf", "Transaction to yourself"],
  ["InvalidSignature", "invalid signature"],
  ["UnsupportedTransactionType", "UnsupportedTransactionType"],
  ["TransactionNotAllowedByScript", "Transaction not allowed by account-script"],
]);

/** Text of a static error (page 02 §7) or refusal, without the prefix of a wrapped refusal. Page 05 §27. */
export function errorMessage(error: ValidationError): string {
  const { kind, args } = error;
  const fixed = fixedTexts.get(kind);
  if (fixed !== undefined) return fixed;
  if (kindsWithOwnText.has(kind)) return String(args[0]);
  switch (kind) {
    case "NegativeAmount":
      return `negative amount: ${args[0]} of ${args[1]}`;
    case "AlreadyInTheState":
      return `Transaction ${args[0]} is already in the state on a height of ${args[1]}`;
    case "AccountBalanceError":
      return args.join(", ");
    case "ScriptExecutionError":
      return `Error while executing account-script: ${args[0]}`;
    default:
      return errorText(error);
  }
}

/** Text with the prefix of wrapped refusals. `Mistiming` and refusals by scripts have no prefix. Page 05 §27. */
export function refusalMessage(refusal: Refusal): string {
  const message = errorMessage(refusal);
  if (!refusal.isWrapped || refusal.kind === "Mistiming" || refusal.script !== undefined) return message;
  return `State check failed. Reason: ${message}`;
}
