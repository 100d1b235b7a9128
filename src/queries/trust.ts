/** Roles in the trust network. Page 07 §9. */

/** Page 07 §9.2. */
export interface TrustRoles {
  readonly roles: readonly string[];
  readonly issuesRoles: readonly { readonly type: bigint; readonly role: string }[];
  readonly issuesAuthorization: readonly string[];
}

/** A granted role, with the granting account and the association type. Page 07 §9.3. */
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
  /** The account's current grants, whatever the configuration says. */
  grantsOf(address: Uint8Array): readonly RoleGrant[];
  /** The root account of the trust network, if there is one. Page 07 §9.1. */
  root(): Uint8Array | undefined;
  /** Accounts with granted roles, in the order of the addresses' bytes. */
  holders(page: { readonly after?: Uint8Array | undefined; readonly limit: number }): readonly RoleHolder[];
  /** Names of the roles that an account may grant and revoke by an association type. Page 07 §9.3, §9.4. */
  issuableRoles(address: Uint8Array, type: bigint): readonly string[];
}
