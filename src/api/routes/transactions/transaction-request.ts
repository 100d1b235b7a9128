/** Page 06 §6. */
import { bytesKey } from "../../../bytes/compare.ts";
import type { JsonValue } from "../../../bytes/json.ts";
import type { WalletAccount } from "../../../control/index.ts";
import { ApiError } from "../../../http/errors.ts";
import {
  bodyBytes,
  copyTransaction,
  decodeTransaction,
  encodeTransaction,
  type RequestResult,
  type Transaction,
  transactionFromRequest,
} from "../../../transactions/index.ts";
import { requestFailure, validationFailure } from "../../refusals.ts";
import { type Api, type Call, unwrap } from "../../route.ts";

/** See `RequestOptions` of `transactions/`. */
interface RequestOptions {
  readonly typeName?: string;
  readonly fee?: bigint;
}

function unwrapRequest(result: RequestResult): Extract<RequestResult, { ok: true }>["value"] {
  if (!result.ok) throw new ApiError(requestFailure(result.error));
  return result.value;
}

function checkAgainstChain(call: Call, transaction: Transaction): void {
  const error = call.read((chain) => chain.transactions.requestRefusal(transaction));
  if (error !== undefined) throw new ApiError(validationFailure(error));
}

/** @throws ApiError if the request is invalid or the chain refuses the transaction */
export function parseSignedTransaction(
  call: Call,
  json: JsonValue,
  options: RequestOptions = {},
): Transaction {
  const network = call.api.info.network;
  const { transaction } = unwrapRequest(transactionFromRequest(json, { network, ...options }));
  checkAgainstChain(call, transaction);
  return transaction;
}

/**
 * Page 06 §6.3.
 * @throws ApiError if the request is invalid or the chain refuses the transaction
 */
export async function signRequestedTransaction(
  call: Call,
  json: JsonValue,
  options: RequestOptions = {},
): Promise<Transaction> {
  const { control, info, uniqueTime } = call.api;
  const accounts = new Map<string, WalletAccount>();
  for (const account of await control.wallet.accounts()) accounts.set(bytesKey(account.address), account);
  const { transaction, signers } = unwrapRequest(
    transactionFromRequest(json, {
      network: info.network,
      timestamp: uniqueTime,
      publicKeyOf: (address) => {
        const account = accounts.get(bytesKey(address));
        return account && { keyType: account.keyType, bytes: account.publicKey };
      },
      ...options,
    }),
  );
  checkAgainstChain(call, transaction);
  return signWithWallet(call.api, transaction, signers);
}

export async function signWithWallet(
  api: Api,
  transaction: Transaction,
  signers: readonly Uint8Array[],
): Promise<Transaction> {
  const body = bodyBytes(transaction);
  const proofs = [...transaction.proofs];
  for (const address of signers) proofs.push(unwrap(await api.control.wallet.sign(address, body)));
  return signers.length === 0 ? transaction : copyTransaction(transaction, { proofs });
}

/** @throws ApiError if the pool refuses the transaction */
export async function broadcast({ control, info }: Api, transaction: Transaction): Promise<void> {
  const encoded = encodeTransaction(transaction);
  // The failure shows the transaction as the node parsed it.
  unwrap(
    await control.pool.broadcast(encoded),
    () => unwrapRequest(decodeTransaction(encoded, info.network)).transaction,
  );
}
