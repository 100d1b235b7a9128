/** Where the wallet lies and what it is made of. `wallet-options.ts` puts them together. */

import { base58, path, secret, text } from "../kinds/kinds.ts";
import { always, maybe } from "./define-setting.ts";

export const walletSettings = {
  walletFile: always(
    {
      name: "wallet-file",
      group: "wallet",
      reference: "wallet.file",
      about: "File of the wallet. Its password lies beside it, in `<file>.password`, unless one is given",
      standardText: "<data-dir>/wallet/wallet.bin",
    },
    path,
    (_, dataDir) => `${dataDir}/wallet/wallet.bin`,
  ),
  walletPassword: maybe(
    {
      name: "wallet-password",
      group: "wallet",
      container: "WALLET_PASSWORD",
      reference: "wallet.password",
      about: "Password of the wallet file, instead of the random one that is stored beside it",
      standardText: "random",
    },
    secret(text("TEXT", 10_000)),
  ),
  walletSeed: maybe(
    {
      name: "wallet-seed",
      group: "wallet",
      container: "WALLET_SEED",
      reference: "wallet.seed-phrase",
      about: "Seed text of the wallet. A wallet file with another seed is refused",
      standardText: "random; `root` on dev",
    },
    secret(text("TEXT", 10_000)),
  ),
  walletSeedBase58: maybe(
    {
      name: "wallet-seed-base58",
      group: "wallet",
      container: "WALLET_SEED_BASE58",
      reference: "wallet.seed",
      about: "Seed of the wallet as Base58 of its bytes",
    },
    secret(base58()),
  ),
  walletAccountSeed: maybe(
    {
      name: "wallet-account-seed",
      group: "wallet",
      reference: "wallet.account-seed",
      about:
        "Seed of one fixed account, in Base58: the wallet is that account, in memory, and cannot be changed",
    },
    secret(base58()),
  ),
} as const;
