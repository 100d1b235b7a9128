import { encodeBase58 } from "../../bytes/base58.ts";
import type { ChainChange } from "../../chain/writing/change.ts";
import type { CommittedUnit, Log } from "../../interfaces.ts";

/** A download of more blocks is logged as one line. */
const MAX_LISTED = 3;

type BlockFacts = Record<string, unknown>;

function factsOf({ height, id, generator, transactionCount }: CommittedUnit, reverted: number): BlockFacts {
  return {
    height,
    id: encodeBase58(id),
    generator: encodeBase58(generator),
    transactions: transactionCount,
    ...(reverted > 0 && { reverted }),
  };
}

/** Logs each block from peers; of a download of more than `MAX_LISTED` blocks, only the end. */
export class BlockLog {
  readonly #log: Log;
  /** Since the node last caught up with its peers. */
  #downloadedCount = 0;
  #listed: BlockFacts[] = [];

  constructor(log: Log) {
    this.#log = log;
  }

  get downloadedCount(): number {
    return this.#downloadedCount;
  }

  follow({ source, committed, reverted }: ChainChange): void {
    if (source !== "pushed" && source !== "downloaded") return;
    const revertedCount = reverted.filter(({ sequence }) => sequence === 0).length;
    for (const unit of committed) {
      if (unit.sequence > 0) continue;
      // The first block replaces the reverted ones.
      const facts = factsOf(unit, unit === committed[0] ? revertedCount : 0);
      if (source === "pushed") this.#logBlock(facts);
      else if (this.#downloadedCount++ < MAX_LISTED) this.#listed.push(facts);
    }
  }

  caughtUp(height: number): void {
    const blocks = this.#downloadedCount;
    if (blocks > MAX_LISTED) this.#log.info(`Caught up at height ${height}`, { blocks });
    else for (const facts of this.#listed) this.#logBlock(facts);
    this.#downloadedCount = 0;
    this.#listed = [];
  }

  #logBlock(facts: BlockFacts): void {
    this.#log.info("Received a block", facts);
  }
}
