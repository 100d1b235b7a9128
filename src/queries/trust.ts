/** Roles in the trust network. Page 07 §9. */

/** Roles of an address in the trust network. Page 07 §9.2. */
export interface TrustRoles {
  readonly roles: readonly string[];
  readonly issuesRoles: readonly { readonly type: bigint; readonly role: string }[];
  readonly issuesAuthorization: readonly string[];
}

/** A role that an account was given, by whom, and by which association type. Page 07 §9.3. */
export interface RoleGrant {
  readonly role: string;
  readonly sender: Uint8Array;
  readonly type: bigint;
}

/** An account that was given roles, and holds them still. */
export interface RoleHolder {
  readonly address: Uint8Array;
  readonly grants: readonly RoleGrant[];
}

export interface TrustQueries {
  rolesOf(address: Uint8Array): TrustRoles;
  /** What an account was given and holds still, whatever the configuration says of it. */
  grantsOf(address: Uint8Array): readonly RoleGrant[];
  /** The account at the root of the trust network; undefined: nobody. Page 07 §9.1. */
  root(): Uint8Array | undefined;
  /** Who holds roles that were given, in the order of the addresses' bytes. @param page `after`: only addresses after it */
  holders(page: { readonly after?: Uint8Array | undefined; readonly limit: number }): readonly RoleHolder[];
  /** Names of the roles that an account may give, and take away, by an association type. Page 07 §9.3, §9.4. */
  issuableRoles(address: Uint8Array, type: bigint): readonly string[];
}
