/** Requests for `/transactions/broadcast`, built and signed by the node's code. */
import { encodeBase58 } from "../../src/bytes/base58.ts";
import { parseJson, printJson } from "../../src/bytes/json.ts";
import { encodeUtf8 } from "../../src/bytes/utf8.ts";
import { accountSeed, keyPairFromAccountSeed } from "../../src/crypto/seeds.ts";
import type { KeyPair } from "../../src/crypto/signatures.ts";
import { signTransaction, transactionFromRequest, transactionJson } from "../../src/transactions/index.ts";

/** Keys of the account of a seed text. */
export function walletKeys(seed: string, nonce = 0): KeyPair {
  return keyPairFromAccountSeed(accountSeed(encodeUtf8(seed), nonce));
}

/** JSON text of the signed transaction. Defaults: the newest version and the current time. */
export function signedRequest(request: Record<string, unknown>, keys: KeyPair, chainId: number): string {
  const text = JSON.stringify({
    timestamp: Date.now(),
    senderKeyType: keys.keyType,
    senderPublicKey: encodeBase58(keys.publicKey),
    ...request,
  });
  const built = transactionFromRequest(parseJson(text), { network: { chainId, payment: true } });
  if (!built.ok) throw new Error(`Invalid request: ${text}`);
  return printJson(transactionJson(signTransaction(built.value.transaction, keys)) as never);
}
