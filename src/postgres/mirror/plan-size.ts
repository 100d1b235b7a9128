import type { ChainReader, Clock } from "../../interfaces.ts";
import type { NetworkRules } from "../../transactions/index.ts";
import { allTables, tables } from "../schema/all-tables.ts";
import { rowBytes, rowIndexBytes } from "../schema/row-size.ts";
import type { Table } from "../schema/table.ts";
import { BatchReader } from "./batch.ts";

/** Blocks that are read, spread over the chain. A shorter chain is read as a whole. */
const MAX_SAMPLE_BLOCKS = 2_000;

export interface TablePlan {
  readonly table: string;
  readonly rows: number;
  readonly bytes: number;
  readonly indexBytes: number;
}

export interface SizePlan {
  readonly height: number;
  /** Number of blocks read. */
  readonly sample: number;
  readonly transactions: number;
  /** The largest first. */
  readonly tables: readonly TablePlan[];
}

interface PlanDependencies {
  readonly reader: ChainReader;
  readonly network: NetworkRules;
  readonly clock: Pick<Clock, "monotonic">;
  progress(done: number, total: number): void;
  isStopped(): boolean;
}

class Sums {
  rows = 0;
  bytes = 0;
  indexBytes = 0;

  add(table: Table, row: Readonly<Record<string, unknown>>): void {
    this.rows++;
    this.bytes += rowBytes(table, row);
    this.indexBytes += rowIndexBytes(table, row);
  }
}

/**
 * Predicts the size of each table from the rows of some blocks, and writes nothing.
 * @returns undefined if it was stopped
 */
export async function planSize(dependencies: PlanDependencies): Promise<SizePlan | undefined> {
  const { reader, progress, isStopped } = dependencies;
  const batches = new BatchReader(dependencies);
  const sums = new Map(allTables.map((table) => [table.name, new Sums()]));
  const height = reader.read((chain) => chain.height());
  const sample = Math.min(MAX_SAMPLE_BLOCKS, height);
  for (let i = 1; i <= sample; i++) {
    if (isStopped()) return undefined;
    await addBlock(batches, reader, Math.floor((i * height) / sample), sums);
    progress(i, sample);
  }
  const planned = allTables.map(({ name }) => {
    const { rows, bytes, indexBytes } = sums.get(name) ?? new Sums();
    const scale = (value: number): number => Math.round((value * height) / Math.max(1, sample));
    return { table: name, rows: scale(rows), bytes: scale(bytes), indexBytes: scale(indexBytes) };
  });
  const accountTables = accountPlans(reader, height);
  return {
    height,
    sample,
    transactions: planned.find(({ table }) => table === tables.transaction.name)?.rows ?? 0,
    tables: [
      ...planned.filter(({ table }) => !accountTables.some((one) => one.table === table)),
      ...accountTables,
    ]
      .filter(({ rows }) => rows > 0)
      .sort((a, b) => b.bytes + b.indexBytes - a.bytes - a.indexBytes),
  };
}

async function addBlock(
  batches: BatchReader,
  reader: ChainReader,
  height: number,
  sums: ReadonlyMap<string, Sums>,
): Promise<void> {
  // Micro blocks of the previous block do not matter: only rows at `height` count.
  const from = reader.read((chain) => ({
    height: height - 1,
    sequence: 0,
    id: chain.blocks.details(height - 1)?.keyBlockId.slice() ?? new Uint8Array(0),
  }));
  const limits = { transactions: Number.MAX_SAFE_INTEGER, bytes: Number.MAX_SAFE_INTEGER, maxHeight: height };
  const batch = await batches.read(from, from, { ...limits, timeMs: Number.MAX_SAFE_INTEGER });
  if (batch === undefined) return;
  for (const table of allTables)
    for (const row of batch.rows.of(table)) if (row.height === height) sums.get(table.name)?.add(table, row);
}

/** Plans the tables with one row per account. */
function accountPlans(reader: ChainReader, height: number): TablePlan[] {
  const account = new Sums();
  const state = new Sums();
  const key = new Sums();
  reader.read((chain) => {
    for (const { address, balance } of chain.accounts.distribution(height)) {
      account.add(tables.account, { id: 0n, address, text: "x".repeat(35) });
      const amounts = { balance, lease_in: 0n, lease_out: 0n, unbonding: 0n };
      state.add(tables.accountState, { account: 0n, height, sequence: 0, ...amounts });
      key.add(tables.accountKey, {
        account: 0n,
        height,
        position: 0,
        key_type: "ed25519",
        public_key: address,
        time: null,
        time_ms: 0n,
      });
    }
  });
  return [
    { table: tables.account.name, ...account },
    { table: tables.accountState.name, ...state },
    { table: tables.accountKey.name, ...key },
  ];
}
