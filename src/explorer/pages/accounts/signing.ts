/** Lets the node sign a wallet action, and broadcasts it after confirmation. */
import type { Answer, Client } from "../../../client/index.ts";
import { FailedRequestError } from "../../../client/index.ts";
import type { NodeApi } from "../../page.ts";
import { accountsTexts } from "./texts.ts";
import { signRequestOf, type WalletAction } from "./wallet-action.ts";

export interface SignedAction {
  readonly action: WalletAction;
  readonly transaction: Answer<"POST /transactions/sign">;
  readonly fee: bigint;
}

/** Fee of the first signature, until the node has calculated the minimum. */
const PLACEHOLDER_FEE = 100_000_000n;

/**
 * Signs a transaction with the minimum fee.
 * @param client may sign
 * @throws what the client throws
 */
export async function signAction(client: Client, action: WalletAction): Promise<SignedAction> {
  const request = signRequestOf(action);
  const sign = (fee: bigint): Promise<Answer<"POST /transactions/sign">> =>
    client.call("POST /transactions/sign", { body: { ...request, fee } });
  const first = await sign(PLACEHOLDER_FEE);
  // The minimum fee depends on the version and on the sender's key.
  const { senderPublicKey = "" } = first;
  const body = { ...request, senderPublicKey };
  const { feeAmount: fee } = await client.call("POST /transactions/calculateFee", { body });
  return { action, fee, transaction: fee === PLACEHOLDER_FEE ? first : await sign(fee) };
}

/** Broadcasts a signed transaction. @returns its id @throws what the client throws */
export async function broadcast({ client }: NodeApi, { transaction }: SignedAction): Promise<string> {
  type Body = Parameters<typeof client.call<"POST /transactions/broadcast">>[1]["body"];
  // The node accepts its own answer as a request.
  const { id } = await client.call("POST /transactions/broadcast", { body: transaction as Body });
  return id;
}

/** Returns a sentence that says why an action failed. */
export async function describeRefusal(node: NodeApi, error: unknown): Promise<string> {
  if (error instanceof FailedRequestError && error.status === 403) return accountsTexts.errors.apiKey;
  const { kind, message, advice, detail } = await node.diagnose(error);
  if (kind === "malformed" && detail !== undefined) return accountsTexts.errors.rejected(detail);
  return `${message} ${advice}`;
}
