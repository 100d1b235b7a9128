/** Statements about credentials. Page 07 §11. */
import type { PublicKey } from "../crypto/key-types.ts";
import type { DataEntry } from "../transactions/data-entry.ts";
import type { ListPage } from "./paging.ts";

export interface CredentialStatementInfo {
  /** `issue`, `revoke`, `suspend`, `reinstate`, `dispute` or `acknowledge`. */
  readonly name: string;
  /** Of the transaction, ms. */
  readonly timestamp: bigint;
  /** Address. */
  readonly signer: Uint8Array;
  readonly signerKey: PublicKey;
  /** Name of the key's type in DID documents. */
  readonly methodType: string;
  readonly data: readonly DataEntry[];
  readonly height: number;
  readonly position: number;
}

export interface CredentialQuery extends ListPage {
  /** Only statements with authority for this account; null: for an account without any authority; undefined: all. */
  readonly issuer?: Uint8Array | null | undefined;
}

/** The status of a credential; times are ms. */
export interface CredentialStatusInfo {
  /** True if any account ever made a statement about it. */
  readonly known: boolean;
  /** Number of matching statements. */
  readonly total: number;
  /** A page of them, oldest first. May be shorter than requested if statements are large. */
  readonly statements: readonly CredentialStatementInfo[];
  /** True if there are more after the page. */
  readonly hasMore: boolean;
  readonly issued?: bigint | undefined;
  readonly suspended?: bigint | undefined;
  readonly revoked?: bigint | undefined;
}

export interface CredentialQueries {
  /** @param subject id of the credential */
  status(subject: Uint8Array, query: CredentialQuery): CredentialStatusInfo;
}
