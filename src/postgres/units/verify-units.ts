/** Compares the units of a gateway's store with those in the database. */

import { bytesEqual } from "../../bytes/compare.ts";
import { chainStart } from "../../chain/reading/changes.ts";
import type { ChainCursor, ChainReader, UnitRecord } from "../../interfaces.ts";
import { isSameUnit } from "../../units/same-unit.ts";
import type { SqlConnection } from "../connection/sql-connection.ts";
import { readUnitPage } from "./unit-page.ts";

/** Units that are read from the store at once. */
const LIMITS = { units: 500, bytes: 8 * 2 ** 20 };
const MAX_FAULTS = 100;

export interface UnitFaultFound {
  readonly unit: ChainCursor;
  readonly problem: string;
}

export interface VerifiedUnits {
  /** At most `MAX_FAULTS`. */
  readonly faults: readonly UnitFaultFound[];
  /** Compared units. */
  readonly units: number;
  /** Units whose digest is in the store and in the database. */
  readonly digests: number;
  /** Newest unit that store and database share. */
  readonly common: ChainCursor;
  /** Newest unit of the store. */
  readonly own: ChainCursor;
  /** Newest unit of the database. */
  readonly theirs: ChainCursor;
  /**
   * `complete`: one of store and database has all units of the other; `other branch`: each lacks units of the other;
   * `moved`: units left one of the chains during the comparison.
   */
  readonly outcome: "complete" | "other branch" | "moved" | "stopped";
}

export interface VerifyUnitsOptions {
  readonly reader: ChainReader;
  isStopped(): boolean;
  progress(done: { readonly height: number; readonly total: number; readonly units: number }): void;
}

/** Iterates over the units of the store or the database. */
class UnitCursor {
  #records: readonly UnitRecord[] = [];
  #index = 0;
  #position: ChainCursor = chainStart;
  readonly #readAfter: (position: ChainCursor) => Promise<readonly UnitRecord[] | undefined>;

  /** @param readAfter returns undefined if the position is not on the chain any more */
  constructor(readAfter: (position: ChainCursor) => Promise<readonly UnitRecord[] | undefined>) {
    this.#readAfter = readAfter;
  }

  /** Returns the next unit without advancing; undefined at the end; `moved` if the current unit left the chain. */
  async peek(): Promise<UnitRecord | "moved" | undefined> {
    if (this.#index === this.#records.length) {
      const records = await this.#readAfter(this.#position);
      if (records === undefined) return "moved";
      this.#records = records;
      this.#index = 0;
    }
    return this.#records[this.#index];
  }

  advance(): void {
    this.#position = this.#records[this.#index++];
  }
}

/**
 * Compares all units, oldest first. The gateway and its mirror may run meanwhile.
 * @throws SqlError; UnitSourceError for invalid rows; RangeError if the store has a unit that cannot be read
 */
export async function verifyUnits(
  sql: SqlConnection,
  { reader, isStopped, progress }: VerifyUnitsOptions,
): Promise<VerifiedUnits> {
  const faults: UnitFaultFound[] = [];
  let units = 0;
  let digests = 0;
  let common = chainStart;
  let theirs = chainStart;
  const inStore = new UnitCursor(async (position) => {
    reader.renew();
    return reader.read((chain) => {
      const found = position.height === 0 ? position : chain.units.common(position);
      if (found === undefined || !isSameUnit(found, position)) return undefined;
      return chain.units.after(position, LIMITS).records;
    });
  });
  const inDatabase = new UnitCursor(async (position) => {
    const page = await readUnitPage(sql, position, false);
    theirs = page.tip;
    progress({ height: position.height, total: page.tip.height, units });
    return page.isOnChain ? page.records : undefined;
  });
  const result = (outcome: VerifiedUnits["outcome"]): VerifiedUnits => {
    reader.renew();
    const newest = reader.read((chain) => chain.units.newest());
    return { faults: faults.slice(0, MAX_FAULTS), units, digests, common, own: newest, theirs, outcome };
  };
  for (;;) {
    if (isStopped()) return result("stopped");
    const [own, other] = [await inStore.peek(), await inDatabase.peek()];
    if (own === "moved" || other === "moved") return result("moved");
    if (own === undefined || other === undefined) return result("complete");
    if (isLostPersist(own, other)) {
      inStore.advance();
      continue;
    }
    if (!isSameUnit(own, other)) return result("other branch");
    faults.push(...differences(own, other).map((problem) => ({ unit: toCursor(own), problem })));
    units++;
    if (own.digest !== undefined && other.digest !== undefined) digests++;
    common = toCursor(own);
    inStore.advance();
    inDatabase.advance();
  }
}

/** A node that writes no digests may have lost a persist unit, which the gateway has added again. */
function isLostPersist(own: UnitRecord, theirs: UnitRecord): boolean {
  return own.kind === "persist" && theirs.kind === "block" && theirs.digest === undefined;
}

function differences(own: UnitRecord, theirs: UnitRecord): readonly string[] {
  const found: string[] = [];
  if (own.kind !== theirs.kind)
    found.push(`it is a ${own.kind} unit in the store, but a ${theirs.kind} unit in the database`);
  if (!bytesEqual(own.parent, theirs.parent)) found.push("its parents differ");
  if (!bytesEqual(own.bytes, theirs.bytes)) found.push("its bytes differ");
  if (own.arrivedAt !== theirs.arrivedAt) found.push("its arrival times differ");
  if (own.isParentPersisted !== theirs.isParentPersisted && theirs.digest !== undefined)
    found.push("its persist marks differ");
  if (own.digest !== undefined && theirs.digest !== undefined && !bytesEqual(own.digest, theirs.digest))
    found.push("its digests differ");
  return found;
}

function toCursor({ height, sequence, id }: ChainCursor): ChainCursor {
  return { height, sequence, id };
}
