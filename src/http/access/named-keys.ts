/**
 * `read`: the node's private data; `wallet`: use of its wallet; `admin`: control of the node. No scope includes
 * another.
 */
export const SCOPES = ["read", "wallet", "admin"] as const;

export type Scope = (typeof SCOPES)[number];

export interface NamedKey {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** `secureHash` of the key, 32 bytes. */
  readonly hash: Uint8Array;
  /** Ms since 1970; undefined: never. */
  readonly expiresAt?: number | undefined;
}

/** The keys may change while the node runs. */
export interface NamedKeys {
  /** Undefined without a file of named keys. */
  readonly current: readonly NamedKey[] | undefined;
}

export const noNamedKeys: NamedKeys = { current: undefined };
