/** Roles in the trust network. Page 07 §9. */

/** Page 07 §9.2. */
export interface TrustRoles {
  readonly roles: readonly string[];
  readonly issuesRoles: readonly { readonly type: bigint; readonly role: string }[];
  readonly issuesAuthorization: readonly string[];
}

/** A role with the account and association type that granted it. Page 07 §9.3. */
export interface RoleGrant {
  readonly role: string;
  readonly sender: Uint8Array;
  readonly type: bigint;
}

export interface RoleHolder {
  readonly address: Uint8Array;
  readonly grants: readonly RoleGrant[];
}

export interface TrustQueries {
  rolesOf(address: Uint8Array): TrustRoles;
  /** The account's grants, whether configured or not. */
  grantsOf(address: Uint8Array): readonly RoleGrant[];
  /** Page 07 §9.1. */
  root(): Uint8Array | undefined;
  /** Accounts with granted roles, sorted by address bytes. */
  holders(page: { readonly after?: Uint8Array | undefined; readonly limit: number }): readonly RoleHolder[];
  /** Roles that an account may grant and revoke by an association type. Page 07 §9.3, §9.4. */
  issuableRoles(address: Uint8Array, type: bigint): readonly string[];
}
