import type {
  ChainTransaction,
  LargestTransferQueries,
  LargestTransfersQuery,
  TransferPeriod,
  TransferPosition,
} from "../../interfaces.ts";
import { tables } from "../../storage/tables.ts";
import type { TransferKey } from "../../storage/values/rankings.ts";
import { dayOf } from "../forged-blocks.ts";
import { pageOf } from "../pages.ts";
import { Queries } from "../query-source.ts";
import { MAX_CHAIN_TRANSFERS, MAX_DAY_TRANSFERS, rangeOfList, WHOLE_CHAIN } from "./write.ts";

const DAYS_OF_WEEK = 7;

export class LargestTransferQuery extends Queries implements LargestTransferQueries {
  transfers({ period, after, limit }: LargestTransfersQuery): readonly ChainTransaction[] {
    const keys = this.#keys(period).filter((key) => after === undefined || byAmount(after, key) < 0);
    return pageOf(keys, { offset: 0, limit }).flatMap((place) => this.source.transactionAt(place) ?? []);
  }

  /** Highest amount first; of equal amounts, the newest first. */
  #keys(period: TransferPeriod): readonly TransferKey[] {
    if (period === "all") return this.#keysOfList(WHOLE_CHAIN, MAX_CHAIN_TRANSFERS);
    const { ledger } = this.source;
    const today = dayOf(ledger.blockFacts(ledger.height)?.timestamp ?? 0n);
    const days = period === "day" ? 1 : DAYS_OF_WEEK;
    const lists = Array.from({ length: days }, (_, i) => this.#keysOfList(today - i, MAX_DAY_TRANSFERS));
    return lists.flat().sort(byAmount).slice(0, MAX_DAY_TRANSFERS);
  }

  #keysOfList(list: number, limit: number): TransferKey[] {
    if (list < 0) return [];
    const range = { ...rangeOfList(list), reverse: true, limit };
    return Array.from(this.source.rows("largest").range(tables.largestTransfers, range), ([key]) => key);
  }
}

function byAmount(a: TransferPosition, b: TransferPosition): number {
  if (a.amount !== b.amount) return a.amount < b.amount ? 1 : -1;
  return b.height - a.height || b.position - a.position;
}
