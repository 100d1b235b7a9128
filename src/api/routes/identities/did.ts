/** Page 07 §8.8. */
import { decodeBase58 } from "../../../bytes/base58.ts";
import { DecodeError } from "../../../bytes/errors.ts";
import { checkAddressBytes, InvalidAddressError, stripAddressPrefix } from "../../../crypto/addresses.ts";
import type { NetworkProfile } from "../../../profiles/index.ts";

const MAX_TEXT = 36;

/** Accepts addresses of any network, with or without `address:`. Returns undefined for other texts. */
export function parseAnyAddress(text: string): Uint8Array | undefined {
  try {
    const bytes = decodeBase58(stripAddressPrefix(text), MAX_TEXT);
    checkAddressBytes(bytes, bytes[1] ?? 0);
    return bytes;
  } catch (error) {
    if (error instanceof DecodeError || error instanceof InvalidAddressError) return undefined;
    throw error;
  }
}

/** E.g. `did:lto:`. */
export function didPrefix({ networkName }: NetworkProfile): string {
  return `did:${networkName.toLowerCase()}:`;
}
