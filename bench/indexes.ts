/**
 * What a plain transfer costs in each index: processor time of applying and committing. Transfers
 * between some accounts, 300 a block, 60,000 a commit. `HOLDFAST_BENCH_TRANSFERS` (300000) changes the number.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { allIndexes } from "../src/indexes/all.ts";
import type { ChainIndex } from "../src/indexes/chain-index.ts";
import type { AppliedTransaction } from "../src/ledger/block.ts";
import { openStore } from "../src/storage/store.ts";
import { SeededRandom } from "../src/testing/seeded-random.ts";
import type { TransferTransaction } from "../src/transactions/index.ts";
import { median } from "./support.ts";

const TRANSFERS = Number(process.env.HOLDFAST_BENCH_TRANSFERS ?? 300_000);
const PER_BLOCK = 300;
const PER_COMMIT = 60_000;

/** Microseconds of processor time so far. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

const random = new SeededRandom(1);

interface Account {
  readonly address: Uint8Array;
  readonly key: { readonly keyType: "ed25519"; readonly bytes: Uint8Array };
}

function transferOf(accounts: readonly Account[], timestamp: bigint, position: number): AppliedTransaction {
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

async function measure(index: ChainIndex | undefined, accounts: readonly Account[]): Promise<number> {
  const home = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
  const store = await openStore(join(home, "store"), { network: "bench", rollbackDepth: 2_000 });
  const figures: number[] = [];
  let height = 0;
  while (height * PER_BLOCK < TRANSFERS) {
    const blocks = Array.from({ length: PER_COMMIT / PER_BLOCK }, (_, i) => {
      const timestamp = BigInt(height + i) * 60_000n;
      return Array.from({ length: PER_BLOCK }, (_, position) => transferOf(accounts, timestamp, position));
    });
    const begun = processorTime();
    const batch = store.begin();
    for (const transactions of blocks) {
      height++;
      const timestamp = BigInt(height) * 60_000n;
      const generator = accounts[0].address;
      const unit = { height, sequence: 0, timestamp, generator, transactions };
      batch.beginUnit(unit);
      index?.apply(batch, unit);
      batch.endUnit();
    }
    store.commit(batch);
    figures.push((processorTime() - begun) / PER_COMMIT);
  }
  await store.close();
  rmSync(home, { recursive: true, force: true });
  return median(figures);
}

for (const count of [100, 100_000]) {
  const accounts = Array.from({ length: count }, (): Account => {
    return { address: random.bytes(26), key: { keyType: "ed25519", bytes: random.bytes(32) } };
  });
  const idle = await measure(undefined, accounts);
  console.log(`${TRANSFERS} transfers of ${count} accounts, ${PER_BLOCK} a block, ${PER_COMMIT} a commit`);
  for (const index of allIndexes({ trust: { network: new Map(), root: undefined } })) {
    const figure = (await measure(index, accounts)) - idle;
    console.log(
      `${(index.configuration?.names.join(", ") ?? "lists of addresses").padEnd(24)} ${Math.max(0, figure).toFixed(2)} µs a transfer`,
    );
  }
}
