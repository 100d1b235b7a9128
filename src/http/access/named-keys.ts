/** Named API keys: each has a name for the audit log, scopes, and an optional expiry. */

/** What a key may do: read private data of the node, use its wallet, or control it. No scope includes another one. */
export const SCOPES = ["read", "wallet", "admin"] as const;

export type Scope = (typeof SCOPES)[number];

/** Plain data, so that it can be copied to the HTTP thread. */
export interface NamedKey {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** `secureHash` of the key, 32 bytes. */
  readonly hash: Uint8Array;
  /** Time from which the key is invalid, ms since 1970; undefined: never. */
  readonly expiresAt?: number | undefined;
}

/** The named keys in force, which may change while the node runs. */
export interface NamedKeys {
  /** Undefined if the node has no file of named keys. */
  readonly current: readonly NamedKey[] | undefined;
}

export const noNamedKeys: NamedKeys = { current: undefined };
