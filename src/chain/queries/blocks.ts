import { ADDRESS_LENGTH } from "../../crypto/addresses.ts";
import { pageOf } from "../../indexes/pages.ts";
import type { BlockInfo, BlockQueries, HeaderInfo, ListPage, RevertedBlockInfo } from "../../interfaces.ts";
import type { UnitKey } from "../../storage/places.ts";
import { tables } from "../../storage/tables.ts";
import { microBlockRows } from "../reading/micro-blocks.ts";
import { storedBlockBytes } from "../reading/rows.ts";
import { revertedBlockOf } from "./reverted-blocks.ts";
import type { SnapshotSource } from "./source.ts";
import { isHeight } from "./stored-blocks.ts";

export class StoredBlockQueries implements BlockQueries {
  readonly #source: SnapshotSource;

  constructor(source: SnapshotSource) {
    this.#source = source;
  }

  score(): bigint {
    const { reader, ledger } = this.#source;
    return reader.get(tables.score, ledger.height) ?? 0n;
  }

  header(height: number): HeaderInfo | undefined {
    return this.#source.blocks.header(height);
  }

  headerById(id: Uint8Array): HeaderInfo | undefined {
    const unit = this.#unitOf(id);
    return unit && this.#source.blocks.header(unit.height, this.#sequenceOf(unit));
  }

  at(height: number): BlockInfo | undefined {
    return this.#source.blocks.block(height);
  }

  byId(id: Uint8Array): BlockInfo | undefined {
    const unit = this.#unitOf(id);
    return unit && this.#source.blocks.block(unit.height, this.#sequenceOf(unit));
  }

  idAt(height: number): Uint8Array | undefined {
    return isHeight(height) ? this.#source.reader.get(tables.headers, height)?.signature : undefined;
  }

  heightOf(id: Uint8Array): number | undefined {
    return this.#unitOf(id)?.height;
  }

  bytesAt(height: number): Uint8Array | undefined {
    return isHeight(height) ? storedBlockBytes(this.#source.reader, height) : undefined;
  }

  reverted(id: Uint8Array): RevertedBlockInfo | undefined {
    const { reader, blocks } = this.#source;
    return revertedBlockOf(reader, blocks, id);
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
    const found = this.#source.reader.range(tables.generatedBlocks, range);
    return pageOf(found, page).map(([{ height }]) => height);
  }

  lastPersistedIds(count: number): readonly Uint8Array[] {
    const { reader, ledger } = this.#source;
    const ids: Uint8Array[] = [];
    for (let height = ledger.persistedHeight; height >= 1 && ids.length < count; height--) {
      const row = reader.get(tables.headers, height);
      if (row !== undefined) ids.push(row.signature);
    }
    return ids;
  }

  microBlockIds(): readonly Uint8Array[] {
    const { reader, ledger } = this.#source;
    if (ledger.height === ledger.persistedHeight) return [];
    const rows = microBlockRows(reader, ledger.height);
    return Array.from(rows, ([, { totalSignature }]) => totalSignature).reverse();
  }

  #unitOf(id: Uint8Array): UnitKey | undefined {
    return this.#source.reader.get(tables.blockIds, id);
  }

  /** The micro block up to which an id counts; undefined for the whole block. */
  #sequenceOf({ height, sequence }: UnitKey): number | undefined {
    const tip = this.#source.reader.get(tables.tip, undefined);
    return tip?.height === height && sequence < tip.sequence ? sequence : undefined;
  }
}
