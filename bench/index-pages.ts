/** Compares the first page of an index list with the thousandth, by cursor, and with the page at offset 100,000. */
import { join } from "node:path";
import { groupPageOf } from "../src/indexes/transactions/query.ts";
import { addressTransactionIndex, groupTotalIndex } from "../src/indexes/transactions/write.ts";
import type { ListPosition } from "../src/interfaces.ts";
import { openStore } from "../src/storage/store.ts";
import { report } from "./figures.ts";
import { inHome, median } from "./support.ts";
import { type Account, processorTime, random, transferOf } from "./transfers.ts";

const PAGE = 25;
const PER_BLOCK = 300;
const BLOCKS = 1_800;
const BLOCKS_A_COMMIT = 200;
const DEEP_OFFSET = 100_000;
const TURNS = 7;
const READS = 100;

const timestampOf = (height: number): bigint => BigInt(height) * 60_000n;

export async function comparePages(): Promise<void> {
  const accounts = Array.from({ length: 10 }, (): Account => {
    return { address: random.bytes(26), key: { keyType: "ed25519", bytes: random.bytes(32) } };
  });
  const { address } = accounts[0];
  return inHome(async (home) => {
    const store = await openStore(join(home, "store"), { network: "bench", rollbackDepth: 2_000 });
    let height = 0;
    while (height < BLOCKS) {
      const batch = store.begin();
      for (let i = 0; i < BLOCKS_A_COMMIT; i++) {
        const timestamp = timestampOf(++height);
        const transactions = Array.from({ length: PER_BLOCK }, (_, at) =>
          transferOf(accounts, timestamp, at),
        );
        const unit = { height, sequence: 0, timestamp, generator: address, transactions };
        batch.beginUnit(unit);
        for (const index of [addressTransactionIndex(), groupTotalIndex()]) index.apply(batch, unit);
        batch.endUnit();
      }
      store.commit(batch);
    }
    const read = (after: ListPosition | undefined, offset = 0) =>
      store.read((reader) =>
        groupPageOf(reader, address, "all", { after, offset, limit: PAGE }, { height, timestampOf }),
      );
    let thousandth: ListPosition | undefined;
    for (let page = 1; page < 1_000; page++) thousandth = read(thousandth).places.at(-1);
    if (read(undefined, DEEP_OFFSET).places.length < PAGE) throw new Error("The list is too short");
    const timeOf = (after: ListPosition | undefined, offset?: number): number => {
      const begun = processorTime();
      for (let i = 0; i < READS; i++) read(after, offset);
      return (processorTime() - begun) / READS;
    };
    const [first, last, deep]: [number[], number[], number[]] = [[], [], []];
    for (let turn = 0; turn < TURNS; turn++) {
      first.push(timeOf(undefined));
      last.push(timeOf(thousandth));
      deep.push(timeOf(undefined, DEEP_OFFSET));
    }
    await store.close();
    const times = (figures: readonly number[]): number => median(figures) / median(first);
    const note = `page 1: ${median(first).toFixed(0)} µs`;
    report("page 1,000 of an address by cursor, against page 1", times(last), "times", { atMost: 2 }, note);
    report(`page at offset ${DEEP_OFFSET}, against page 1`, times(deep), "times", { atMost: 5 }, note);
  });
}
