import { safeSum } from "../../bytes/int64.ts";
import type { MassTransferTransaction } from "../../transactions/types/mass-transfer.ts";
import { Deltas } from "../account.ts";
import { effect } from "../effect.ts";
import { perItem, type Rule } from "../transaction-rule.ts";

const recipients = (tx: MassTransferTransaction): number => tx.transfers.length;

/** Mass transfer: one sender, many recipients. Burn addresses are ordinary recipients here. Page 05 §15.4. */
export const massTransferRule: Rule<MassTransferTransaction> = {
  fees: {
    1: perItem(100_000n, 50_000n, recipients),
    2: perItem(100_000_000n, 10_000_000n, recipients),
    3: perItem(100_000_000n, 10_000_000n, recipients),
    4: perItem(1_000_000n, 100_000n, recipients),
    5: perItem(1_000n, 100n, recipients),
  },
  effect(_view, tx) {
    const deltas = new Deltas();
    for (const { recipient, amount } of tx.transfers) deltas.add(recipient, amount);
    deltas.add(tx.senderAddress, -totalAmount(tx));
    return effect(deltas);
  },
  sends: totalAmount,
};

/** Sum of the transfers; static validation excludes an overflow. */
function totalAmount(tx: MassTransferTransaction): bigint {
  let total = 0n;
  for (const { amount } of tx.transfers) total = safeSum(total, amount);
  return total;
}
