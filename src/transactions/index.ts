/** Transactions: their objects, bytes, JSON and static rules. Page 02. */
export type { AnchorTransaction } from "./anchor.ts";
export type { NetworkRules, TransactionBase } from "./base.ts";
export type { BurnTransaction } from "./burn.ts";
export type { CancelLeaseTransaction } from "./cancel-lease.ts";
export type { CancelSponsorshipTransaction } from "./cancel-sponsorship.ts";
export type { CertificateTransaction } from "./certificate.ts";
export {
  bodyBytes,
  enterId,
  isCanonical,
  parseTransaction,
  transactionBytes,
  transactionId,
  UnsignedTransactionError,
} from "./codec.ts";
export type { DataTransaction } from "./data.ts";
export { type DataEntry, entryJson } from "./data-entry.ts";
export type { Activation, TransactionDefinition } from "./define.ts";
export {
  errorText,
  genericError,
  TransactionParseError,
  type ValidationError,
  validationError,
} from "./errors.ts";
export type { JsonFault, RequestError } from "./faults.ts";
export type { GenesisTransaction } from "./genesis.ts";
export type { IssueAssociationTransaction } from "./issue-association.ts";
export { type TransactionJson, transactionJson } from "./json.ts";
export type { LeaseTransaction } from "./lease.ts";
export type { MappedAnchorTransaction } from "./mapped-anchor.ts";
export { type MassTransferTransaction, type Payout, transfersTo } from "./mass-transfer.ts";
export type { PaymentTransaction } from "./payment.ts";
export { GENESIS_SENDER } from "./record.ts";
export type { RegisterTransaction } from "./register.ts";
export {
  className,
  definition,
  definitionByName,
  definitionByType,
  definitionOf,
  definitions,
  type Transaction,
  typeName,
} from "./registry.ts";
export { type RequestOptions, type RequestResult, transactionFromRequest } from "./request.ts";
export type { RevokeAssociationTransaction } from "./revoke-association.ts";
export { type JsonSchema, requestSchema } from "./schema.ts";
export type { SetScriptTransaction } from "./set-script.ts";
export { copyTransaction, signTransaction } from "./sign.ts";
export type { SponsorshipTransaction } from "./sponsorship.ts";
export type { StatementTransaction } from "./statement.ts";
export { staticCheck } from "./static-check.ts";
export type { TransferTransaction } from "./transfer.ts";
