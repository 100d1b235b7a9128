import { feeShares } from "../../consensus/rewards.ts";
import { addressOf } from "../../crypto/addresses.ts";
import type { ReaderContext } from "../../indexes/query-source.ts";
import type { BlockInfo, ChainTransaction, HeaderInfo } from "../../interfaces.ts";
import { eraAt, type LedgerRules } from "../../ledger/era.ts";
import type { LedgerView } from "../../ledger/state.ts";
import type { Reader } from "../../storage/kv.ts";
import type { Place, UnitKey } from "../../storage/places.ts";
import { tables } from "../../storage/tables.ts";
import { type Body, type HeaderRow, transactionOf } from "../../storage/values/chain.ts";
import type { RecordedTransaction, RecordedTransactions } from "../../storage/values/ledger.ts";
import {
  cacheTransactionId,
  type NetworkRules,
  reparseTransaction,
  type Transaction,
} from "../../transactions/index.ts";
import { unitPlaceIn, unitPlaceOf } from "../reading/micro-blocks.ts";
import { headerAt, LENGTH_FIELD_BYTES } from "../reading/rows.ts";
import { unitsOfBlock } from "../reading/stored-units.ts";

export function isHeight(height: number): boolean {
  return height >= 1 && height <= 0xffff_ffff;
}

interface UnitRows extends UnitKey {
  readonly firstPosition: number;
  readonly fees: BigInt64Array;
  /** Read when they are needed. */
  recorded?: RecordedTransactions | undefined;
  /** Read at the unit's second transaction. */
  body?: Body | undefined;
  hasReadOne: boolean;
}

const NO_FEES = new BigInt64Array(0);

/** Methods return undefined for unknown heights. */
export class StoredBlockReader {
  readonly #reader: Reader;
  readonly #ledger: LedgerView;
  readonly #network: NetworkRules;
  readonly #rules: LedgerRules;
  #lastUnit: UnitRows | undefined;

  constructor(reader: Reader, ledger: LedgerView, { profile, rules }: ReaderContext) {
    this.#reader = reader;
    this.#ledger = ledger;
    this.#network = profile;
    this.#rules = rules;
  }

  /** @param sequence last micro block to include; default: all */
  header(height: number, sequence?: number | undefined): HeaderInfo | undefined {
    const row = this.#rowUpTo(height, sequence);
    return row && this.info(height, row);
  }

  info(height: number, row: HeaderRow): HeaderInfo {
    return {
      height,
      id: row.signature,
      version: row.version,
      timestamp: row.timestamp,
      reference: row.reference,
      baseTarget: row.baseTarget,
      generationSignature: row.generationSignature,
      features: row.features,
      feeVote: row.feeVote,
      generatorKey: row.generator,
      generator: addressOf(row.generator, this.#network.chainId),
      size: row.size,
      transactionCount: row.transactionCount,
    };
  }

  #rowUpTo(height: number, sequence: number | undefined): HeaderRow | undefined {
    const row = isHeight(height) ? headerAt(this.#reader, height, sequence) : undefined;
    if (row === undefined || sequence === undefined) return row;
    let { size, transactionCount } = row;
    for (const unit of unitsOfBlock(this.#reader, this.#network, height)) {
      if (unit.sequence <= sequence) continue;
      transactionCount -= unit.transactionCount;
      for (const bytes of unit.transactionBytes) size -= LENGTH_FIELD_BYTES + bytes.length;
    }
    return { ...row, size, transactionCount };
  }

  block(height: number, sequence?: number | undefined): BlockInfo | undefined {
    const row = this.#rowUpTo(height, sequence);
    const totals = this.#ledger.blockTotals(height);
    if (row === undefined || totals === undefined) return undefined;
    const all = this.#transactionsOf(height);
    const transactions = sequence === undefined ? all : all.slice(0, row.transactionCount);
    let { fees: fee, burnedFees, generatorReward } = totals;
    if (transactions.length < all.length) {
      const era = eraAt(this.#ledger, this.#rules, height);
      for (const { effectiveFee } of all.slice(transactions.length)) {
        const { opener, burned } = feeShares(effectiveFee, era);
        fee -= effectiveFee;
        burnedFees -= burned;
        generatorReward -= opener;
      }
    }
    const { miningReward } = totals;
    return { ...this.info(height, row), transactions, fee, burnedFees, miningReward, generatorReward };
  }

  #transactionsOf(height: number): ChainTransaction[] {
    const transactions: ChainTransaction[] = [];
    for (const unit of unitsOfBlock(this.#reader, this.#network, height))
      for (const { transaction, position, effectiveFee, effectiveSponsor } of unit.transactions)
        transactions.push({ transaction, height, position, effectiveFee, effectiveSponsor });
    return transactions;
  }

  /**
   * @param known the record at the place, if the caller has read it
   * @param within the place's unit, if the caller knows it
   */
  transaction(place: Place, known?: RecordedTransaction, within?: UnitKey): ChainTransaction | undefined {
    const unit = this.#unitAt(place, within);
    const index = place.position - unit.firstPosition;
    const recorded = known ?? this.#recordedOf(unit)?.at(index);
    const fee = unit.fees[index];
    const transaction = this.#parse(unit, index);
    if (recorded === undefined || transaction === undefined || fee === undefined) return undefined;
    cacheTransactionId(transaction, recorded.id);
    const { height, position } = place;
    return { transaction, height, position, effectiveFee: fee, effectiveSponsor: recorded.effectiveSponsor };
  }

  #recordedOf(unit: UnitRows): RecordedTransactions | undefined {
    const { height, firstPosition } = unit;
    unit.recorded ??= this.#reader.get(tables.recorded, { height, position: firstPosition });
    return unit.recorded;
  }

  #parse(unit: UnitRows, index: number): Transaction | undefined {
    const parse = (body: Body): Transaction | undefined => {
      const bytes = transactionOf(body, index);
      return bytes && reparseTransaction(bytes, this.#network);
    };
    if (unit.hasReadOne) unit.body ??= this.#reader.get(tables.bodies, unit);
    unit.hasReadOne = true;
    // `reparseTransaction` copies the bytes.
    return unit.body === undefined ? this.#reader.peek(tables.bodies, unit, parse) : parse(unit.body);
  }

  #unitAt(place: Place, within: UnitKey | undefined): UnitRows {
    const last = this.#lastUnit;
    const { height } = place;
    if (
      last?.height === height &&
      place.position >= last.firstPosition &&
      place.position < last.firstPosition + last.fees.length
    )
      return last;
    const { sequence, index } =
      within === undefined
        ? unitPlaceOf(this.#reader, place)
        : unitPlaceIn(this.#reader, within, place.position);
    const fees = this.#reader.get(tables.effectiveFees, { height, sequence }) ?? NO_FEES;
    const unit = { height, sequence, firstPosition: place.position - index, fees, hasReadOne: false };
    this.#lastUnit = unit;
    return unit;
  }
}
