import fc from "fast-check";
import { expect, test } from "vitest";
import { addressOf } from "../../crypto/addresses.ts";
import type { PublicKey } from "../../crypto/key-types.ts";
import { readerContext } from "../../node/composition.ts";
import { Overlay } from "../../storage/batch/overlay.ts";
import { StoredLedger } from "../../storage/ledger/ledger-state.ts";
import { InterruptibleReader } from "../../storage/readers/interruptible-reader.ts";
import { forgedTrust, forgedProfile as profile } from "../../testing/forged-chain.ts";
import { settingsOf } from "../../testing/settings.ts";
import { transactionArbitrary } from "../../transactions/testing/arbitrary.ts";
import { StoredSnapshot } from "../snapshot.ts";

const { chainId, functionality } = profile;
const context = readerContext(
  settingsOf(profile),
  { chainId, functionality, maxTransactionsInMicroBlock: 255 },
  forgedTrust,
);

const sender: PublicKey = { keyType: "ed25519", bytes: new Uint8Array(32).fill(7) };
const senderAddress = addressOf(sender.bytes, chainId);
const RICH = 200;
/** Heights, the deciding row, and nothing more of a lease. */
const MAX_ROWS = 4;

/** An account with thousands of associations, leases, entries and so on. */
function richAccount(): Overlay {
  const rows = new Overlay();
  const ledger = new StoredLedger(rows);
  ledger.beginBlock(1, { timestamp: 1n, generator: senderAddress, features: [], feeVote: 0 });
  const others = Array.from({ length: RICH }, (_, i) => new Uint8Array(26).fill(i));
  for (const sponsor of others) ledger.addSponsor(senderAddress, sponsor);
  for (const [i, recipient] of others.entries()) {
    const id = new Uint8Array(32).fill(i);
    const terms = { associationType: BigInt(i), recipient };
    ledger.setData(senderAddress, { key: `${i}`, type: "boolean", value: true });
    ledger.setLease(id, {
      senderKey: sender.bytes,
      sender: senderAddress,
      recipient,
      amount: 1n,
      height: 1,
      active: true,
    });
    ledger.appendAssociation({ sender: senderAddress, id, terms, revokes: false });
    ledger.recordTransaction(id, 1n, undefined);
  }
  ledger.flush();
  return rows;
}

test("rejecting a request costs a few lookups, whatever its named sender has", () => {
  const rows = richAccount();
  const types = new Set<number>();
  let refused = 0;
  let most = 0;
  fc.assert(
    fc.property(transactionArbitrary({ network: profile, senders: [sender] }), (transaction) => {
      let read = 0;
      const chain = new StoredSnapshot(new InterruptibleReader(rows, () => read++), context);
      if (chain.transactions.requestRefusal(transaction) !== undefined) refused++;
      most = Math.max(most, read);
      types.add(transaction.type);
    }),
    { seed: 20, numRuns: 400 },
  );
  expect(most).toBeLessThanOrEqual(MAX_ROWS);
  expect(types.size).toBeGreaterThan(12);
  expect(refused).toBeGreaterThan(20);
});
