import { encodeBase58 } from "../../bytes/base58.ts";
import { decodeUtf8 } from "../../bytes/utf8.ts";
import type { StoredRow } from "../disk/lmdb-walk.ts";
import { tables } from "../tables.ts";

const INDEX_PREFIX = "index ";

/** Facts about a chain, from its rows. Block ids are in Base58. */
export class ChainFacts {
  network = "";
  format = 0;
  height = 0;
  readonly indexes: Record<string, string> = {};
  readonly #requestedHeight: number | undefined;
  #newest: Uint8Array | undefined;
  #requested: Uint8Array | undefined;

  constructor(requestedHeight?: number) {
    this.#requestedHeight = requestedHeight;
  }

  readonly onRow = ({ key, value }: StoredRow): void => {
    const { headers, meta } = tables;
    if (key[0] === meta.prefix) {
      const name = meta.key.decode(key.subarray(1));
      if (name === "network") this.network = decodeUtf8(value());
      else if (name === "format") this.format = value().readUInt32BE(0);
      else if (name.startsWith(INDEX_PREFIX))
        this.indexes[name.slice(INDEX_PREFIX.length)] = indexText(value());
    } else if (key[0] === headers.prefix) {
      // Rows are visited in order of height, so the last one is the newest block.
      this.height = headers.key.decode(key.subarray(1));
      this.#newest = Uint8Array.from(value());
      if (this.height === this.#requestedHeight) this.#requested = this.#newest;
    }
  };

  get block(): string {
    return idIn(this.#newest) ?? "";
  }

  get parent(): string {
    if (this.#newest === undefined) return "";
    return encodeBase58(tables.headers.value.decode(this.#newest).reference);
  }

  get requestedBlock(): string | undefined {
    return idIn(this.#requested);
  }
}

const idIn = (header: Uint8Array | undefined): string | undefined =>
  header && encodeBase58(tables.headers.value.decode(header).signature);

/** Parses an index's row: state u8, height u32, sequence u16, configuration. */
function indexText(row: Buffer): string {
  const state = ["ready", "building", "clearing", "off"][row[0]] ?? "unknown";
  const configuration = decodeUtf8(row.subarray(7));
  return configuration === "" ? state : `${state}: ${configuration}`;
}
