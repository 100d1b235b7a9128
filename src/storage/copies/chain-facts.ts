import { encodeBase58 } from "../../bytes/base58.ts";
import { decodeUtf8 } from "../../bytes/utf8.ts";
import type { StoredRow } from "../disk/lmdb-walk.ts";
import { tables } from "../tables.ts";

const INDEX_PREFIX = "index ";

/** Facts about a chain, collected from the rows of its store. Ids are in Base58. */
export class ChainFacts {
  network = "";
  format = 0;
  height = 0;
  block = "";
  parent = "";
  readonly indexes: Record<string, string> = {};
  /** Block ids by height. A caller adds heights before the first row; `onRow` sets their ids. */
  readonly idByHeight = new Map<number, string | undefined>();

  readonly onRow = ({ key, value }: StoredRow): void => {
    const { headers, meta } = tables;
    if (key[0] === meta.prefix) {
      const name = meta.key.decode(key.subarray(1));
      if (name === "network") this.network = decodeUtf8(value());
      else if (name === "format") this.format = value().readUInt32BE(0);
      else if (name.startsWith(INDEX_PREFIX))
        this.indexes[name.slice(INDEX_PREFIX.length)] = indexText(value());
    } else if (key[0] === headers.prefix) {
      const { signature, reference } = headers.value.decode(Uint8Array.from(value()));
      this.height = headers.key.decode(key.subarray(1));
      this.block = encodeBase58(signature);
      this.parent = encodeBase58(reference);
      if (this.idByHeight.has(this.height)) this.idByHeight.set(this.height, this.block);
    }
  };
}

/** Parses an index's row: state u8, height u32, sequence u16, configuration. */
function indexText(row: Buffer): string {
  const state = ["ready", "building", "clearing", "off"][row[0]] ?? "unknown";
  const configuration = decodeUtf8(row.subarray(7));
  return configuration === "" ? state : `${state}: ${configuration}`;
}
