import { bytesKey } from "../../bytes/compare.ts";

/** Distinct addresses, in the order in which they were added. */
export class AddressList {
  readonly addresses: Uint8Array[] = [];
  readonly #indexes = new Map<string, number>();
  /** The two newest results: a transaction's sender and recipient are in several rows. */
  #last: Uint8Array | undefined;
  #lastIndex = 0;
  #other: Uint8Array | undefined;
  #otherIndex = 0;

  /** Returns the index of an address, 26 bytes, which is added if it is missing. */
  indexOf(address: Uint8Array): number {
    if (address === this.#last) return this.#lastIndex;
    const index = address === this.#other ? this.#otherIndex : this.#indexByKey(address);
    this.#other = this.#last;
    this.#otherIndex = this.#lastIndex;
    this.#last = address;
    this.#lastIndex = index;
    return index;
  }

  #indexByKey(address: Uint8Array): number {
    const key = bytesKey(address);
    const known = this.#indexes.get(key);
    if (known !== undefined) return known;
    const index = this.addresses.push(address) - 1;
    this.#indexes.set(key, index);
    return index;
  }
}
