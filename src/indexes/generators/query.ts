import type { ForgerInfo, GeneratorQueries } from "../../interfaces.ts";
import { tables } from "../../storage/tables.ts";
import { Queries } from "../query-source.ts";

/** Page 07 §13.6. */
export class GeneratorQuery extends Queries implements GeneratorQueries {
  readonly #rows = this.source.rows("generators");

  /** Includes accounts that forged nothing recently. */
  *all(): Generator<ForgerInfo> {
    for (const [address, sums] of this.#rows.range(tables.forged))
      yield { address: address.slice(), ...sums };
  }
}
