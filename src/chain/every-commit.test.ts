/** A disk that fails at any one commit: the store is as before, and the work continues. */
import { expect, test } from "vitest";
import { signCheckpoint } from "../blocks/testing/sign-checkpoint.ts";
import { addressOf } from "../crypto/addresses.ts";
import { dev } from "../profiles/index.ts";
import { DiskError, diskErrorOf } from "../storage/disk/disk-error.ts";
import { memoryStore } from "../storage/memory-store.ts";
import { tables } from "../storage/tables.ts";
import { journaledRows } from "../storage/testing/dump.ts";
import { FailingStore } from "../storage/testing/failing-store.ts";
import { buildTransaction } from "../testing/build-transaction.ts";
import { DevNode, keyPairOf, rootKeyPair } from "../testing/dev-node.ts";
import { trustOfSpenders } from "../testing/random-transactions.ts";
import { SeededRandom } from "../testing/seeded-random.ts";
import { silentLog } from "../testing/silent-log.ts";
import { IndexBuilder } from "./jobs/build-indexes.ts";
import { readTip } from "./reading/tip.ts";

const { chainId } = dev;
const authority = keyPairOf("authority");

/** A store that is full at its nth commit and faulty at the next, and checks that nothing changed. */
class TwoFaults extends FailingStore {
  count = 0;

  constructor(private readonly at: number) {
    super(memoryStore(), new SeededRandom(at));
    this.faults.error = () => {
      const error = diskErrorOf("data", "written", { code: this.count === at ? "ENOSPC" : "EIO" });
      return error ?? new RangeError("no error of a disk");
    };
  }

  override commit(batch: Parameters<FailingStore["commit"]>[0]): void {
    const isFault = ++this.count === this.at || (this.at > 0 && this.count === this.at + 1);
    const before = isFault ? journaledRows(this) : [];
    this.faults.commits = isFault ? 100 : 0;
    try {
      super.commit(batch);
    } finally {
      this.faults.commits = 0;
      if (isFault) expect(journaledRows(this)).toEqual(before);
    }
  }
}

/** Repeats twice what the disk rejected. */
async function insist<T>(work: () => Promise<T> | T, times = 2): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DiskError) || times === 0) throw error;
    return insist(work, times - 1);
  }
}

/** Everything that commits: a new chain, key blocks, micro blocks, rollback, checkpoint, a group of blocks, indexes. */
async function life(store: TwoFaults): Promise<DevNode> {
  const settings = { chain: { checkpointKey: authority.publicKey } };
  const node = await insist(() => {
    return new DevNode({ store, settings });
  });
  const { chain, pool, forger, clock } = node;
  const same = (): void => expect(chain.tip).toEqual(readTip(store, chainId));
  forger.start();
  for (let i = 0; i < 12; i++) {
    const members = {
      recipient: addressOf(authority.publicKey, chainId),
      amount: BigInt(i + 1),
      attachment: new Uint8Array(0),
    };
    pool.add(
      buildTransaction({
        type: 4,
        sender: rootKeyPair,
        fee: 100_000_000n,
        timestamp: clock.now(),
        chainId,
        members,
      }),
    );
    clock.advance(2_000);
    same();
    // As soon as there is space.
    forger.schedule();
  }
  forger.stop();
  const idAt = (height: number): Uint8Array =>
    chain.read((reader) => reader.get(tables.headers, height)?.signature) ?? new Uint8Array(0);
  const { height } = chain.tip;
  expect(height).toBeGreaterThan(3);
  await insist(() => chain.removeAfter(idAt(height - 1), { returnTransactions: true }));
  same();
  const items = [
    { height: height - 1, id: new Uint8Array(64).fill(7) },
    { height: height - 2, id: idAt(height - 2) },
  ];
  await insist(() => chain.acceptCheckpoint(signCheckpoint(items, authority)));
  same();
  expect(chain.tip.height).toBe(height - 2);
  const trust = trustOfSpenders(chainId);
  const indexed = await insist(
    () =>
      new DevNode({
        store,
        settings: {
          ...settings,
          index: { trustNetwork: trust.network },
          anchoring: { hashAccount: trust.root },
        },
      }),
  );
  const builder = new IndexBuilder({ chain: indexed.chain, network: dev, clock, log: silentLog });
  await insist(() => builder.begin());
  while (await insist(() => builder.step()));
  return indexed;
}

test("a failed commit, whichever it is, leaves the store as before, and work continues", async () => {
  const whole = new TwoFaults(0);
  await life(whole);
  expect(whole.count).toBeGreaterThan(15);
  for (let at = 1; at <= whole.count; at++) {
    const store = new TwoFaults(at);
    const node = await life(store);
    expect(store.failures).toBe(2);
    // Nothing is lost: a restart reads the same.
    const tip = readTip(store, chainId);
    expect(node.chain.tip).toEqual(tip);
  }
});
