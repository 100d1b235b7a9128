import { expect, test } from "vitest";
import { buildMicroBlock } from "../../blocks/micro-block.ts";
import { addressOf } from "../../crypto/addresses.ts";
import { allTables } from "../../storage/batch/write-batch.ts";
import { memoryStore } from "../../storage/memory-store.ts";
import type { Store } from "../../storage/store.ts";
import { tables } from "../../storage/tables.ts";
import { buildTransaction } from "../../testing/build-transaction.ts";
import { forgeBlocks, forgedProfile, forgerKeyPair } from "../../testing/forged-chain.ts";
import { spenders } from "../../testing/random-transactions.ts";
import { SeededRandom } from "../../testing/seeded-random.ts";
import type { Chain } from "../chain.ts";
import { readTip } from "../reading/tip.ts";
import { atOnce } from "../testing/at-once.ts";

/** Micro blocks of one key block. */
const MANY = 400;

/** Appends micro blocks of one transfer each, every one to another account. */
function grow(chain: Chain): void {
  let base = chain.forging.liquidBlock();
  const [sender = forgerKeyPair] = spenders;
  const random = new SeededRandom(1);
  for (let i = 0; i < MANY; i++) {
    const transfer = buildTransaction({
      type: 4,
      sender,
      fee: 100_000_000n,
      timestamp: base.timestamp + BigInt(i),
      chainId: forgedProfile.chainId,
      members: {
        recipient: addressOf(random.bytes(32), forgedProfile.chainId),
        amount: 1n,
        attachment: new Uint8Array(0),
      },
    });
    const { micro, total } = buildMicroBlock(base, [transfer], forgerKeyPair);
    expect(atOnce(chain.acceptMicroBlock(micro))).toMatchObject({ ok: true });
    base = total;
  }
}

function rowsOf(store: Store): number {
  return allTables.reduce((sum, table) => sum + [...store.scan(table, {})].length, 0);
}

test("a micro block writes only its own changes, however many came before it", () => {
  const store = memoryStore();
  const { chain } = forgeBlocks(store, 2);
  const { height } = chain.tip;
  const first = (chain.tip.microBlocks.at(-1)?.sequence ?? 0) + 1;
  const before = rowsOf(store);
  grow(chain);
  expect(chain.tip).toEqual(store.read((reader) => readTip(reader, forgedProfile.chainId)));
  const sizeOf = (sequence: number) => store.get(tables.journal, { height, sequence })?.length ?? Number.NaN;
  const sizes = Array.from({ length: MANY }, (_, i) => sizeOf(first + i));
  // Numbers take a byte more here and there as they grow.
  expect(Math.max(...sizes.slice(-100))).toBeLessThan(Math.max(...sizes.slice(0, 100)) + 20);
  expect((rowsOf(store) - before) / MANY).toBeLessThan(14);
});
