/** Which account is charged the fee. Page 05 §16. */
import type { Transaction } from "../transactions/index.ts";
import type { LedgerView } from "./state.ts";

/**
 * The account that pays: the newest sponsor of the explicit sponsor (without one: of the sender) that can afford the
 * fee, else that account itself. Sponsors and funds are those before the transaction.
 */
export function feePayer(view: LedgerView, transaction: Transaction, fee: bigint): Uint8Array {
  const account = transaction.sponsorAddress ?? transaction.senderAddress;
  return view.payingSponsor(account, fee) ?? account;
}
