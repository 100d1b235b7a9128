import type { JsonValue } from "../bytes/json.ts";
import type { KeyPair } from "../crypto/signatures.ts";
import type { AnchorTransaction } from "./anchor.ts";
import type { NetworkRules } from "./base.ts";
import type { BurnTransaction } from "./burn.ts";
import type { CancelLeaseTransaction } from "./cancel-lease.ts";
import type { CancelSponsorshipTransaction } from "./cancel-sponsorship.ts";
import type { CertificateTransaction } from "./certificate.ts";
import type { DataTransaction } from "./data.ts";
import type { ValidationError } from "./errors.ts";
import type { GenesisTransaction } from "./genesis.ts";
import type { IssueAssociationTransaction } from "./issue-association.ts";
import type { LeaseTransaction } from "./lease.ts";
import type { MappedAnchorTransaction } from "./mapped-anchor.ts";
import type { MassTransferTransaction } from "./mass-transfer.ts";
import type { PaymentTransaction } from "./payment.ts";
import type { RegisterTransaction } from "./register.ts";
import type { RevokeAssociationTransaction } from "./revoke-association.ts";
import type { SetScriptTransaction } from "./set-script.ts";
import type { SponsorshipTransaction } from "./sponsorship.ts";
import type { StatementTransaction } from "./statement.ts";
import type { TransferTransaction } from "./transfer.ts";

export type { DataEntry, NetworkRules, TransactionBase } from "./base.ts";
export { errorText, TransactionParseError, type ValidationError } from "./errors.ts";
export type { Payout } from "./mass-transfer.ts";
export type {
  AnchorTransaction,
  BurnTransaction,
  CancelLeaseTransaction,
  CancelSponsorshipTransaction,
  CertificateTransaction,
  DataTransaction,
  GenesisTransaction,
  IssueAssociationTransaction,
  LeaseTransaction,
  MappedAnchorTransaction,
  MassTransferTransaction,
  PaymentTransaction,
  RegisterTransaction,
  RevokeAssociationTransaction,
  SetScriptTransaction,
  SponsorshipTransaction,
  StatementTransaction,
  TransferTransaction,
};

/** Any transaction, told apart by `type`. */
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

/** A JSON object in output order, for `printJson`. */
export type JsonOut = Map<string, unknown>;

/** What a faulty request is answered with: page 06 §4.4 (`json`) or §4.5 (`validation`). */
export type RequestError =
  | {
      readonly kind: "json";
      readonly cause: string | null;
      /** Path (`obj.amount`) to the messages, in the order of the answer. */
      readonly validationErrors: ReadonlyMap<
        string,
        readonly { readonly msg: readonly string[]; readonly args: readonly string[] }[]
      >;
    }
  | { readonly kind: "validation"; readonly error: ValidationError };

/** How a request becomes a transaction. Page 02 §9. */
export interface RequestOptions {
  readonly network: NetworkRules;
  /** `/transactions/submit/{name}`: the type comes from the path, the member is ignored. */
  readonly typeName?: string;
  /** Replaces the fee of the request (`/transactions/calculateFee`). */
  readonly fee?: bigint;
  /** Timestamp when the request has none; 0 by default. Called at most once. */
  readonly timestamp?: () => bigint;
  /** Sign and submit: the wallet's key pair of an address (26 bytes), undefined when it has none. Absent: broadcast. */
  readonly wallet?: (address: Uint8Array) => KeyPair | undefined;
}

/** A value, or why there is none. */
export type RequestResult =
  | { readonly ok: true; readonly transaction: Transaction }
  | { readonly ok: false; readonly error: RequestError };

export declare function parseTransaction(bytes: Uint8Array, network: NetworkRules): Transaction;
export declare function transactionBytes(tx: Transaction): Uint8Array;
export declare function bodyBytes(tx: Transaction): Uint8Array;
export declare function transactionId(tx: Transaction): Uint8Array;
export declare function transactionJson(tx: Transaction): JsonOut;
export declare function transactionFromRequest(json: JsonValue, options: RequestOptions): RequestResult;
export declare function staticCheck(tx: Transaction, network: NetworkRules): ValidationError | undefined;
export declare function signTransaction<T extends Transaction>(tx: T, keyPair: KeyPair): T;
/** Name with spaces, e.g. "mass transfer". */
export declare function typeName(type: number): string;
/** E.g. "MassTransferTransaction". */
export declare function className(type: number): string;
