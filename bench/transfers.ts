/** Transfers in the form in which the ledger passes them to the indexes, generated without keys. */
import type { AppliedTransaction } from "../src/ledger/block.ts";
import { SeededRandom } from "../src/testing/seeded-random.ts";
import type { TransferTransaction } from "../src/transactions/index.ts";

/** Processor time so far, microseconds. */
export function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

export const random = new SeededRandom(1);

export interface Account {
  readonly address: Uint8Array;
  readonly key: { readonly keyType: "ed25519"; readonly bytes: Uint8Array };
}

export function transferOf(
  accounts: readonly Account[],
  timestamp: bigint,
  position: number,
): AppliedTransaction {
  const sender = random.pick(accounts);
  const recipient = random.pick(accounts).address;
  const transaction: TransferTransaction = {
    type: 4,
    version: 3,
    chainId: 0x54,
    timestamp,
    sender: sender.key,
    senderAddress: sender.address,
    fee: 100_000_000n,
    proofs: [],
    recipient,
    amount: 1n,
    attachment: new Uint8Array(0),
  };
  const addresses = sender.address === recipient ? [recipient] : [sender.address, recipient];
  return {
    transaction,
    id: random.bytes(32),
    position,
    effectiveFee: transaction.fee,
    effectiveSponsor: undefined,
    addresses,
  };
}
