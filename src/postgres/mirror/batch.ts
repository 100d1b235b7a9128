import { bytesKey } from "../../bytes/compare.ts";
import { unitContent } from "../../chain/following/unit-content.ts";
import { yieldToEventLoop } from "../../chain/writing/time-slice.ts";
import type { ChainCursor, ChainReader, Clock } from "../../interfaces.ts";
import type { NetworkRules } from "../../transactions/index.ts";
import { isSameUnit } from "../../units/same-unit.ts";
import { tables } from "../schema/all-tables.ts";
import { type ChainPage, type PageBlock, type PageLimits, type PageUnit, readPage } from "./chain-page.ts";
import { TableRows } from "./table-rows.ts";
import { addBlockRow, addUnitRows, type UnitEffects } from "./unit-rows.ts";

/** A snapshot may be open for 50 ms, of which the last block may need half. */
const PAGE_TIME_MS = 25;
/** Time after which other work of this thread runs, such as writing the previous batch, ms. */
const SLICE_MS = 2;
/** Number of addresses whose roles are read from one snapshot. */
const ROLES_PER_SNAPSHOT = 1_000;

/** Changes that the mirror writes in one database transaction. */
export interface Batch {
  /** Position before the batch. */
  readonly from: ChainCursor;
  /** Newest unit to keep; undefined if nothing is undone. */
  readonly undoTo: ChainCursor | undefined;
  readonly rows: TableRows;
  readonly effects: UnitEffects;
  /** Height from which the rows of blocks are written again. */
  readonly firstBlock: number;
  /** Position after the batch. */
  readonly next: ChainCursor;
  readonly persistedHeight: number;
  readonly score: bigint;
  readonly units: number;
  readonly transactions: number;
  /** True if `next` is the node's newest unit. */
  readonly isComplete: boolean;
}

export interface BatchLimits extends Omit<PageLimits, "timeMs"> {
  /** Time after which no further page is read, ms. */
  readonly timeMs: number;
  /** See `TableRows`. Default: false. */
  readonly encodes?: boolean | undefined;
}

interface BatchDependencies {
  readonly reader: ChainReader;
  readonly network: NetworkRules;
  readonly clock: Pick<Clock, "monotonic">;
}

/** Reads batches from short snapshots. Makes the rows of units while no snapshot is open. */
export class BatchReader {
  readonly #dependencies: BatchDependencies;

  constructor(dependencies: BatchDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Reads the units after a position.
   * @param common newest unit that the chain of `from` and the node's chain share
   * @param associated addresses whose roles the undone units may have changed
   * @returns undefined if `common` is not on the node's chain any more
   * @throws RangeError if the store contains a unit that cannot be read
   */
  async read(
    from: ChainCursor,
    common: ChainCursor,
    limits: BatchLimits,
    associated: readonly Uint8Array[] = [],
  ): Promise<Batch | undefined> {
    const { reader, clock } = this.#dependencies;
    const until = clock.monotonic() + limits.timeMs;
    const rows = new TableRows(limits.encodes);
    const effects: UnitEffects = {
      cancelledLeases: [],
      associated: [...associated],
      accountsWithKey: new Set(),
    };
    const blocks = new Map<number, PageBlock>();
    let page: ChainPage | undefined;
    let units = 0;
    let transactions = 0;
    let bytes = 0;
    for (let at = common; ; ) {
      const remaining = {
        ...limits,
        transactions: limits.transactions - transactions,
        bytes: limits.bytes - bytes,
        timeMs: PAGE_TIME_MS,
      };
      reader.renew();
      const found = reader.read((chain) => {
        const current = chain.units.common(at);
        return current !== undefined && isSameUnit(current, at)
          ? readPage(chain, at, remaining, clock)
          : undefined;
      });
      if (found === undefined) break;
      page = found;
      let sliceEnd = clock.monotonic() + SLICE_MS;
      for (const unit of found.units) {
        if (clock.monotonic() >= sliceEnd) {
          await yieldToEventLoop();
          sliceEnd = clock.monotonic() + SLICE_MS;
        }
        this.#addUnit(rows, effects, unit);
        transactions += unit.results.transactions.length;
        bytes += unit.record.bytes.length;
      }
      units += found.units.length;
      for (const block of found.blocks) blocks.set(block.height, block);
      at = found.next;
      const isFull = transactions >= limits.transactions || bytes >= limits.bytes;
      if (found.units.length === 0 || isFull || clock.monotonic() >= until) break;
      await yieldToEventLoop();
    }
    if (page === undefined) return undefined;
    for (const block of blocks.values()) addBlockRow(rows, block);
    await this.#addRoles(rows, effects);
    const { next, persistedHeight, score, tip } = page;
    return {
      from,
      undoTo: isSameUnit(from, common) ? undefined : common,
      rows,
      effects,
      firstBlock: Math.max(common.height, 1),
      next,
      persistedHeight,
      score,
      units,
      transactions,
      isComplete: isSameUnit(next, tip),
    };
  }

  #addUnit(rows: TableRows, effects: UnitEffects, unit: PageUnit): void {
    const content = unitContent(unit.record, this.#dependencies.network, true);
    const { height, sequence } = unit.record;
    if (!content.ok) throw new RangeError(`Unit ${height}.${sequence} of the store: ${content.error}`);
    const { value } = content;
    if (value.kind === "persist") addUnitRows(rows, effects, unit, []);
    else
      addUnitRows(
        rows,
        effects,
        unit,
        value.kind === "block" ? value.block.transactions : value.micro.transactions,
      );
  }

  /** Adds the roles at the node's newest block, even while the mirror is behind. */
  async #addRoles(rows: TableRows, { associated }: UnitEffects): Promise<void> {
    const { reader } = this.#dependencies;
    const unique = new Map(associated.map((address) => [bytesKey(address), address]));
    associated.splice(0, associated.length, ...unique.values());
    for (let at = 0; at < associated.length; at += ROLES_PER_SNAPSHOT) {
      const accounts = associated.slice(at, at + ROLES_PER_SNAPSHOT);
      reader.read((chain) => {
        for (const account of accounts)
          for (const { role, sender, type } of chain.trust.grantsOf(account))
            rows.add(tables.role, { account, role, sender: sender.slice(), type });
      });
      await yieldToEventLoop();
    }
  }
}
