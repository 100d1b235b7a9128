import { parseJson, printJson } from "../../bytes/json.ts";
import { encodeUtf8 } from "../../bytes/utf8.ts";
import { accountSeed, keyPairFromAccountSeed } from "../../crypto/seeds.ts";
import { DEV_SEED_TEXT, dev } from "../../profiles/index.ts";
import { signTransaction, transactionFromRequest, transactionJson } from "../../transactions/index.ts";
import { ROOT_KEY, TRANSFER } from "./dev-examples.ts";

/**
 * Signs a transfer from the first account of `dev`, whose seed is public.
 * @param now ms since 1970; nodes accept the transfer for about two hours
 */
export function signedTransfer(now: number): unknown {
  const request = { type: 4, ...TRANSFER, senderPublicKey: ROOT_KEY, timestamp: now };
  const result = transactionFromRequest(parseJson(JSON.stringify(request)), { network: dev });
  if (!result.ok) throw new Error("The example transfer is invalid");
  const keys = keyPairFromAccountSeed(accountSeed(encodeUtf8(DEV_SEED_TEXT), 0));
  const json = transactionJson(signTransaction(result.value.transaction, keys));
  return JSON.parse(printJson(json));
}
