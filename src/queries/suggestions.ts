export type Suggestion =
  | { readonly kind: "address"; readonly address: Uint8Array }
  | { readonly kind: "transaction" | "block"; readonly id: Uint8Array; readonly height: number };

export interface SuggestionQueries {
  /** Accounts, transactions and blocks whose Base58 text begins with a prefix, at most `limit` of each kind. */
  startingWith(prefix: string, limit: number): readonly Suggestion[];
}
