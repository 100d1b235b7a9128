/** Requests the node's signature of a wallet action, and broadcasts the transaction after the user's confirmation. */
import type { Answer, Client } from "../../../client/index.ts";
import { FailedRequestError } from "../../../client/index.ts";
import type { NodeApi } from "../../page.ts";
import { accountsTexts } from "./texts.ts";
import { signRequestOf, type WalletAction } from "./wallet-action.ts";

export interface SignedAction {
  readonly action: WalletAction;
  readonly transaction: Answer<"POST /transactions/sign">;
  /** Fee in units of 10⁻⁸ tokens. */
  readonly fee: bigint;
}

/** Fee used to sign before the minimum fee is known, in units of 10⁻⁸ tokens. */
const PLACEHOLDER_FEE = 100_000_000n;

/**
 * Requests a transaction signed by the node with the minimum fee. Does not broadcast it.
 * @param client client that sends the API key, if the node requires one
 * @throws the client's errors
 */
export async function signAction(client: Client, action: WalletAction): Promise<SignedAction> {
  const request = signRequestOf(action);
  const sign = (fee: bigint): Promise<Answer<"POST /transactions/sign">> =>
    client.call("POST /transactions/sign", { body: { ...request, fee } });
  const first = await sign(PLACEHOLDER_FEE);
  // The minimum fee depends on the transaction's version and on the sender's key. The first answer contains the key.
  const { senderPublicKey = "" } = first;
  const body = { ...request, senderPublicKey };
  const { feeAmount: fee } = await client.call("POST /transactions/calculateFee", { body });
  return { action, fee, transaction: fee === PLACEHOLDER_FEE ? first : await sign(fee) };
}

/** Broadcasts the signed transaction. @returns the transaction's id @throws the client's errors */
export async function broadcast({ client }: NodeApi, { transaction }: SignedAction): Promise<string> {
  type Body = Parameters<typeof client.call<"POST /transactions/broadcast">>[1]["body"];
  // The JSON that the node signed has the form of a broadcast request.
  const { id } = await client.call("POST /transactions/broadcast", { body: transaction as Body });
  return id;
}

/** Describes in a sentence for the user why a request failed. */
export async function describeRefusal(node: NodeApi, error: unknown): Promise<string> {
  if (error instanceof FailedRequestError && error.status === 403) return accountsTexts.errors.apiKey;
  const { kind, message, advice, detail } = await node.diagnose(error);
  if (kind === "malformed" && detail !== undefined) return accountsTexts.errors.rejected(detail);
  return `${message} ${advice}`;
}
