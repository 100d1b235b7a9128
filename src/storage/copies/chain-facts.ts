import { encodeBase58 } from "../../bytes/base58.ts";
import { decodeUtf8 } from "../../bytes/utf8.ts";
import type { StoredRow } from "../disk/lmdb-walk.ts";
import { tables } from "../tables.ts";

const INDEX_ROW = "index ";

/** What the rows of a store say about the chain, collected from its rows. */
export class ChainFacts {
  network = "";
  format = 0;
  height = 0;
  block = "";
  parent = "";
  readonly indexes: Record<string, string> = {};
  /** Ids of blocks by height, for the heights in it. */
  readonly wanted = new Map<number, string | undefined>();

  readonly onRow = ({ key, value }: StoredRow): void => {
    const { headers, meta } = tables;
    if (key[0] === meta.prefix) {
      const name = meta.key.decode(key.subarray(1));
      if (name === "network") this.network = decodeUtf8(value());
      else if (name === "format") this.format = value().readUInt32BE(0);
      else if (name.startsWith(INDEX_ROW)) this.indexes[name.slice(INDEX_ROW.length)] = indexText(value());
    } else if (key[0] === headers.prefix) {
      const { signature, reference } = headers.value.decode(Uint8Array.from(value()));
      this.height = headers.key.decode(key.subarray(1));
      this.block = encodeBase58(signature);
      this.parent = encodeBase58(reference);
      if (this.wanted.has(this.height)) this.wanted.set(this.height, this.block);
    }
  };
}

/** Returns the state and configuration in an index's row: kind u8, height u32, sequence u16, text. */
function indexText(row: Buffer): string {
  const kind = ["ready", "building", "clearing", "off"][row[0]] ?? "unknown";
  const text = decodeUtf8(row.subarray(7));
  return text === "" ? kind : `${kind}: ${text}`;
}
