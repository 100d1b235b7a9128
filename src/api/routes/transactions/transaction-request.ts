/** From the JSON of a request to a transaction: read, checked against the chain, signed by the wallet. Page 06 §6. */
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

interface RequestKind {
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

/**
 * The transaction of a request that comes with its signatures.
 * @throws ApiError for all that is wrong with it but what the pool decides
 */
export function parseSignedTransaction(call: Call, json: JsonValue, kind: RequestKind = {}): Transaction {
  const network = call.api.info.network;
  const { transaction } = unwrapRequest(transactionFromRequest(json, { network, ...kind }));
  checkAgainstChain(call, transaction);
  return transaction;
}

/**
 * The transaction of a request, signed by the accounts of the wallet that it names. Page 06 §6.3.
 * @throws ApiError for all that is wrong with it but what the pool decides
 */
export async function signRequestedTransaction(
  call: Call,
  json: JsonValue,
  kind: RequestKind = {},
): Promise<Transaction> {
  const { control, info, uniqueTime } = call.api;
  const accounts = new Map<string, WalletAccount>();
  for (const account of await control.wallet.accounts()) accounts.set(bytesKey(account.address), account);
  const { transaction, signers } = unwrapRequest(
    transactionFromRequest(json, {
      network: info.network,
      timestamp: uniqueTime,
      accounts: (address) => {
        const account = accounts.get(bytesKey(address));
        return account && { keyType: account.keyType, bytes: account.publicKey };
      },
      ...kind,
    }),
  );
  checkAgainstChain(call, transaction);
  return signWithWallet(call.api, transaction, signers);
}

/** The transaction with the signatures of wallet accounts behind the proofs it has. */
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

/** Hands a transaction to the pool. @throws ApiError with the reason why it is refused */
export async function broadcast({ control, info }: Api, transaction: Transaction): Promise<void> {
  const sent = encodeTransaction(transaction);
  // The refusal shows the transaction as the node read it.
  unwrap(
    await control.pool.broadcast(sent),
    () => unwrapRequest(decodeTransaction(sent, info.network)).transaction,
  );
}
