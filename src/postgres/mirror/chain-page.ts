import type {
  BlockDetails,
  ChainCursor,
  ChainSnapshot,
  Clock,
  HeaderInfo,
  UnitAccount,
  UnitRecord,
  UnitResults,
} from "../../interfaces.ts";

export interface PageUnit {
  readonly record: UnitRecord;
  readonly accounts: readonly UnitAccount[];
  readonly results: UnitResults;
}

export type PageBlock = HeaderInfo & BlockDetails;

/** Units after a position, up to the newest unit of a height. */
export interface ChainPage {
  /** Position before the page. */
  readonly from: ChainCursor;
  /** Oldest first. */
  readonly units: readonly PageUnit[];
  /** Blocks from the height of `from` to that of `next`. */
  readonly blocks: readonly PageBlock[];
  /** Position after the page. */
  readonly next: ChainCursor;
  /** Persisted height and score at `next`. */
  readonly persistedHeight: number;
  readonly score: bigint;
  /** Newest unit of the node's chain. */
  readonly tip: ChainCursor;
}

export interface PageLimits {
  /** The page ends with the block that reaches one of these. */
  readonly transactions: number;
  readonly bytes: number;
  /** Maximum height; unlimited by default. */
  readonly maxHeight?: number | undefined;
  /** Time after which no further block is read, ms. */
  readonly timeMs: number;
}

/** Limits of one range scan. */
const CHUNK = { units: 64, bytes: 512 * 1024 };

/** Reads the units after a position on the node's chain. */
export function readPage(
  chain: ChainSnapshot,
  from: ChainCursor,
  limits: PageLimits,
  clock: Pick<Clock, "monotonic">,
): ChainPage {
  const units = readUnits(chain, from, limits, clock);
  const { height, sequence, id } = units.at(-1)?.record ?? from;
  const blocks: PageBlock[] = [];
  for (let at = Math.max(from.height, 1); at <= height; at++) {
    const header = chain.blocks.header(at);
    const details = chain.blocks.details(at);
    if (header === undefined || details === undefined) throw new RangeError(`Block ${at} is incomplete`);
    blocks.push({ ...detached(header), ...details, keyBlockId: details.keyBlockId.slice() });
  }
  return {
    from,
    units,
    blocks,
    next: { height, sequence, id },
    persistedHeight: Math.min(chain.persistedHeight(), height),
    score: blocks.at(-1)?.score ?? 0n,
    tip: chain.units.newest(),
  };
}

/** Copies bytes that belong to the snapshot. */
function detached(header: HeaderInfo): HeaderInfo {
  return {
    ...header,
    id: header.id.slice(),
    reference: header.reference.slice(),
    generationSignature: header.generationSignature.slice(),
    generatorKey: header.generatorKey.slice(),
    generator: header.generator.slice(),
  };
}

function readUnits(
  chain: ChainSnapshot,
  from: ChainCursor,
  {
    transactions: maxTransactions,
    bytes: maxBytes,
    timeMs,
    maxHeight = Number.POSITIVE_INFINITY,
  }: PageLimits,
  clock: Pick<Clock, "monotonic">,
): PageUnit[] {
  const until = clock.monotonic() + timeMs;
  const units: PageUnit[] = [];
  let transactions = 0;
  let bytes = 0;
  for (const record of recordsAfter(chain, from)) {
    const isNewHeight = record.height !== (units.at(-1)?.record.height ?? from.height);
    const isFull = transactions >= maxTransactions || bytes >= maxBytes || clock.monotonic() >= until;
    if (isNewHeight && (record.height > maxHeight || (isFull && units.length > 0))) break;
    const results = chain.units.results(record);
    units.push({ record, accounts: chain.units.accounts(record), results });
    transactions += results.transactions.length;
    bytes += record.bytes.length;
  }
  return units;
}

function* recordsAfter(chain: ChainSnapshot, from: ChainCursor): Generator<UnitRecord> {
  for (let at = from; ; ) {
    const { records, isComplete } = chain.units.after(at, CHUNK);
    yield* records;
    const last = records.at(-1);
    if (isComplete || last === undefined) return;
    at = last;
  }
}
