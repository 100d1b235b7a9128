/** Page 06 §7.8. */
import Type from "typebox";
import { encodeBase58, MAX_BASE58_BYTES } from "../../../bytes/base58.ts";
import { bytesEqual } from "../../../bytes/compare.ts";
import type { JsonOut } from "../../../bytes/json.ts";
import { encodeUtf8 } from "../../../bytes/utf8.ts";
import { addressText } from "../../../crypto/addresses.ts";
import { apiError } from "../../../http/errors.ts";
import { SECOND } from "../../openapi/dev-examples.ts";
import { type Call, del, get, post, routesOf, unwrap } from "../../route.ts";
import { AddressText, base58, Count, object, PublicKeyText, SignatureText } from "../../schemas/common.ts";

/** A range is refused if `from - to` is at least this number. */
const MIN_REFUSED_REVERSAL = 1_000;

async function walletAddresses(call: Call): Promise<string[]> {
  return (await call.api.control.wallet.accounts()).map(({ address }) => addressText(address));
}

/**
 * Checks body, key and address, in this order. Page 06 §3.
 * @param limit maximum length of the message, bytes
 */
async function signMessage(
  call: Call,
  format: (text: string, bytes: Uint8Array) => string,
  limit = Number.POSITIVE_INFINITY,
): Promise<JsonOut> {
  const text = call.text();
  call.requireKey();
  const address = call.address();
  const account = (await call.api.control.wallet.accounts()).find((one) => bytesEqual(one.address, address));
  if (account === undefined) throw apiError("missingSenderPrivateKey");
  const bytes = encodeUtf8(text);
  if (bytes.length > limit) throw apiError("invalidMessage");
  const signature = unwrap(await call.api.control.wallet.sign(address, bytes));
  return {
    message: format(text, bytes),
    publicKey: encodeBase58(account.publicKey),
    signature: encodeBase58(signature),
  };
}

const Signed = object({ message: Type.String(), publicKey: PublicKeyText, signature: SignatureText });
const TEXT_TO_SIGN = {
  params: { address: AddressText },
  body: { kind: "text", schema: Type.String() },
  example: { body: "hello" },
} as const;
const NOT_IN_WALLET = { 400: "The address is not valid, or not in the wallet." };

export const walletRoutes = routesOf("wallet", [
  get("/wallet/addresses", {
    onFollower: "source-http",
    summary: "Addresses of the wallet",
    answers: { ok: Type.Array(AddressText) },
    handle: walletAddresses,
  }),
  get("/wallet/addresses/seq/:from/:to", {
    onFollower: "source-http",
    summary: "Wallet addresses in the range [from, to)",
    request: { params: { from: Count, to: Count }, example: { params: { from: 0, to: 1 } } },
    answers: { ok: Type.Array(AddressText), failures: { 400: "The range is reversed by 1000 or more." } },
    handle: async (call) => {
      const from = call.int("from");
      const to = call.int("to");
      if (from - to >= MIN_REFUSED_REVERSAL) throw apiError("tooBigArray");
      return (await walletAddresses(call)).slice(from, Math.max(from, to));
    },
  }),
  post("/wallet/addresses", {
    summary: "Adds an account to the wallet",
    access: "key:wallet",
    answers: {
      ok: object({ address: AddressText }),
      failures: { 400: "The wallet is limited to a single account." },
    },
    handle: async ({ api }) => ({
      address: addressText(unwrap(await api.control.wallet.createAccount())),
    }),
  }),
  del("/wallet/addresses/:address", {
    summary: "Removes an account from the wallet",
    access: "key:wallet",
    request: { params: { address: AddressText }, example: { params: { address: SECOND } } },
    answers: { ok: object({ deleted: Type.Boolean() }), failures: NOT_IN_WALLET },
    handle: async (call) => ({
      deleted: unwrap(await call.api.control.wallet.deleteAccount(call.address())),
    }),
  }),
  post("/wallet/sign/:address", {
    summary: "Signs a text and returns it in Base58",
    access: "key-in-handler:wallet",
    request: TEXT_TO_SIGN,
    answers: {
      ok: object({ ...Signed.properties, message: base58("UTF-8 bytes of the text.") }),
      failures: NOT_IN_WALLET,
    },
    handle: (call) => signMessage(call, (_, bytes) => encodeBase58(bytes), MAX_BASE58_BYTES),
  }),
  post("/wallet/signText/:address", {
    summary: "Signs a text",
    access: "key-in-handler:wallet",
    request: TEXT_TO_SIGN,
    answers: { ok: Signed, failures: NOT_IN_WALLET },
    handle: (call) => signMessage(call, (text) => text),
  }),
]);
