/** Errors of the wallet, with the protocol's texts where it defines them (page 01 §9.5). */

import { BaseError, type ErrorDetails } from "../errors/base-error.ts";

export class WalletError extends BaseError {}

/** API error 115. */
export class NoPrivateKeyError extends WalletError {
  constructor() {
    super("no private key for sender address in wallet");
  }
}

/** API error 116: the wallet has one fixed account and no seed. */
export class AccountBasedWalletError extends WalletError {
  constructor() {
    super("The wallet is account-based, can't add/remove any accounts");
  }
}

/** API error 0: the wallet already has the account of the next nonce. */
export class AccountExistsError extends WalletError {
  constructor() {
    super("The next account of the seed is in the wallet already");
  }
}

/** The file is invalid, or cannot be read or written. */
export class WalletFileError extends WalletError {
  readonly path: string;
  constructor(path: string, reason: string, options?: ErrorDetails) {
    super(`Wallet file ${path}: ${reason}`, options);
    this.path = path;
  }
}

export class WrongPasswordError extends WalletError {
  readonly path: string;
  /** @param storedIn password file next to the wallet, if the password came from it */
  constructor(path: string, storedIn?: string) {
    super(
      storedIn === undefined
        ? `Wallet file ${path} cannot be opened: the password is wrong or the file is damaged. It was not changed.`
        : `Wallet file ${path} cannot be opened: the password in ${storedIn} is wrong or the file is damaged. It was not ` +
            "changed. If `holdfast wallet passwd` was interrupted, its new password opens the file: run the same command " +
            `again, or delete ${storedIn} and set HOLDFAST_WALLET_PASSWORD.`,
    );
    this.path = path;
  }
}

export class PasswordMissingError extends WalletError {
  constructor(path: string, passwordPath: string) {
    super(
      `Wallet file ${path} needs a password: none was given, and ${passwordPath} does not exist. ` +
        "Set HOLDFAST_WALLET_PASSWORD.",
    );
  }
}

export class SeedMismatchError extends WalletError {
  constructor(path: string) {
    super(
      `The given wallet seed is not that of wallet file ${path}. Omit the seed to use the file, ` +
        "or name another file or data directory to use the seed.",
    );
  }
}
