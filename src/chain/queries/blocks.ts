import { bytesEqual } from "../../bytes/compare.ts";
import { lowerBound } from "../../collections/binary-search.ts";
import { ADDRESS_LENGTH } from "../../crypto/addresses.ts";
import { pageOf } from "../../indexes/pages.ts";
import { Queries } from "../../indexes/query-source.ts";
import type {
  BlockDetails,
  BlockInfo,
  BlockQueries,
  BlockRow,
  BlockRowsQuery,
  HeaderInfo,
  ListPage,
  RevertedBlockInfo,
  UncheckedBlocks,
} from "../../interfaces.ts";
import type { UnitKey } from "../../storage/places.ts";
import { tables } from "../../storage/tables.ts";
import { isOnChain } from "../reading/changes.ts";
import { newestIds } from "../reading/history.ts";
import { microBlockRows } from "../reading/micro-blocks.ts";
import { storedBlockBytes } from "../reading/rows.ts";
import { uncheckedBlocks } from "../reading/unchecked.ts";
import type { SnapshotSource } from "./source.ts";
import { isHeight } from "./stored-blocks.ts";

export class StoredBlockQueries extends Queries<SnapshotSource> implements BlockQueries {
  #lastId: { readonly height: number; readonly id: Uint8Array | undefined } | undefined;

  score(): bigint {
    const { reader, ledger } = this.source;
    return reader.get(tables.score, ledger.height) ?? 0n;
  }

  header(height: number): HeaderInfo | undefined {
    return this.source.blocks.header(height);
  }

  headerById(id: Uint8Array): HeaderInfo | undefined {
    const unit = this.#unitOf(id);
    return unit && this.source.blocks.header(unit.height, this.#sequenceOf(unit));
  }

  at(height: number): BlockInfo | undefined {
    return this.source.blocks.block(height);
  }

  details(height: number): BlockDetails | undefined {
    const { reader, ledger } = this.source;
    const header = isHeight(height) ? reader.get(tables.headers, height) : undefined;
    const totals = ledger.blockTotals(height);
    if (header === undefined || totals === undefined) return undefined;
    const keyBlockId = header.baseSignature;
    const { fees, burnedFees, miningReward, generatorReward } = totals;
    const score = reader.get(tables.score, height) ?? 0n;
    return { keyBlockId, fees, burnedFees, miningReward, generatorReward, score };
  }

  byId(id: Uint8Array): BlockInfo | undefined {
    const unit = this.#unitOf(id);
    return unit && this.source.blocks.block(unit.height, this.#sequenceOf(unit));
  }

  idAt(height: number): Uint8Array | undefined {
    if (this.#lastId?.height === height) return this.#lastId.id;
    const id = isHeight(height) ? this.source.reader.get(tables.headers, height)?.signature : undefined;
    this.#lastId = { height, id };
    return id;
  }

  heightOf(id: Uint8Array): number | undefined {
    return this.#unitOf(id)?.height;
  }

  bytesAt(height: number): Uint8Array | undefined {
    return isHeight(height) ? storedBlockBytes(this.source.reader, height) : undefined;
  }

  reverted(id: Uint8Array): RevertedBlockInfo | undefined {
    const { reader, blocks } = this.source;
    const unit = reader.get(tables.revertedUnits, id);
    if (unit === undefined) return undefined;
    const { height, sequence, header } = unit;
    const current = reader.get(tables.headers, height);
    const isOnChainAgain = isOnChain(reader, { height, sequence, id });
    return {
      header: blocks.info(height, { ...header, signature: id }),
      isMicroBlock: sequence > 0,
      isOnChain: isOnChainAgain,
      replacedBy: isOnChainAgain || current === undefined ? undefined : blocks.info(height, current),
      keepsKeyBlock: current !== undefined && bytesEqual(current.baseSignature, header.baseSignature),
    };
  }

  heightsGeneratedBy(
    generator: Uint8Array,
    from: number,
    to: number,
    page?: ListPage<number>,
  ): readonly number[] {
    const first = Math.max(from, 1, (page?.after ?? 0) + 1);
    if (generator.length !== ADDRESS_LENGTH || to < first) return [];
    const range = { from: { address: generator, height: first }, to: { address: generator, height: to + 1 } };
    const found = this.source.reader.range(tables.generatedBlocks, range);
    return pageOf(found, page).map(([{ height }]) => height);
  }

  rows({ from, to, generator, after, limit }: BlockRowsQuery): readonly BlockRow[] {
    const first = Math.max(from, 1);
    const last = Math.min(to, (after ?? Number.POSITIVE_INFINITY) - 1, this.source.ledger.height);
    const heights =
      generator === undefined ? descending(first, last) : this.#heightsDescending(generator, first, last);
    return pageOf(this.#rowsOf(heights), { offset: 0, limit });
  }

  heightAt(time: number): number {
    const { ledger } = this.source;
    return lowerBound(1, ledger.height + 1, (at) => (ledger.blockFacts(at)?.timestamp ?? 0n) <= time) - 1;
  }

  *#heightsDescending(generator: Uint8Array, from: number, to: number): Generator<number> {
    if (generator.length !== ADDRESS_LENGTH || to < from) return;
    const range = {
      from: { address: generator, height: from },
      to: { address: generator, height: to + 1 },
      reverse: true,
    };
    for (const [{ height }] of this.source.reader.range(tables.generatedBlocks, range)) yield height;
  }

  *#rowsOf(heights: Iterable<number>): Generator<BlockRow> {
    const { blocks, ledger } = this.source;
    for (const height of heights) {
      const header = blocks.header(height);
      if (header === undefined) continue;
      const { id, timestamp, generator, transactionCount, size } = header;
      const { fees = 0n, generatorReward: reward = 0n } = ledger.blockTotals(height) ?? {};
      yield { height, id, timestamp, generator, transactionCount, size, fees, reward };
    }
  }

  lastPersistedIds(count: number): readonly Uint8Array[] {
    return newestIds(this.source.reader, count, this.source.ledger.persistedHeight);
  }

  unchecked(): UncheckedBlocks | undefined {
    return uncheckedBlocks(this.source.reader);
  }

  microBlockIds(): readonly Uint8Array[] {
    const { reader, ledger } = this.source;
    if (ledger.height === ledger.persistedHeight) return [];
    const rows = microBlockRows(reader, ledger.height);
    return Array.from(rows, ([, { totalSignature }]) => totalSignature).reverse();
  }

  #unitOf(id: Uint8Array): UnitKey | undefined {
    return this.source.reader.get(tables.blockIds, id);
  }

  #sequenceOf({ height, sequence }: UnitKey): number | undefined {
    const tip = this.source.reader.get(tables.tip, undefined);
    return tip?.height === height && sequence < tip.sequence ? sequence : undefined;
  }
}

function* descending(from: number, to: number): Generator<number> {
  for (let height = to; height >= from; height--) yield height;
}
