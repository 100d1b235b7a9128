import type { AppliedUnit, CommittedUnit, StoredTransaction } from "../../interfaces.ts";
import type { Reader } from "../../storage/kv.ts";
import { tables } from "../../storage/tables.ts";
import { transactionsOf } from "../../storage/values/chain.ts";
import type { NetworkRules } from "../../transactions/index.ts";
import { storedTransactions } from "../reading/stored-units.ts";

/** A change's units. To save memory, those below the newest height keep only their rows. */
export class CommittedUnits {
  readonly list: CommittedUnit[] = [];
  readonly #reader: Reader;
  readonly #network: NetworkRules;
  #packedCount = 0;

  /** @param reader has the rows of all units */
  constructor(reader: Reader, network: NetworkRules) {
    this.#reader = reader;
    this.#network = network;
  }

  push(unit: AppliedUnit): void {
    for (; this.#packedCount < this.list.length; this.#packedCount++) {
      const last = this.list[this.#packedCount];
      if (last.height === unit.height) break;
      this.list[this.#packedCount] = this.#packed(last);
    }
    this.list.push(parsed(unit));
  }

  pop(): void {
    this.list.pop();
    this.#packedCount = Math.min(this.#packedCount, this.list.length);
  }

  #packed(unit: CommittedUnit): CommittedUnit {
    const { height, sequence, id, timestamp, generator, transactions } = unit;
    if (transactions.length === 0) return unit;
    const [{ position: firstPosition }] = transactions;
    const body = this.#reader.get(tables.bodies, { height, sequence });
    const fees = this.#reader.get(tables.effectiveFees, { height, sequence });
    const recorded = this.#reader.get(tables.recorded, { height, position: firstPosition });
    if (body === undefined || fees === undefined || recorded === undefined)
      throw new RangeError(`Rows of block ${height}, unit ${sequence} are missing`);
    const network = this.#network;
    return {
      height,
      sequence,
      id,
      timestamp,
      generator,
      transactionCount: recorded.length,
      transactionIds: () => Array.from(recorded, (transaction) => transaction.id),
      get transactions() {
        return storedTransactions(transactionsOf(body), fees, recorded, firstPosition, network);
      },
    };
  }
}

function parsed(unit: AppliedUnit): CommittedUnit {
  const { transactions } = unit;
  return { transactionCount: transactions.length, transactionIds: () => transactions.map(idOf), ...unit };
}

function idOf({ id }: StoredTransaction): Uint8Array {
  return id;
}
