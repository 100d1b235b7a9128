import type { Chain, ChainChange } from "../../chain/chain.ts";
import { storedReorganisations } from "../../chain/reading/reorganisations.ts";
import type { Reorganisations } from "../../control/index.ts";
import type { Clock } from "../../interfaces.ts";

/** Counts reorganisations since the start. The store has the newest ones. */
export class ReorganisationLog {
  /** Start of the node, ms since 1970. */
  readonly since: number;
  readonly #chain: Chain;
  #count = 0;

  constructor(clock: Pick<Clock, "now">, chain: Chain) {
    this.since = clock.now();
    this.#chain = chain;
  }

  follow({ reorganisation }: ChainChange): void {
    if (reorganisation !== undefined) this.#count++;
  }

  get info(): Reorganisations {
    return { since: this.since, count: this.#count, newest: this.#chain.read(storedReorganisations) };
  }
}
