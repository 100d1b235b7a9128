/** Page 07 §11. */
import type { PublicKey } from "../crypto/key-types.ts";
import type { DataEntry } from "../transactions/data-entry.ts";
import type { ListPage } from "./paging.ts";

export interface CredentialStatementInfo {
  /** `issue`, `revoke`, `suspend`, `reinstate`, `dispute` or `acknowledge`. */
  readonly name: string;
  /** Transaction timestamp, ms since 1970. */
  readonly timestamp: bigint;
  /** Address, 26 bytes. */
  readonly signer: Uint8Array;
  readonly signerKey: PublicKey;
  /** Type of the signer's verification method. */
  readonly methodType: string;
  readonly data: readonly DataEntry[];
  readonly height: number;
  readonly position: number;
}

export interface CredentialQuery extends ListPage {
  /**
   * Selects statements that anyone may make, and those of signers that could assert for this account at that time.
   * Null: only statements that anyone may make; default: all.
   */
  readonly issuer?: Uint8Array | null | undefined;
}

/** Times are ms since 1970. */
export interface CredentialStatusInfo {
  /** True if the credential has any statement. */
  readonly isKnown: boolean;
  readonly total: number;
  /** Oldest first; fewer than `limit` if statements are large. */
  readonly statements: readonly CredentialStatementInfo[];
  readonly hasMore: boolean;
  readonly issued?: bigint | undefined;
  readonly suspended?: bigint | undefined;
  readonly revoked?: bigint | undefined;
}

export interface CredentialQueries {
  /** @param subject id of the credential */
  status(subject: Uint8Array, query: CredentialQuery): CredentialStatusInfo;
}
