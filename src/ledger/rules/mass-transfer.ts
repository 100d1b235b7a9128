import { safeSum } from "../../bytes/int64.ts";
import type { MassTransferTransaction } from "../../transactions/types/mass-transfer.ts";
import { Deltas } from "../account.ts";
import { effect } from "../effect.ts";
import { perItemFee, type TransactionRule } from "../transaction-rule.ts";

const countRecipients = (tx: MassTransferTransaction): number => tx.transfers.length;

/** Credits tokens that are sent to a burn address; a transfer burns them. Page 05 §15.4. */
export const massTransferRule: TransactionRule<MassTransferTransaction> = {
  fees: {
    1: perItemFee(100_000n, 50_000n, countRecipients),
    2: perItemFee(100_000_000n, 10_000_000n, countRecipients),
    3: perItemFee(100_000_000n, 10_000_000n, countRecipients),
    4: perItemFee(1_000_000n, 100_000n, countRecipients),
    5: perItemFee(1_000n, 100n, countRecipients),
  },
  effect(_view, tx) {
    const deltas = new Deltas();
    for (const { recipient, amount } of tx.transfers) deltas.add(recipient, amount);
    deltas.add(tx.senderAddress, -totalAmount(tx));
    return effect(deltas);
  },
  sentAmount: totalAmount,
};

/** The static checks keep the sum below 2^63. */
function totalAmount(tx: MassTransferTransaction): bigint {
  let total = 0n;
  for (const { amount } of tx.transfers) total = safeSum(total, amount);
  return total;
}
