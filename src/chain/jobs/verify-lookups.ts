import { encodeBase58 } from "../../bytes/base58.ts";
import { reasonOf } from "../../bytes/errors.ts";
import type { Reader } from "../../storage/kv.ts";
import { recordedAt } from "../../storage/ledger/recorded-transactions.ts";
import { entriesOf } from "../../storage/lsm/sorted-run.ts";
import { lsmTrees, tables } from "../../storage/tables.ts";
import type { Fault, FaultOrPause } from "./verify-differences.ts";

export const ENTRIES_PER_SLICE = 20_000;
const BLOCKS_PER_SLICE = 500;

/** Bounds the memory: 9 bytes for each transaction. */
const TRANSACTIONS_PER_PASS = 4_000_000;

interface ChainSegment {
  /** Heights [from, to). */
  readonly from: number;
  readonly to: number;
  /** For each block, the number of transactions before it in the segment. */
  readonly first: readonly number[];
  /** The first 8 bytes of each transaction's id. */
  readonly tags: BigUint64Array;
}

/**
 * Yields a fault for each transaction that the lookup by id misses.
 * @param expected the correct store
 */
export function* transactionLookupFaults(
  stored: Reader,
  expected: Reader,
  perPass: number = TRANSACTIONS_PER_PASS,
): Generator<FaultOrPause, number> {
  let from = 1;
  let total = 0;
  let entriesRead = 0;
  for (let segment = yield* readSegment(expected, from, perPass); segment !== undefined; ) {
    const { tags, first, to } = segment;
    const found = new Uint8Array(tags.length);
    try {
      for (const { tag, height, position } of entriesOf(stored, lsmTrees.transactionIds.id)) {
        if (++entriesRead % ENTRIES_PER_SLICE === 0) yield undefined;
        if (height < from || height >= to) continue;
        const number = (first[height - from] as number) + position;
        if (tags[number] === tag) found[number] = 1;
      }
    } catch (error) {
      yield unreadableFault("transactionIds", error);
      return total;
    }
    for (let at = found.indexOf(0); at >= 0; at = found.indexOf(0, at + 1)) {
      const { height, position, id } = placeOf(expected, segment, at);
      const key = `transaction ${encodeBase58(id)}, height=${height} position=${position}`;
      yield { table: "transactionIds", key, problem: "is missing: not found by its id" };
    }
    total += tags.length;
    from = to;
    segment = yield* readSegment(expected, from, perPass);
  }
  return total;
}

function* readSegment(
  reader: Reader,
  from: number,
  perPass: number,
): Generator<undefined, ChainSegment | undefined> {
  let tags: BigUint64Array = new BigUint64Array(1_024);
  let count = 0;
  const first: number[] = [];
  for (const [place, recorded] of reader.range(tables.recorded, { from: { height: from, position: 0 } })) {
    const block = place.height - from;
    if (block >= first.length && count >= perPass) break;
    while (first.length <= block) if (first.push(count) % BLOCKS_PER_SLICE === 0) yield undefined;
    tags = growTags(tags, count + recorded.length);
    for (const { id } of recorded) tags[count++] = tagOf(id);
  }
  if (count === 0) return undefined;
  return { from, to: from + first.length, first, tags: tags.subarray(0, count) };
}

export function unreadableFault(table: string, error: unknown): Fault {
  const reason = reasonOf(error);
  return { table, key: "lookup", problem: `cannot be read: ${reason}` };
}

export function growTags(tags: BigUint64Array, length: number): BigUint64Array {
  if (length <= tags.length) return tags;
  const grown = new BigUint64Array(2 * length);
  grown.set(tags);
  return grown;
}

export function tagOf(id: Uint8Array): bigint {
  return new DataView(id.buffer, id.byteOffset, id.byteLength).getBigUint64(0);
}

function placeOf(
  reader: Reader,
  { from, first }: ChainSegment,
  number: number,
): { readonly height: number; readonly position: number; readonly id: Uint8Array } {
  const block = first.findLastIndex((start) => start <= number);
  const height = from + block;
  const position = number - (first[block] as number);
  const recorded = recordedAt(reader, { height, position });
  if (recorded !== undefined) return { height, position, id: recorded.id };
  throw new RangeError(`No transaction is recorded at height ${height}, position ${position}`);
}
