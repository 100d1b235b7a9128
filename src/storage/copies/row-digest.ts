import { createHash } from "node:crypto";
import type { StoredRow } from "../disk/lmdb-walk.ts";

export class RowDigest {
  readonly #hash = createHash("sha256");
  readonly #lengths = Buffer.alloc(8);

  readonly add = ({ key, valueBytes, value }: StoredRow): void => {
    this.#lengths.writeUInt32BE(key.length, 0);
    this.#lengths.writeUInt32BE(valueBytes, 4);
    this.#hash.update(this.#lengths).update(key).update(value());
  };

  /** Returns the hash in hex. Call it once. */
  end(): string {
    return this.#hash.digest("hex");
  }
}
