import { bytesEqual } from "../../bytes/compare.ts";
import { encodeUtf8 } from "../../bytes/utf8.ts";
import type { Settings } from "../../config/settings.ts";
import { addressOf } from "../../crypto/addresses.ts";
import { keyPairFromSeed } from "../../crypto/seeds.ts";
import type { KeyPair } from "../../crypto/signatures.ts";
import { failure } from "../exit-codes.ts";
import { existingWallet } from "./wallet-actions.ts";

export interface SigningKeys {
  /** @param address 26 bytes */
  of(address: Uint8Array): KeyPair | undefined;
  close(): Promise<void>;
}

/** @throws CommandError if there is no wallet */
export async function walletKeys(settings: Settings): Promise<SigningKeys> {
  const wallet = await existingWallet(settings);
  return {
    of: (address) => (wallet.has(address) ? wallet.keyPair(address) : undefined),
    close: () => wallet.close(),
  };
}

/**
 * @param text its first line is the seed
 * @throws CommandError for an empty seed
 */
export function keysOfSeed(text: string, { chainId }: { readonly chainId: number }): SigningKeys {
  const seed = text.split(/\r?\n/, 1)[0];
  if (seed === "") throw failure("The first line of the seed file is empty");
  const keys = keyPairFromSeed(encodeUtf8(seed));
  const ownAddress = addressOf(keys.publicKey, chainId);
  return { of: (address) => (bytesEqual(address, ownAddress) ? keys : undefined), close: async () => {} };
}
