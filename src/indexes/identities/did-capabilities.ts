import { bytesKey } from "../../bytes/compare.ts";
import { lowerBound } from "../../collections/binary-search.ts";
import type { Reader } from "../../storage/kv.ts";
import { tables } from "../../storage/tables.ts";
import type { MethodRecord } from "../../storage/values/indexes.ts";
import { runToEnd } from "../chain-index.ts";

const RECORDS_PER_STEP = 1_000;

/** Records in which a giver gives a capability to one holder, or revokes it. */
interface HolderRecords {
  /** Sorted by the time of effect, then in chain order. */
  readonly byTime: MethodRecord[];
  /** The last in chain order. */
  newest: MethodRecord;
}

/** Caches the deactivation capabilities that addresses gave or revoked, while a unit is indexed. */
export class CapabilityCache {
  readonly #reader: Reader;
  readonly #byGiver = new Map<string, Map<string, HolderRecords>>();

  /** @param reader must not contain the records of this unit, which `add` adds */
  constructor(reader: Reader) {
    this.#reader = reader;
  }

  newest(giver: Uint8Array, holder: Uint8Array): MethodRecord | undefined {
    return this.#recordsFrom(giver).get(bytesKey(holder))?.newest;
  }

  /** Returns the latest record up to a time, ms, even if it is a revocation or expired. Page 07 §8.5. */
  inEffect(giver: Uint8Array, holder: Uint8Array, time: bigint): MethodRecord | undefined {
    const records = this.#recordsFrom(giver).get(bytesKey(holder))?.byTime;
    return records?.[indexAfter(records, time) - 1];
  }

  add(giver: Uint8Array, record: MethodRecord): void {
    if (record.capability) addTo(this.#recordsFrom(giver), record);
  }

  /** Reads records in steps, so that later lookups need not read the store. */
  *load(giver: Uint8Array): Generator<void, void> {
    const key = bytesKey(giver);
    if (this.#byGiver.has(key)) return;
    const byHolder = new Map<string, HolderRecords>();
    let from: { address: Uint8Array; height: number; position: number } | undefined;
    for (;;) {
      // No iterator may stay open during a pause.
      const page = [
        ...this.#reader.range(tables.didMethods, { prefix: giver, from, limit: RECORDS_PER_STEP }),
      ];
      for (const [, record] of page) if (record.capability) addTo(byHolder, record);
      const last = page.at(-1);
      if (last === undefined || page.length < RECORDS_PER_STEP) break;
      from = { address: giver, height: last[0].height, position: last[0].position + 1 };
      yield;
    }
    this.#byGiver.set(key, byHolder);
  }

  #recordsFrom(giver: Uint8Array): Map<string, HolderRecords> {
    runToEnd(this.load(giver));
    return this.#byGiver.get(bytesKey(giver)) ?? new Map<string, HolderRecords>();
  }
}

function addTo(byHolder: Map<string, HolderRecords>, record: MethodRecord): void {
  const holder = bytesKey(record.recipient);
  const existing = byHolder.get(holder);
  if (existing === undefined) {
    byHolder.set(holder, { byTime: [record], newest: record });
    return;
  }
  existing.byTime.splice(indexAfter(existing.byTime, record.timestamp), 0, record);
  existing.newest = record;
}

function indexAfter(records: readonly MethodRecord[], time: bigint): number {
  return lowerBound(0, records.length, (at) => records[at].timestamp <= time);
}
