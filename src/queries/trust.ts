/** Page 07 §9. */

/** Page 07 §9.2. */
export interface TrustRoles {
  readonly roles: readonly string[];
  readonly issuesRoles: readonly { readonly type: bigint; readonly role: string }[];
  readonly issuesAuthorization: readonly string[];
}

/** Page 07 §9.3. */
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
  grantsOf(address: Uint8Array): readonly RoleGrant[];
  /** Page 07 §9.1. */
  root(): Uint8Array | undefined;
  /** Sorted by address bytes. */
  holders(page: { readonly after?: Uint8Array | undefined; readonly limit: number }): readonly RoleHolder[];
  /** Roles that an account may grant by associations of a type. Page 07 §9.3, §9.4. */
  issuableRoles(address: Uint8Array, type: bigint): readonly string[];
}
