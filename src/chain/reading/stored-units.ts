import { bytesEqual } from "../../bytes/compare.ts";
import { addressOf } from "../../crypto/addresses.ts";
import type { StoredUnit } from "../../indexes/chain-index.ts";
import type { StoredTransaction } from "../../interfaces.ts";
import type { Reader } from "../../storage/kv.ts";
import type { UnitKey } from "../../storage/places.ts";
import { tables } from "../../storage/tables.ts";
import type { HeaderRow, MicroBlockRow } from "../../storage/values/chain.ts";
import type { RecordedTransactions } from "../../storage/values/ledger.ts";
import { cacheTransactionId, type NetworkRules, reparseTransaction } from "../../transactions/index.ts";
import { unitBody } from "./bodies.ts";
import { microBlockRow, microBlockRows } from "./micro-blocks.ts";

/** The reader must stay open while its units are used. */
interface Source {
  readonly reader: Reader;
  readonly network: NetworkRules;
}

interface SharedBlock {
  readonly height: number;
  readonly header: HeaderRow;
  readonly generator: Uint8Array;
  readonly keyBlockTransactions: number;
}

/** A unit on the chain; transactions are read on demand. */
export class ChainUnit implements StoredUnit {
  readonly #source: Source;
  readonly #block: SharedBlock;
  #bytes: readonly Uint8Array[] | undefined;
  #transactions: readonly StoredTransaction[] | undefined;
  readonly sequence: number;
  readonly micro: MicroBlockRow | undefined;

  constructor(source: Source, block: SharedBlock, sequence: number, micro: MicroBlockRow | undefined) {
    this.#source = source;
    this.#block = block;
    this.sequence = sequence;
    this.micro = micro;
  }

  get height(): number {
    return this.#block.height;
  }

  /** Id of the key block alone, or of the block up to this micro block. */
  get id(): Uint8Array {
    return this.micro === undefined ? this.#block.header.baseSignature : this.micro.totalSignature;
  }

  /** Id of the parent, or of the block before this micro block. */
  get reference(): Uint8Array {
    return this.micro === undefined ? this.#block.header.reference : this.micro.reference;
  }

  get timestamp(): bigint {
    return this.#block.header.timestamp;
  }

  get generator(): Uint8Array {
    return this.#block.generator;
  }

  get firstPosition(): number {
    return this.micro?.firstPosition ?? 0;
  }

  get transactionCount(): number {
    return this.micro?.transactionCount ?? this.#block.keyBlockTransactions;
  }

  get transactionBytes(): readonly Uint8Array[] {
    this.#bytes ??= this.transactionCount === 0 ? [] : unitBody(this.#source.reader, this);
    return this.#bytes;
  }

  get transactions(): readonly StoredTransaction[] {
    this.#transactions ??= this.#parse();
    return this.#transactions;
  }

  #parse(): readonly StoredTransaction[] {
    if (this.transactionCount === 0) return [];
    const { reader, network } = this.#source;
    const { height, sequence, firstPosition } = this;
    const fees = reader.get(tables.effectiveFees, { height, sequence });
    const recorded = reader.get(tables.recorded, { height, position: firstPosition });
    if (fees === undefined || recorded === undefined)
      throw new RangeError(`Records of block ${height}, unit ${sequence} are missing`);
    return storedTransactions(this.transactionBytes, fees, recorded, firstPosition, network);
  }
}

export function storedTransactions(
  bytes: readonly Uint8Array[],
  fees: BigInt64Array,
  recorded: RecordedTransactions,
  firstPosition: number,
  network: NetworkRules,
): StoredTransaction[] {
  const transactions: StoredTransaction[] = [];
  for (const { id, effectiveSponsor } of recorded) {
    const index = transactions.length;
    const transaction = reparseTransaction(bytes[index], network);
    cacheTransactionId(transaction, id);
    transactions.push({
      transaction,
      id,
      position: firstPosition + index,
      effectiveFee: fees[index],
      effectiveSponsor,
    });
  }
  return transactions;
}

/**
 * Yields units, oldest first. Meanwhile, the reader must stay open, and its chain must not change.
 * @param from may be the unit after the tip
 * @param below height to stop before; default: the end
 */
export function* unitsFrom(
  reader: Reader,
  network: NetworkRules,
  from: UnitKey,
  below: number = Number.POSITIVE_INFINITY,
): Generator<ChainUnit> {
  const source = { reader, network };
  const to = Number.isFinite(below) ? below : undefined;
  const bounds = to === undefined ? { from: from.height } : { from: from.height, to };
  for (const [height, header] of reader.range(tables.headers, bounds)) {
    const block = sharedBlock(source, height, header);
    const first = height === from.height ? from.sequence : 0;
    if (first === 0) yield new ChainUnit(source, block, 0, undefined);
    if (hasMicroBlocks(header))
      for (const [sequence, row] of microBlockRows(reader, height, Math.max(first, 1)))
        yield new ChainUnit(source, block, sequence, row);
  }
}

export function unitsOfBlock(reader: Reader, network: NetworkRules, height: number): Generator<ChainUnit> {
  return unitsFrom(reader, network, { height, sequence: 0 }, height + 1);
}

export function unitAt(reader: Reader, network: NetworkRules, unit: UnitKey): ChainUnit | undefined {
  const { height, sequence } = unit;
  const header = reader.get(tables.headers, height);
  const micro = microBlockRow(reader, unit);
  if (header === undefined || (sequence > 0 && micro === undefined)) return undefined;
  const source = { reader, network };
  return new ChainUnit(source, sharedBlock(source, height, header), sequence, micro);
}

function hasMicroBlocks(header: HeaderRow): boolean {
  return header.signature !== header.baseSignature && !bytesEqual(header.signature, header.baseSignature);
}

function sharedBlock({ reader, network }: Source, height: number, header: HeaderRow): SharedBlock {
  const first = hasMicroBlocks(header) ? microBlockRow(reader, { height, sequence: 1 }) : undefined;
  return {
    height,
    header,
    generator: addressOf(header.generator, network.chainId),
    keyBlockTransactions: first?.firstPosition ?? header.transactionCount,
  };
}
