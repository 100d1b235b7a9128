/** Page 06 §7.13. */
import Type from "typebox";
import {
  base58Length,
  decodeBase58,
  decodeBase58OrZerosIfTooLong,
  MAX_BASE58_BYTES,
} from "../../../bytes/base58.ts";
import type { JsonOut } from "../../../bytes/json.ts";
import { encodeUtf8 } from "../../../bytes/utf8.ts";
import { addressOf, addressText, stripAddressPrefix, tryParseAddress } from "../../../crypto/addresses.ts";
import { verify } from "../../../crypto/signatures.ts";
import { apiError } from "../../../http/errors.ts";
import { mapLazily } from "../../../http/responses/chunked-json.ts";
import { jsonTextReply, redirect } from "../../../http/responses/reply.ts";
import type { ChainSnapshot } from "../../../interfaces.ts";
import { estimateScript, scriptJson, scriptText, storedScript } from "../../../script/index.ts";
import { entryJson } from "../../../transactions/index.ts";
import { decodeOrRefuse } from "../../decode.ts";
import { cursors } from "../../lists/cursors.ts";
import { answerList, NextCursorHeader, pageOf, pageParameters, withOneMore } from "../../lists/pages.ts";
import { fileAnswers, formatParameter, parseTablePage, tableReply } from "../../lists/tables.ts";
import { readMembers } from "../../members.ts";
import { HELLO_SIGNATURE, ROOT_KEY } from "../../openapi/dev-examples.ts";
import {
  type Call,
  get,
  MAX_PARAMETER_LENGTH,
  post,
  type ReadCall,
  type RouteDefinition,
  routesOf,
} from "../../route.ts";
import {
  AddressText,
  Amount,
  Count,
  DataEntrySchema,
  Height,
  Nothing,
  object,
  PublicKeyText,
  SignatureText,
} from "../../schemas/common.ts";
import { BAD_ADDRESS, BAD_ADDRESS_OR_PARAMETER } from "../../schemas/failures.ts";
import { EXTRA_FEE, ScriptCost } from "../node/utils.ts";
import { Balances, balancesJson } from "./balances.ts";

const BalanceSchema = object({ address: AddressText, confirmations: Count, balance: Amount });
/** The reference node accepts these methods too. Page 06 §2.9, §7.13. */
const ANY_METHOD = ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"] as const;

/** More confirmations need a reader thread. */
const MAX_LIGHT_CONFIRMATIONS = 100;

function balanceDetailsJson(chain: ChainSnapshot, address: Uint8Array): JsonOut {
  return {
    address: addressText(address),
    ...balancesJson(chain.accounts.info(address)),
    generating: chain.accounts.generatingBalance(address),
  };
}

function answerScriptInfo(call: Call): JsonOut {
  const address = call.address();
  const bytes = call.read((chain) => chain.accounts.script(address));
  if (bytes === undefined) return { address: addressText(address), complexity: 0, extraFee: 0 };
  const script = storedScript(bytes);
  return {
    address: addressText(address),
    script: scriptJson(script),
    scriptText: scriptText(script),
    complexity: estimateScript(script.expression, script.bytes),
    extraFee: EXTRA_FEE,
  };
}

const MAX_MESSAGE_TEXT_LENGTH = base58Length(MAX_BASE58_BYTES);
const MAX_SIGNATURE_TEXT_LENGTH = base58Length(64);

function decodeMessage(text: string): Uint8Array {
  return decodeOrRefuse("invalidMessage", () => decodeBase58(text, MAX_MESSAGE_TEXT_LENGTH));
}

/** Returns zeros for texts that are too long; the check then fails. */
function decodeKeyOrSignature(text: string): Uint8Array {
  return decodeOrRefuse("invalidMessage", () =>
    decodeBase58OrZerosIfTooLong(text, MAX_SIGNATURE_TEXT_LENGTH),
  );
}

/** Checks body, address and Base58 texts, in this order. */
function verifyMessage(call: Call, decode: (message: string) => Uint8Array): JsonOut {
  const json = call.json();
  // A body that is not an object counts as empty. Page 06 §4.4.
  const [message, signature, publicKey] = readMembers(json instanceof Map ? json : new Map(), (body) =>
    ["message", "signature", "publickey"].map((name) => body.text(name) ?? ""),
  );
  call.address();
  const bytes = decode(message);
  const signatureBytes = decodeKeyOrSignature(signature);
  const key = decodeKeyOrSignature(publicKey);
  const isKeyOfAddress = addressText(addressOf(key, call.api.info.network.chainId)) === call.param("address");
  return { valid: isKeyOfAddress && verify({ keyType: "ed25519", bytes: key }, bytes, signatureBytes) };
}

const VerifyRequest = Type.Object({
  message: Type.String(),
  signature: SignatureText,
  publickey: PublicKeyText,
});

/** Returns two routes: the current balance, and its minimum over the last blocks. Page 05 §21.3. */
function balanceRoutes<const Kind extends "balance" | "effectiveBalance">(
  kind: Kind,
  name: "regular" | "effective",
  alsoMethods: RouteDefinition["alsoMethods"],
) {
  // The address needs no escaping in JSON.
  const reply = (
    call: ReadCall,
    confirmations: number,
    read: (chain: ChainSnapshot, account: Uint8Array) => bigint,
  ) => {
    const address = call.address();
    const balance = call.read((chain) => read(chain, address));
    const text = stripAddressPrefix(call.param("address"));
    return jsonTextReply(`{"address":"${text}","confirmations":${confirmations},"balance":${balance}}`);
  };
  const answers = { ok: BalanceSchema, failures: BAD_ADDRESS };
  return [
    get(`/addresses/${kind}/:address`, {
      alsoMethods,
      summary: `${name === "regular" ? "Regular" : "Effective"} balance of an account`,
      request: { params: { address: AddressText } },
      answers,
      cost: { cacheable: true },
      handle: (call) => reply(call, 0, (chain, account) => balancesJson(chain.accounts.info(account))[name]),
    }),
    get(`/addresses/${kind}/:address/:confirmations`, {
      alsoMethods,
      summary: `Smallest ${name} balance over the last blocks`,
      request: { params: { address: AddressText, confirmations: Count } },
      answers,
      cost: { cacheable: true, isExpensive: (call) => call.int("confirmations") > MAX_LIGHT_CONFIRMATIONS },
      runsInReader: true,
      handle: (call) => {
        const confirmations = call.int("confirmations");
        return reply(call, confirmations, (chain, account) => chain.accounts[kind](account, confirmations));
      },
    }),
  ] as const;
}

function verifyRoute<const Path extends string>(
  path: Path,
  signedObject: string,
  exampleMessage: string,
  decode: (message: string) => Uint8Array,
) {
  return post(path, {
    alsoMethods: ["GET", "PUT", "PATCH", "DELETE"],
    summary: `Verifies that an account signed a ${signedObject}`,
    request: {
      params: { address: AddressText },
      body: { kind: "json", schema: VerifyRequest },
      example: { body: { message: exampleMessage, signature: HELLO_SIGNATURE, publickey: ROOT_KEY } },
    },
    answers: {
      ok: object({ valid: Type.Boolean() }),
      failures: { 400: "The address is not valid, or a text is not Base58." },
    },
    handle: (call) => verifyMessage(call, decode),
  });
}

const dataTable = { name: "data", members: DataEntrySchema.properties };
const DataEntries = Type.Array(DataEntrySchema);

export const addressRoutes = routesOf("addresses", [
  get("/addresses", {
    summary: "Redirects to the addresses of the wallet",
    answers: { ok: Nothing, redirects: true },
    handle: (call) => redirect("/wallet/addresses", call.info),
  }),
  get("/addresses/validate/:address", {
    summary: "Checks whether a text is an address of this network",
    request: { params: { address: AddressText } },
    answers: { ok: object({ address: Type.String(), valid: Type.Boolean() }) },
    handle: (call) => {
      const address = call.param("address");
      return { address, valid: tryParseAddress(address, call.info.network.chainId) !== undefined };
    },
  }),
  ...balanceRoutes("balance", "regular", []),
  get("/addresses/balance/details/:address", {
    summary: "All balances of an account",
    request: { params: { address: AddressText } },
    answers: {
      ok: object({
        address: AddressText,
        ...Balances,
        generating: Amount,
      }),
      failures: BAD_ADDRESS,
    },
    cost: { cacheable: true },
    handle: (call) => {
      const address = call.address();
      return call.read((chain) => balanceDetailsJson(chain, address));
    },
  }),
  get("/addresses/balance/history/:address", {
    summary: "Changes of the regular balance in persisted blocks, newest first",
    request: { params: { address: AddressText }, query: pageParameters(cursors.balances) },
    answers: {
      ok: Type.Array(object({ height: Height, balance: Amount })),
      headers: NextCursorHeader,
      failures: BAD_ADDRESS_OR_PARAMETER,
    },
    cost: { cacheable: true },
    runsInReader: true,
    handle: (call) => {
      const address = call.address();
      return answerList(
        call,
        cursors.balances,
        (chain, page) => chain.accounts.balanceHistory(address, page),
        ({ height }) => height,
        ({ height, balance }) => ({ height, balance }),
      );
    },
  }),
  ...balanceRoutes("effectiveBalance", "effective", ANY_METHOD),
  get("/addresses/publicKey/:publicKey", {
    summary: "Address of a public key",
    request: { params: { publicKey: PublicKeyText } },
    answers: { ok: object({ address: AddressText }), failures: { 400: "The key is not Base58." } },
    handle: (call) => {
      const key = decodeOrRefuse("invalidPublicKey", () =>
        decodeBase58(call.param("publicKey"), MAX_PARAMETER_LENGTH),
      );
      return { address: addressText(addressOf(key, call.info.network.chainId)) };
    },
  }),
  get("/addresses/scriptInfo/:address", {
    summary: "Script of an account",
    request: { params: { address: AddressText } },
    answers: {
      ok: object({
        address: AddressText,
        script: Type.Optional(Type.String()),
        scriptText: Type.Optional(Type.String()),
        ...ScriptCost,
      }),
      failures: BAD_ADDRESS,
    },
    cost: { cacheable: true },
    handle: answerScriptInfo,
  }),
  get("/addresses/data/:address", {
    summary: "Data entries of an account, sorted by key",
    request: {
      params: { address: AddressText },
      query: { ...pageParameters(cursors.dataEntries), ...formatParameter },
    },
    answers: {
      ...fileAnswers(DataEntries, DataEntries),
      failures: BAD_ADDRESS_OR_PARAMETER,
    },
    cost: { cacheable: true },
    runsInReader: true,
    handle: (call) => {
      const address = call.address();
      const page = parseTablePage(call, cursors.dataEntries);
      return call.read((chain) => {
        const found = chain.accounts.dataEntries(address, page && withOneMore(page));
        const { shown, next } = pageOf(found, page, cursors.dataEntries, ({ key }) => key);
        return tableReply(call, chain, dataTable, mapLazily(shown, entryJson), next);
      });
    },
  }),
  get("/addresses/data/:address/:key", {
    summary: "A data entry of an account",
    request: { params: { address: AddressText, key: Type.String() }, example: { params: { key: "colour" } } },
    answers: { ok: DataEntrySchema, failures: { ...BAD_ADDRESS, 404: "The entry does not exist." } },
    cost: { cacheable: true },
    handle: (call) => {
      const address = call.address();
      const entry = call.read((chain) => chain.accounts.dataEntry(address, call.param("key")));
      if (entry === undefined) throw apiError("dataKeyDoesNotExist");
      return entryJson(entry);
    },
  }),
  verifyRoute("/addresses/verify/:address", "Base58 message", "Cn8eVZg", decodeMessage),
  verifyRoute("/addresses/verifyText/:address", "text", "hello", encodeUtf8),
]);
