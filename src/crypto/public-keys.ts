/** Page 01 §5. */
import { base58Length, decodeBase58 } from "../bytes/base58.ts";
import { DecodeError } from "../bytes/errors.ts";
import { InvalidAddressError } from "./addresses.ts";
import { keyTypeByName, type PublicKey, UnknownKeyTypeError } from "./key-types.ts";

/**
 * Parses a Base58 key. The key type limits only the length of the *text*: an empty key and 44 zero bytes are accepted.
 * @param keyType in upper or lower case
 * @throws InvalidAddressError with the protocol's reason, `Invalid public key: …`
 */
export function parsePublicKey(text: string, keyType = "ed25519"): PublicKey {
  try {
    const info = keyTypeByName(keyType);
    const limit = base58Length(info.publicKeyLength);
    if (text.length > limit) {
      throw new InvalidAddressError("Invalid public key: Incorrect string length");
    }
    return { keyType: info.name, bytes: decodeBase58(text, limit) };
  } catch (error) {
    if (error instanceof UnknownKeyTypeError) {
      throw new InvalidAddressError(
        `Invalid public key: java.lang.IndexOutOfBoundsException: ${error.message}`,
      );
    }
    if (error instanceof DecodeError) {
      throw new InvalidAddressError(`Invalid public key: Unable to decode base58: ${error.message}`);
    }
    throw error;
  }
}
