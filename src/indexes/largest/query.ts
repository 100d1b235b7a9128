import type {
  ChainTransaction,
  LargestTransferQueries,
  LargestTransfersQuery,
  TransferPeriod,
  TransferPosition,
} from "../../interfaces.ts";
import { tables } from "../../storage/tables.ts";
import { dayOf } from "../forged-blocks.ts";
import { pageOf } from "../pages.ts";
import { Queries } from "../query-source.ts";
import { MAX_CHAIN_TRANSFERS, MAX_DAY_TRANSFERS, rangeOfList, WHOLE_CHAIN } from "./write.ts";

const DAYS_OF_WEEK = 7;

export class LargestTransferQuery extends Queries implements LargestTransferQueries {
  transfers({ period, after, limit }: LargestTransfersQuery): readonly ChainTransaction[] {
    const found = this.#largest(period).filter((one) => after === undefined || byAmount(after, one) < 0);
    return pageOf(found, { offset: 0, limit }).flatMap((place) => this.source.transactionAt(place) ?? []);
  }

  /** Highest amount first; of equal amounts, the newest first. */
  #largest(period: TransferPeriod): readonly TransferPosition[] {
    if (period === "all") return highest(this.#transfersOf(WHOLE_CHAIN), MAX_CHAIN_TRANSFERS);
    const { ledger } = this.source;
    const today = dayOf(ledger.blockFacts(ledger.height)?.timestamp ?? 0n);
    const days = period === "day" ? 1 : DAYS_OF_WEEK;
    const lists = Array.from({ length: days }, (_, i) => this.#transfersOf(today - i));
    return highest(lists.flat(), MAX_DAY_TRANSFERS);
  }

  #transfersOf(list: number): TransferPosition[] {
    if (list < 0) return [];
    const rows = this.source.rows("largest").range(tables.largestTransfers, rangeOfList(list));
    return Array.from(rows, ([{ height }, transfers]) =>
      transfers.map(({ amount, position }) => ({ amount, height, position })),
    ).flat();
  }
}

/** If the limit separates equal amounts, keeps the oldest, as `TransferList` does. */
function highest(transfers: TransferPosition[], limit: number): TransferPosition[] {
  return transfers.sort(byAmountOldestFirst).slice(0, limit).sort(byAmount);
}

function byAmountOldestFirst(a: TransferPosition, b: TransferPosition): number {
  if (a.amount !== b.amount) return a.amount < b.amount ? 1 : -1;
  return a.height - b.height || a.position - b.position;
}

function byAmount(a: TransferPosition, b: TransferPosition): number {
  if (a.amount !== b.amount) return a.amount < b.amount ? 1 : -1;
  return b.height - a.height || b.position - a.position;
}
