import { allIndexes, type IndexSettings, indexTables } from "../../indexes/all.ts";
import { dev } from "../../profiles/index.ts";
import { trustOfSpenders } from "../../testing/random-transactions.ts";
import type { SeededRandom } from "../../testing/seeded-random.ts";
import { silentLog } from "../../testing/silent-log.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { IndexBuilder } from "../jobs/build-indexes.ts";
import { expectSame, RandomChain, withSmallSizes } from "./random-chain.ts";

const trust = trustOfSpenders(dev.chainId);
/** Their rows come and go while indexes are built and cleared. */
const switched = new Set<string>(Object.values(indexTables).flat());

/** Time passes between any two readings, so that commits end anywhere. */
class HastyClock extends VirtualClock {
  #passed = 0;

  constructor(private readonly random: SeededRandom) {
    super(0);
  }

  override monotonic(): number {
    this.#passed += this.random.below(20);
    return this.#passed;
  }
}

/** A chain whose indexes are switched, built and cleared while it grows, forks, shrinks and reopens. */
export class SwitchingChain extends RandomChain {
  private builder: IndexBuilder | undefined;

  /** Restarts with the same settings or others, whatever the indexes are doing. */
  again(): void {
    const { random } = this;
    if (random.chance(70)) this.indexes = withSmallSizes(allIndexes(this.settings()));
    this.restart();
    this.builder = undefined;
    this.attempt(() => this.work().begin());
  }

  /** One commit of the index builder. @returns true if work is left */
  build(): boolean {
    return this.attempt(() => this.work().step());
  }

  private work(): IndexBuilder {
    const { chain, random, profile } = this;
    this.builder ??= new IndexBuilder({
      chain,
      network: profile,
      clock: new HastyClock(random),
      log: silentLog,
    });
    return this.builder;
  }

  private settings(): IndexSettings {
    const { random } = this;
    const modes = ["none", "trust", "all", "all"] as const;
    return {
      trust: random.chance(70) ? trust : { ...trust, root: undefined },
      anchors: random.pick(modes),
      associations: random.pick(modes),
      identities: random.chance(70),
      transactions: random.chance(70),
    };
  }

  protected override expectShrunk(
    actual: ReadonlyMap<string, string>,
    expected: ReadonlyMap<string, string>,
  ): void {
    expectSame(unswitched(actual), unswitched(expected));
  }
}

/** Rows by table and key, without those of indexes that can be switched. */
function unswitched(rows: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...rows].filter(([name]) => !switched.has(name.split(" ", 1)[0])));
}
