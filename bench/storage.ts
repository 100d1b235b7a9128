/**
 * Measures the writer's processor time per row and per transfer, which hardly depends on the load of the machine. The
 * store grows by plain transfers between some accounts, 300 per block, 60,000 per commit; the run ends with look-ups by
 * id. `HOLDFAST_BENCH_TRANSFERS` (900000) and `HOLDFAST_BENCH_ACCOUNTS` (100) change its size.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StoredLedger } from "../src/storage/ledger/ledger-state.ts";
import { RecentIds } from "../src/storage/ledger/recent-ids.ts";
import { findTransaction } from "../src/storage/ledger/recorded-transactions.ts";
import { openStore } from "../src/storage/store.ts";
import { lsmTrees, tables } from "../src/storage/tables.ts";
import { bodyOf } from "../src/storage/values/chain.ts";
import { SeededRandom } from "../src/testing/seeded-random.ts";
import { median } from "./support.ts";

const TRANSFERS = Number(process.env.HOLDFAST_BENCH_TRANSFERS ?? 900_000);
const ACCOUNTS = Number(process.env.HOLDFAST_BENCH_ACCOUNTS ?? 100);
const PER_BLOCK = 300;
const PER_COMMIT = 60_000;

const random = new SeededRandom(1);
const home = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
const directory = join(home, "store");
const store = await openStore(directory, { network: "bench", rollbackDepth: 2_000 });
const recent = new RecentIds();

/** Processor time so far, microseconds. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

const addresses = Array.from({ length: ACCOUNTS }, () => random.bytes(26));
const generator = random.bytes(26);
const transfer = random.bytes(190);
const body = bodyOf(new Array<Uint8Array>(PER_BLOCK).fill(transfer));
const fees = new BigInt64Array(PER_BLOCK).fill(100_000_000n);
const some: Uint8Array[] = [];

let height = 0;

/** Makes one commit. Returns microseconds per transfer for applying and for committing. */
function commitGroup(): { apply: number; commit: number } {
  const ids = Array.from({ length: PER_COMMIT }, () => random.bytes(32));
  some.push(...ids.slice(0, 200));
  const begun = processorTime();
  const batch = store.begin();
  const ledger = new StoredLedger(batch, recent);
  for (let at = 0; at < ids.length; at += PER_BLOCK) {
    height++;
    const timestamp = BigInt(height) * 60_000n;
    batch.beginUnit({ height, sequence: 0 });
    ledger.beginBlock(height, { timestamp, generator, features: [], feeVote: 0 });
    for (const id of ids.slice(at, at + PER_BLOCK)) {
      const sender = random.pick(addresses);
      const recipient = random.pick(addresses);
      if (ledger.script(sender) !== undefined || ledger.sponsors(sender).length > 0)
        throw new Error("The account is not a plain one");
      if (ledger.knownTransaction(id) !== undefined) throw new Error("Duplicate transaction id");
      const from = ledger.account(sender);
      ledger.setAccount(sender, { ...from, balance: from.balance - 101n });
      const to = ledger.account(recipient);
      ledger.setAccount(recipient, { ...to, balance: to.balance + 100n });
      ledger.recordTransaction(id, timestamp, undefined);
    }
    const own = ledger.account(generator);
    ledger.setAccount(generator, { ...own, balance: own.balance + 1n });
    ledger.flush();
    batch.put(tables.bodies, { height, sequence: 0 }, body);
    batch.put(tables.effectiveFees, { height, sequence: 0 }, fees);
    batch.put(tables.score, height, BigInt(height));
    const id = random.bytes(64);
    batch.put(tables.tip, undefined, { height, sequence: 0, id });
    batch.endUnit();
    recent.addUnit(id);
  }
  const applied = processorTime();
  store.commit(batch);
  const committed = processorTime();
  return { apply: (applied - begun) / PER_COMMIT, commit: (committed - applied) / PER_COMMIT };
}

const groups: { apply: number; commit: number }[] = [];
while (height * PER_BLOCK < TRANSFERS) groups.push(commitGroup());

const total = groups.map(({ apply, commit }) => apply + commit);
const part = Math.max(1, Math.floor(groups.length / 5));
const us = (figure: number) => `${figure.toFixed(2)} µs`;
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;
console.log(
  `${height * PER_BLOCK} transfers of ${ACCOUNTS} accounts, ${PER_BLOCK} a block, ${PER_COMMIT} a commit`,
);
console.log(
  `a transfer: ${us(median(total))} (apply ${us(median(groups.map(({ apply }) => apply)))}, ` +
    `commit ${us(median(groups.map(({ commit }) => commit)))})`,
);
console.log(`first fifth ${us(median(total.slice(0, part)))}, last fifth ${us(median(total.slice(-part)))}`);
const size = statSync(join(directory, "data.mdb")).size;
console.log(`file ${megabytes(size)}, ${Math.round(size / (height * PER_BLOCK))} bytes per transfer`);
console.log(`resident ${megabytes(process.memoryUsage.rss())}`);

const begun = processorTime();
store.read((reader) => {
  for (const id of some)
    if (findTransaction(reader, id) === undefined) throw new Error("Transaction id not found");
});
console.log(`look-up by id, ${reportRuns()} runs: ${us((processorTime() - begun) / some.length)}`);
const absent = Array.from({ length: 2_000 }, () => random.bytes(32));
const asked = processorTime();
store.read((reader) => {
  for (const id of absent)
    if (findTransaction(reader, id) !== undefined)
      throw new Error("Found a transaction id that does not exist");
});
console.log(`look-up of an unknown id: ${us((processorTime() - asked) / absent.length)}`);

function reportRuns(): number {
  const runs = store.get(tables.sortedRuns, lsmTrees.transactionIds.id) ?? [];
  return runs.filter(({ inputs }) => inputs.length === 0).length;
}

await store.close();
rmSync(home, { recursive: true, force: true });
