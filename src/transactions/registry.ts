/** A new type also needs a ledger rule in `ledger/registry.ts`. */

import type { NetworkRules, TransactionBase } from "./base.ts";
import type { TransactionDefinition } from "./define.ts";
import { type AnchorTransaction, anchor } from "./types/anchor.ts";
import { type BurnTransaction, burn } from "./types/burn.ts";
import { type CancelLeaseTransaction, cancelLease } from "./types/cancel-lease.ts";
import { type CancelSponsorshipTransaction, cancelSponsorship } from "./types/cancel-sponsorship.ts";
import { type CertificateTransaction, certificate } from "./types/certificate.ts";
import { type DataTransaction, data } from "./types/data.ts";
import { type GenesisTransaction, genesis } from "./types/genesis.ts";
import { type IssueAssociationTransaction, issueAssociation } from "./types/issue-association.ts";
import { type LeaseTransaction, lease } from "./types/lease.ts";
import { type MappedAnchorTransaction, mappedAnchor } from "./types/mapped-anchor.ts";
import { type MassTransferTransaction, massTransfer } from "./types/mass-transfer.ts";
import { type PaymentTransaction, payment } from "./types/payment.ts";
import { type RegisterTransaction, register } from "./types/register.ts";
import { type RevokeAssociationTransaction, revokeAssociation } from "./types/revoke-association.ts";
import { type SetScriptTransaction, setScript } from "./types/set-script.ts";
import { type SponsorshipTransaction, sponsorship } from "./types/sponsorship.ts";
import { type StatementTransaction, statement } from "./types/statement.ts";
import { type TransferTransaction, transfer } from "./types/transfer.ts";

export type Transaction =
  | GenesisTransaction
  | PaymentTransaction
  | TransferTransaction
  | LeaseTransaction
  | CancelLeaseTransaction
  | MassTransferTransaction
  | DataTransaction
  | SetScriptTransaction
  | AnchorTransaction
  | IssueAssociationTransaction
  | RevokeAssociationTransaction
  | SponsorshipTransaction
  | CancelSponsorshipTransaction
  | RegisterTransaction
  | BurnTransaction
  | MappedAnchorTransaction
  | StatementTransaction
  | CertificateTransaction;

/** In ascending order of type. */
export const definitions: readonly TransactionDefinition[] = [
  genesis,
  payment,
  transfer,
  lease,
  cancelLease,
  massTransfer,
  data,
  setScript,
  anchor,
  issueAssociation,
  revokeAssociation,
  sponsorship,
  cancelSponsorship,
  register,
  burn,
  mappedAnchor,
  statement,
  certificate,
];

const byType: (TransactionDefinition | undefined)[] = [];
const byName = new Map<string, TransactionDefinition>();
for (const definition of definitions) {
  if (byType[definition.type] !== undefined) throw new Error(`there are two types ${definition.type}`);
  byType[definition.type] = definition;
  for (const name of definition.pathNames) {
    if (byName.has(name)) throw new Error(`there are two types called ${name}`);
    byName.set(name, definition);
  }
}

/** Undefined if the network lacks the type. */
export function definitionByType(type: number, network: NetworkRules): TransactionDefinition | undefined {
  const definition = byType[type];
  return definition?.existsOn(network) ? definition : undefined;
}

/** The name has `-` instead of spaces, or is an old name. Page 02 §1. */
export function definitionByName(name: string, network: NetworkRules): TransactionDefinition | undefined {
  const definition = byName.get(name);
  return definition?.existsOn(network) ? definition : undefined;
}

/** @throws RangeError for an unknown type */
export function requireDefinition(type: number): TransactionDefinition {
  const found = byType[type];
  if (found === undefined) throw new RangeError(`there is no transaction type ${type}`);
  return found;
}

export function definitionOf(tx: TransactionBase): TransactionDefinition {
  return requireDefinition(tx.type);
}

/** Page 02 §3. */
export function hasOneSignature(tx: TransactionBase): boolean {
  return definitionOf(tx).layouts.get(tx.version)?.hasOneSignature === true;
}

/** @throws RangeError */
export function typeName(type: number): string {
  return requireDefinition(type).name;
}

/** @throws RangeError */
export function className(type: number): string {
  return requireDefinition(type).className;
}

/** Returns the sum of payments to accounts in 10^-8 tokens; 0 for types without payments. */
export function paidTokens(transaction: Transaction): bigint {
  const { payouts } = definitionOf(transaction);
  if (payouts === undefined) return 0n;
  const paid = payouts(transaction);
  // Most transactions have one recipient.
  if (paid.length === 1) return paid[0].amount;
  return paid.reduce((sum, { amount }) => sum + amount, 0n);
}

/** Returns what a transaction pays, burns or leases, in 10^-8 tokens; 0 for other types. */
export function movedTokens(transaction: Transaction): bigint {
  const { payouts, burnedAmount, leasedAmount } = definitionOf(transaction);
  if (payouts !== undefined) return paidTokens(transaction);
  return burnedAmount?.(transaction) ?? leasedAmount?.(transaction) ?? 0n;
}
