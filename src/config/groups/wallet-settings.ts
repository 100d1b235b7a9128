import { base58, path, secret, text, textBytes } from "../kinds/kinds.ts";
import { optional, withDefault } from "./define-setting.ts";

export const walletSettings = {
  file: withDefault("wallet-file", path, (_, dataDir) => `${dataDir}/wallet/wallet.bin`, {
    reference: "wallet.file",
    about: "Wallet file. Its password is in `<file>.password`, unless --wallet-password is set",
    defaultText: "<data-dir>/wallet/wallet.bin",
  }),
  password: optional("wallet-password", secret(text("TEXT", 10_000)), {
    container: "WALLET_PASSWORD",
    reference: "wallet.password",
    basic: true,
    about: "Password of the wallet file, instead of the random one that is stored next to it",
    defaultText: "random",
  }),
  seed: optional("wallet-seed", secret(textBytes), {
    container: "WALLET_SEED",
    reference: "wallet.seed-phrase",
    basic: true,
    about: "Seed text of the wallet. A wallet file with another seed is refused",
    defaultText: "random; `root` on dev",
  }),
  seedBase58: optional("wallet-seed-base58", secret(base58()), {
    container: "WALLET_SEED_BASE58",
    reference: "wallet.seed",
    about: "Seed of the wallet as Base58 of its bytes",
  }),
  accountSeed: optional("wallet-account-seed", secret(base58()), {
    reference: "wallet.account-seed",
    about:
      "Seed of a fixed account, in Base58. The wallet then has only this account, is not stored, and cannot be changed",
  }),
} as const;
