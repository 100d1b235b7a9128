import type { Clock } from "../interfaces.ts";
import {
  type CounterSeries,
  counter,
  gauge,
  type HistogramSeries,
  histogram,
  type Metrics,
  recordOf,
} from "../runtime/metrics.ts";
import type { Chain } from "./chain.ts";
import { uncheckedBlocks } from "./reading/unchecked.ts";
import { type ChainChange, type ChangeSource, changeSources } from "./writing/change.ts";

const MS_PER_SECOND = 1_000;
const source = changeSources;

export const chainMetrics = {
  height: gauge("holdfast_chain_height", "Height of the newest block."),
  tipAge: gauge("holdfast_chain_tip_age_seconds", "Time since the timestamp of the newest key block."),
  unchecked: gauge(
    "holdfast_chain_unchecked_blocks",
    "Blocks whose signatures were not checked, because of `--assume-valid`.",
  ),
  blocks: counter(
    "holdfast_chain_blocks_total",
    "Key blocks that the chain accepted, by source. `pushed`: sent by a peer without a request; `restored`: put back after a failed switch to another branch.",
    { source },
  ),
  microBlocks: counter(
    "holdfast_chain_micro_blocks_total",
    "Micro blocks that the chain accepted, by source.",
    {
      source,
    },
  ),
  transactions: counter(
    "holdfast_chain_transactions_total",
    "Transactions in the key blocks and micro blocks that the chain accepted, by source.",
    { source },
  ),
  reorganisations: histogram(
    "holdfast_chain_reorganisation_depth_blocks",
    "Number of key blocks that a switch to another branch or a rollback removed from the chain. Changes that removed only micro blocks are not counted.",
    [1, 2, 3, 5, 10, 30, 100, 1_000],
    {},
  ),
} as const;

export function observeChain(metrics: Metrics, chain: Chain, clock: Pick<Clock, "now">): void {
  metrics.observe(chainMetrics.height, () => chain.tip.height);
  metrics.observe(
    chainMetrics.tipAge,
    () => (clock.now() - Number(chain.tip.keyBlock.timestamp)) / MS_PER_SECOND,
  );
  metrics.observe(chainMetrics.unchecked, () => {
    const unchecked = chain.read(uncheckedBlocks);
    return unchecked === undefined ? 0 : unchecked.to - unchecked.from + 1;
  });
}

interface SourceSeries {
  readonly blocks: CounterSeries;
  readonly microBlocks: CounterSeries;
  readonly transactions: CounterSeries;
}

/** Counts accepted units, and measures reorganisations. */
export class ChangeCounter {
  readonly #bySource: Readonly<Record<ChangeSource, SourceSeries>>;
  readonly #depths: HistogramSeries;

  constructor(metrics: Metrics) {
    const { blocks, microBlocks, transactions, reorganisations } = chainMetrics;
    this.#bySource = recordOf(changeSources, (source) => ({
      blocks: metrics.counter(blocks, { source }),
      microBlocks: metrics.counter(microBlocks, { source }),
      transactions: metrics.counter(transactions, { source }),
    }));
    this.#depths = metrics.histogram(reorganisations, {});
  }

  follow(change: ChainChange): void {
    const series = this.#bySource[change.source];
    for (const { sequence, transactionCount } of change.committed) {
      (sequence === 0 ? series.blocks : series.microBlocks).add();
      series.transactions.add(transactionCount);
    }
    if (change.reorganisation !== undefined) this.#depths.record(change.reorganisation.revertedCount);
  }
}
