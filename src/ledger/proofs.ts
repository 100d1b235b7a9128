/** Page 05 §14, page 08 §16. */
import { printJson } from "../bytes/json.ts";
import { addressText } from "../crypto/addresses.ts";
import type { PublicKey } from "../crypto/key-types.ts";
import type { ScriptWork } from "../script/index.ts";
import { definitionOf, hasOneSignature, type Transaction, transactionJson } from "../transactions/index.ts";
import type { Era } from "./era.ts";
import { genericError, type Refusal } from "./refusal.ts";
import { runScript } from "./scripts/account-script.ts";
import type { LedgerView } from "./state.ts";
import { assumedValid, type Verdicts } from "./verdicts.ts";

/** Checks that the sender and the sponsor, if any, authorized the transaction. */
export function checkProofs(
  view: Pick<LedgerView, "script">,
  transaction: Transaction,
  script: Uint8Array | undefined,
  era: Pick<Era, "height" | "rules">,
  verdicts: Verdicts,
  work: ScriptWork | undefined,
): Refusal | undefined {
  if (!definitionOf(transaction).hasSender) return undefined;
  const { sponsor, sponsorAddress, proofs } = transaction;
  // Scripts can only check transactions of a version with a list of proofs.
  if (script !== undefined && hasOneSignature(transaction)) {
    return genericError("Can't process transaction with signature from scripted account");
  }
  if (sponsorAddress !== undefined && view.script(sponsorAddress)?.script !== undefined) {
    return genericError("Transactions can't be sponsored by a scripted account");
  }
  if (script !== undefined) {
    const refusal = verdicts === assumedValid ? undefined : runScript(script, transaction, era, work);
    if (refusal !== undefined) return refusal;
  } else {
    if (sponsor === undefined && proofs.length !== 1) {
      return genericError("Transactions from non-scripted accounts must have exactly 1 proof");
    }
    if (sponsor !== undefined && proofs.length !== 2) {
      return genericError("Sponsored transactions from non-scripted accounts must have exactly 2 proofs");
    }
    if (!hasProofOf(transaction, transaction.sender, verdicts)) {
      return notSigned(transaction, transaction.senderAddress);
    }
  }
  if (sponsor !== undefined && sponsorAddress !== undefined && !hasProofOf(transaction, sponsor, verdicts)) {
    return notSigned(transaction, sponsorAddress);
  }
  return undefined;
}

function hasProofOf(transaction: Transaction, key: PublicKey, verdicts: Verdicts): boolean {
  const { length } = transaction.proofs;
  const isSponsor = key === transaction.sponsor;
  // The sponsor's proof is usually the last.
  for (let i = 0; i < length; i++) {
    if (verdicts(transaction, isSponsor ? length - 1 - i : i, key)) return true;
  }
  return false;
}

function notSigned(transaction: Transaction, address: Uint8Array): Refusal {
  const json = printJson(transactionJson(transaction));
  return genericError(`Proof doesn't validate as signature of ${addressText(address)} for ${json}`);
}
