/** Packs small secrets into a few secure pages: one page or more each would exhaust the system's limit. */
import { secureBytes, wipe } from "./sodium.ts";

const SLAB = 16_384;

/** Allocates secure memory. Wipes released pieces and reuses them for the same length. */
export class SecretArena {
  readonly #slabs: Uint8Array[] = [];
  readonly #free = new Map<number, Uint8Array[]>();
  #current = -1;
  #used = SLAB;

  /** Copies into secure memory. */
  keep(bytes: Uint8Array): Uint8Array {
    const piece = this.#piece(bytes.length);
    piece.set(bytes);
    return piece;
  }

  #piece(length: number): Uint8Array {
    if (length === 0) return new Uint8Array(0);
    const freed = this.#free.get(length)?.pop();
    if (freed !== undefined) return freed;
    if (length > SLAB / 4) {
      const own = secureBytes(length);
      this.#slabs.push(own);
      return own;
    }
    if (this.#used + length > SLAB) {
      this.#slabs.push(secureBytes(SLAB));
      this.#current = this.#slabs.length - 1;
      this.#used = 0;
    }
    const piece = this.#slabs[this.#current].subarray(this.#used, this.#used + length);
    this.#used += length;
    return piece;
  }

  /** Wipes a piece from `keep`. */
  release(piece: Uint8Array): void {
    wipe(piece);
    const same = this.#free.get(piece.length);
    if (same === undefined) this.#free.set(piece.length, [piece]);
    else same.push(piece);
  }

  wipeAll(): void {
    for (const slab of this.#slabs) wipe(slab);
    this.#slabs.length = 0;
    this.#free.clear();
    this.#used = SLAB;
  }
}
