/** Page 02. */

export type { Aspects, AssociationTerms, Payout, StatementTerms } from "./aspects.ts";
export type { NetworkRules, TransactionBase } from "./base.ts";
export {
  type ByteField,
  bodyBytes,
  byteFields,
  cacheTransactionId,
  isCanonical,
  parseTransaction,
  parseWithoutCopy,
  reparseTransaction,
  transactionBytes,
  transactionId,
  UnsignedTransactionError,
} from "./codec.ts";
export { type DataEntry, entryJson, entryJsonValue } from "./data-entry.ts";
export type { Activation, TransactionDefinition } from "./define.ts";
export { decodeTransaction, type EncodedTransaction, encodeTransaction } from "./encoded-transaction.ts";
export {
  errorText,
  genericError,
  TransactionParseError,
  type ValidationError,
  validationError,
} from "./errors.ts";
export type { JsonFault, RequestError } from "./faults.ts";
export type { Shape } from "./fields.ts";
export { type TransactionJson, transactionJson, transactionMembersText } from "./json/json.ts";
export type { JsonSchema } from "./json/json-schema.ts";
export {
  type RequestOptions,
  type RequestResult,
  transactionFromJson,
  transactionFromRequest,
} from "./json/request.ts";
export { type JsonMembers, jsonMembers, requestSchema } from "./json/schema.ts";
export { buildOwnTransaction, type OwnTransaction, type RequestKey } from "./own-transaction.ts";
export { GENESIS_SENDER } from "./record.ts";
export {
  className,
  definitionByName,
  definitionByType,
  definitionOf,
  definitions,
  hasOneSignature,
  movedTokens,
  paidTokens,
  requireDefinition,
  type Transaction,
  typeName,
} from "./registry.ts";
export { compileAccountScript, scriptView } from "./scripts.ts";
export { copyTransaction, signTransaction } from "./sign.ts";
export { staticCheck } from "./static-check.ts";
export { type AnchorTransaction, anchor as anchorDefinition } from "./types/anchor.ts";
export type { BurnTransaction } from "./types/burn.ts";
export type { CancelLeaseTransaction } from "./types/cancel-lease.ts";
export {
  type CancelSponsorshipTransaction,
  cancelSponsorship as cancelSponsorshipDefinition,
} from "./types/cancel-sponsorship.ts";
export type { CertificateTransaction } from "./types/certificate.ts";
export type { DataTransaction } from "./types/data.ts";
export { type GenesisTransaction, genesis as genesisDefinition } from "./types/genesis.ts";
export type { IssueAssociationTransaction } from "./types/issue-association.ts";
export type { LeaseTransaction } from "./types/lease.ts";
export type { MappedAnchorTransaction } from "./types/mapped-anchor.ts";
export type { MassTransferTransaction } from "./types/mass-transfer.ts";
export type { PaymentTransaction } from "./types/payment.ts";
export type { RegisterTransaction } from "./types/register.ts";
export type { RevokeAssociationTransaction } from "./types/revoke-association.ts";
export type { SetScriptTransaction } from "./types/set-script.ts";
export { type SponsorshipTransaction, sponsorship as sponsorshipDefinition } from "./types/sponsorship.ts";
export type { StatementTransaction } from "./types/statement.ts";
export type { TransferTransaction } from "./types/transfer.ts";
