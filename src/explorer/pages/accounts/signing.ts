/** Asks the node to sign a transaction, shows what it costs, and sends it when somebody says so. */
import type { Answer, Client } from "../../../client/index.ts";
import { FailedRequestError } from "../../../client/index.ts";
import type { NodeApi } from "../../page.ts";
import { signRequestOf, type WalletAction } from "./wallet-action.ts";

/** A transaction that is signed and was not sent. */
export interface SignedAction {
  readonly deed: WalletAction;
  readonly transaction: Answer<"POST /transactions/sign">;
  readonly fee: bigint;
}

/** Stands in for the fee until the smallest one is known. */
const PLACEHOLDER_FEE = 100_000_000n;

/**
 * Signs a transaction with the smallest fee.
 * @param client one that may sign
 * @throws what the client throws
 */
export async function signAction(client: Client, deed: WalletAction): Promise<SignedAction> {
  const request = signRequestOf(deed);
  const sign = (fee: bigint): Promise<Answer<"POST /transactions/sign">> =>
    client.call("POST /transactions/sign", { body: { ...request, fee } });
  const first = await sign(PLACEHOLDER_FEE);
  // The fee is that of the transaction as it will be: with its version, and for the node with the sender's key.
  const { senderPublicKey = "" } = first;
  const body = { ...request, senderPublicKey };
  const { feeAmount: fee } = await client.call("POST /transactions/calculateFee", { body });
  return { deed, fee, transaction: fee === PLACEHOLDER_FEE ? first : await sign(fee) };
}

/** Sends it. @throws what the client throws */
export async function broadcast({ client }: NodeApi, { transaction }: SignedAction): Promise<string> {
  type Body = Parameters<typeof client.call<"POST /transactions/broadcast">>[1]["body"];
  // An answer of the node can be sent back to it as it came.
  const { id } = await client.call("POST /transactions/broadcast", { body: transaction as Body });
  return id;
}

/** Why an order was not carried out, in a sentence. */
export async function describeRefusal(node: NodeApi, error: unknown): Promise<string> {
  if (error instanceof FailedRequestError && error.status === 403)
    return "The node says that this is not its API key. Forget it and give the right one.";
  const { kind, message, advice, detail } = await node.diagnose(error);
  if (kind === "malformed" && detail !== undefined) return `The node refuses the transaction: “${detail}”.`;
  return `${message} ${advice}`;
}
