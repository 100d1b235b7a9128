/** What accounts state about credentials. Page 07 §11. */
import type { PublicKey } from "../crypto/key-types.ts";
import type { DataEntry } from "../transactions/data-entry.ts";
import type { ListPage } from "./paging.ts";

/** A statement about a credential. Page 07 §11. */
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

/** Which statements are asked for. */
export interface CredentialQuery extends ListPage {
  /** Only those that count for this account; null: for one that nobody may speak for; undefined: all. */
  readonly issuer?: Uint8Array | null | undefined;
}

/** What is stated about a credential; the times are ms. */
export interface CredentialStatusInfo {
  /** Whether anything was ever stated about it, by whomever. */
  readonly known: boolean;
  /** How many of the statements count. */
  readonly total: number;
  /** Of these, a page, oldest first: fewer than were asked for where they are large. */
  readonly statements: readonly CredentialStatementInfo[];
  /** Whether something stands behind the page. */
  readonly hasMore: boolean;
  readonly issued?: bigint | undefined;
  readonly suspended?: bigint | undefined;
  readonly revoked?: bigint | undefined;
}

export interface CredentialQueries {
  /** @param subject id of the credential */
  status(subject: Uint8Array, query: CredentialQuery): CredentialStatusInfo;
}
