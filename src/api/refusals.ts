/** Page 06 §4. */
import type { JsonOut } from "../bytes/json.ts";
import type { ControlFailure } from "../control/index.ts";
import { type ApiFailure, failure, failures, invalidJson } from "../http/errors.ts";
import type { RequestLimit } from "../http/metrics.ts";
import type { IndexProgress } from "../interfaces.ts";
import { errorMessage, Refusal, refusalMessage } from "../ledger/refusal.ts";
import type { UnavailableError } from "../runtime/rpc.ts";
import {
  type RequestError,
  type Transaction,
  transactionJson,
  type ValidationError,
} from "../transactions/index.ts";

export function indexNotReadyFailure({ name, height }: IndexProgress, chainHeight: number): ApiFailure {
  const message = `the index ${name} is being built: block ${height} of ${chainHeight}`;
  return failure(503, 503, message, { index: name, height, of: chainHeight });
}

/** Error ids; all other kinds have the id 199. Page 06 §4.5. */
const idByKind: ReadonlyMap<string, number> = new Map([
  ["TooBigArray", 10],
  ["InvalidSignature", 101],
  ["InvalidAddress", 102],
  ["NegativeAmount", 111],
  ["InsufficientFee", 112],
  ["OverflowError", 113],
  ["ToSelf", 114],
  ["Mistiming", 303],
  ["ScriptExecutionError", 306],
  ["TransactionNotAllowedByScript", 307],
]);

/** For errors that do not depend on the state. */
export function validationFailure(error: ValidationError): ApiFailure {
  if (error.kind === "MissingSenderPrivateKey") return failures.missingSenderPrivateKey;
  if (error.kind === "AccountBasedWallet") return failures.accountBasedWallet;
  return failure(400, idByKind.get(error.kind) ?? 199, errorMessage(error));
}

/**
 * Refusals with a transaction come from the check against the state. Their error is 112 with `tx`; for the time it is
 * 303, for scripts 306 or 307. Page 06 §4.3, §4.5.
 */
export function refusalFailure(refusal: Refusal): ApiFailure {
  const { transaction, script } = refusal;
  if (transaction === undefined || refusal.kind === "Mistiming") return validationFailure(refusal);
  const json = transactionJson(transaction) as JsonOut;
  if (script === undefined) return failure(400, 112, refusalMessage(refusal), { tx: json });
  return failure(400, idByKind.get(refusal.kind) ?? 199, refusalMessage(refusal), {
    transaction: json,
    script: script.script,
    vars: [script.vars],
  });
}

export function requestFailure(error: RequestError): ApiFailure {
  return error.kind === "json"
    ? invalidJson(error.cause, error.validationErrors)
    : validationFailure(error.error);
}

export function controlFailure(reason: ControlFailure, getTransaction?: () => Transaction): ApiFailure {
  switch (reason.kind) {
    case "disk-fault":
      return failures.diskFault;
    case "busy":
      return failures.busy;
    case "late":
      return failures.late;
    case "no-transaction":
      return requestFailure(reason.error);
    case "refused":
      return refusalFailure(
        new Refusal(
          reason.error.kind,
          reason.error.args,
          reason.state && getTransaction?.(),
          reason.state?.script,
        ),
      );
    case "not-in-wallet":
      return failures.missingSenderPrivateKey;
    case "account-based-wallet":
      return failures.accountBasedWallet;
    case "account-exists":
      return failures.unknown;
    case "journal-pruned": {
      const text = `Cannot undo block ${reason.height}: it is older than the undo journal`;
      return failure(400, 199, text);
    }
    case "checkpoint-refused":
      return failure(400, 199, reason.text);
    case "no-peers":
      return failure(400, 199, "P2P is disabled on this node");
    case "unknown-host":
      return failure(400, 199, `Unknown host "${reason.host}": use an IP address or a name that resolves`);
    case "bans-disabled":
      return failure(400, 199, "Bans are disabled on this node (--no-blacklisting)");
    case "not-banned":
      return failure(400, 199, `The host "${reason.host}" is not banned`);
    case "anchors-full":
      return failures.anchorsFull;
    case "anchors-off":
      return failure(503, 503, "the node does not queue hashes: set anchor-batch");
  }
}

export function exceededLimit(
  kind: ControlFailure["kind"] | UnavailableError["reason"],
): RequestLimit | undefined {
  if (kind === "busy") return "control_queue";
  return kind === "late" ? "control_timeout" : undefined;
}
