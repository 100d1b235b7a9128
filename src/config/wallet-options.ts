/** The wallet that settings name. */
import { encodeUtf8 } from "../bytes/utf8.ts";
import { DEV_SEED_TEXT } from "../profiles/index.ts";
import type { WalletOptions } from "../wallet/open.ts";
import type { Settings } from "./settings.ts";

/** On `dev`, a wallet that does not exist yet is that of the seed text `root`. */
export function walletOptions({ wallet, profile }: Settings): WalletOptions {
  return {
    path: wallet.file,
    chainId: profile.chainId,
    password: wallet.password?.reveal(),
    seed: wallet.seed?.reveal(),
    defaultSeed: profile.name === "dev" ? encodeUtf8(DEV_SEED_TEXT) : undefined,
    accountSeed: wallet.accountSeed?.reveal(),
  };
}
