/** Calls about the node's wallet. */
import type { KeyType } from "../crypto/key-types.ts";
import { defineControl, typed } from "./define.ts";
import type { Outcome } from "./failure.ts";

/** An account of the wallet, without its secret. */
export interface WalletAccount {
  readonly address: Uint8Array;
  readonly keyType: KeyType;
  readonly publicKey: Uint8Array;
}

export const walletControl = defineControl({
  /** All accounts, in hash-trie order. Page 01 §13. */
  accounts: { mutates: false, call: typed<() => Promise<readonly WalletAccount[]>>() },
  sign: {
    mutates: false,
    call: typed<(address: Uint8Array, message: Uint8Array) => Promise<Outcome<Uint8Array>>>(),
  },
  /** Adds the next account of the seed. @returns its address */
  createAccount: { mutates: true, deadline: true, call: typed<() => Promise<Outcome<Uint8Array>>>() },
  deleteAccount: {
    mutates: true,
    deadline: true,
    call: typed<(address: Uint8Array) => Promise<Outcome<boolean>>>(),
  },
});
