import { JsonError, type JsonValue, parseJson, printJson } from "../../bytes/json.ts";
import { decodeUtf8 } from "../../bytes/utf8.ts";
import {
  InvalidAnswerError,
  NoAnswerError,
  NotConnectedError,
  postBounded,
} from "../../client/bounded-fetch.ts";
import type { KeyPair } from "../../crypto/signatures.ts";
import { errorText } from "../../transactions/errors.ts";
import { type RequestResult, transactionFromRequest, transactionJson } from "../../transactions/index.ts";
import { failure } from "../exit-codes.ts";

/** Bytes; a response may contain the transaction. */
const MAX_RESPONSE_BYTES = 4_194_304;
const MAX_QUOTED_LENGTH = 2_000;

function refusalText({ error }: Extract<RequestResult, { ok: false }>): string {
  if (error.kind === "validation") return errorText(error.error);
  const faults = [...error.validationErrors].map(
    ([path, found]) => `${path.replace(/^obj\./, "")}: ${found.flatMap(({ msg }) => msg).join(", ")}`,
  );
  return [...(error.cause === null ? [] : [error.cause]), ...faults].join("\n");
}

/**
 * Signs a transaction in JSON with the accounts that it names.
 * @param now default timestamp, ms since 1970
 * @throws CommandError
 */
export function signTransactionText(
  text: string,
  keyPairOf: (address: Uint8Array) => KeyPair | undefined,
  network: { readonly chainId: number; readonly payment: boolean },
  now: number,
): string {
  let json: JsonValue;
  try {
    json = parseJson(text);
  } catch (error) {
    if (error instanceof JsonError) throw failure(`The transaction is not JSON: ${error.message}`);
    throw error;
  }
  const result = transactionFromRequest(json, { network, keyPairOf, timestamp: () => BigInt(now) });
  if (!result.ok) throw failure(`Not signed:\n${refusalText(result)}`);
  return printJson(transactionJson(result.value.transaction));
}

function quoted(text: string): string {
  return text.replace(/\p{C}/gu, " ").slice(0, MAX_QUOTED_LENGTH);
}

/** @throws CommandError if the node rejects the transaction or does not respond */
export async function broadcastTo(node: string, signed: string): Promise<string> {
  try {
    const { status, bytes } = await postBounded(
      { fetch: (url, init) => fetch(url, init) },
      `${node.replace(/\/$/, "")}/transactions/broadcast`,
      signed,
      MAX_RESPONSE_BYTES,
    );
    const text = decodeUtf8(bytes);
    if (status !== 200) throw failure(`${node} refused the transaction (${status}): ${quoted(text)}`);
    return printJson(parseJson(text));
  } catch (error) {
    if (error instanceof NotConnectedError) throw failure(`${node}: ${error.message}. Nothing was sent`);
    if (error instanceof NoAnswerError || error instanceof InvalidAnswerError)
      throw failure(
        `${node}: ${error.message}. The node may have accepted the transaction: look it up before you sign it again`,
      );
    if (error instanceof JsonError) throw failure(`${node}: the response is not JSON`);
    throw error;
  }
}
