import type { Answer, Client } from "../../../client/index.ts";
import { FailedRequestError } from "../../../client/index.ts";
import type { NodeApi } from "../../page.ts";
import { accountsTexts } from "./texts.ts";
import { signRequestOf, type WalletAction } from "./wallet-action.ts";

export interface SignedAction {
  readonly action: WalletAction;
  readonly transaction: Answer<"POST /transactions/sign">;
  /** In 10⁻⁸ tokens. */
  readonly fee: bigint;
}

/** Used until the node has calculated the minimum. */
const PLACEHOLDER_FEE = 100_000_000n;

/**
 * Lets the node sign a transaction with the minimum fee.
 * @param client has the API key, if the node requires one
 * @throws the client's errors
 */
export async function signAction(client: Client, action: WalletAction): Promise<SignedAction> {
  const request = signRequestOf(action);
  const sign = (fee: bigint): Promise<Answer<"POST /transactions/sign">> =>
    client.call("POST /transactions/sign", { body: { ...request, fee } });
  const first = await sign(PLACEHOLDER_FEE);
  // The fee calculation needs the sender's key, which the first answer contains.
  const { senderPublicKey = "" } = first;
  const body = { ...request, senderPublicKey };
  const { feeAmount: fee } = await client.call("POST /transactions/calculateFee", { body });
  return { action, fee, transaction: fee === PLACEHOLDER_FEE ? first : await sign(fee) };
}

/** @returns the transaction id @throws the client's errors */
export async function broadcast({ client }: NodeApi, { transaction }: SignedAction): Promise<string> {
  type Body = Parameters<typeof client.call<"POST /transactions/broadcast">>[1]["body"];
  // The signed JSON is also a broadcast request.
  const { id } = await client.call("POST /transactions/broadcast", { body: transaction as Body });
  return id;
}

export async function describeRefusal(node: NodeApi, error: unknown): Promise<string> {
  if (error instanceof FailedRequestError && error.status === 403) return accountsTexts.errors.apiKey;
  const { kind, message, advice, detail } = await node.diagnose(error);
  if (kind === "malformed" && detail !== undefined) return accountsTexts.errors.rejected(detail);
  return `${message} ${advice}`;
}
