/**
 * `read`: private data of the node; `wallet`: use of its wallet; `admin`: control of the node. No scope includes
 * another one.
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
  /** Undefined if the node has no file of named keys. */
  readonly current: readonly NamedKey[] | undefined;
}

export const noNamedKeys: NamedKeys = { current: undefined };
