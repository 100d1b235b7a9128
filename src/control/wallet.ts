import type { KeyType } from "../crypto/key-types.ts";
import { defineControl, query, timedCommand } from "./define.ts";
import type { Outcome } from "./failure.ts";

export interface WalletAccount {
  readonly address: Uint8Array;
  readonly keyType: KeyType;
  readonly publicKey: Uint8Array;
}

export const walletControl = defineControl({
  /** Returns all accounts in hash-trie order. Page 01 §13. */
  accounts: query<() => Promise<readonly WalletAccount[]>>(),
  sign: query<(address: Uint8Array, message: Uint8Array) => Promise<Outcome<Uint8Array>>>(),
  /** Resolves to the address of the seed's next account. */
  createAccount: timedCommand<() => Promise<Outcome<Uint8Array>>>(),
  /** Resolves to true. Fails with `not-in-wallet` for an unknown account. */
  deleteAccount: timedCommand<(address: Uint8Array) => Promise<Outcome<boolean>>>(),
});
