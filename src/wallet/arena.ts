/** Packs small secrets into few secure memory pages, because the system limits their number. */
import { secureBytes, wipe } from "./sodium.ts";

const SLAB_BYTES = 16_384;

/** Wipes released pieces, and reuses them for secrets of the same length. */
export class SecretArena {
  readonly #slabs: Uint8Array[] = [];
  readonly #free = new Map<number, Uint8Array[]>();
  #current = -1;
  #used = SLAB_BYTES;

  copy(bytes: Uint8Array): Uint8Array {
    const piece = this.#piece(bytes.length);
    piece.set(bytes);
    return piece;
  }

  #piece(length: number): Uint8Array {
    if (length === 0) return new Uint8Array(0);
    const freed = this.#free.get(length)?.pop();
    if (freed !== undefined) return freed;
    if (length > SLAB_BYTES / 4) {
      const largePiece = secureBytes(length);
      this.#slabs.push(largePiece);
      return largePiece;
    }
    if (this.#used + length > SLAB_BYTES) {
      this.#slabs.push(secureBytes(SLAB_BYTES));
      this.#current = this.#slabs.length - 1;
      this.#used = 0;
    }
    const piece = this.#slabs[this.#current].subarray(this.#used, this.#used + length);
    this.#used += length;
    return piece;
  }

  release(piece: Uint8Array): void {
    wipe(piece);
    const freePieces = this.#free.get(piece.length);
    if (freePieces === undefined) this.#free.set(piece.length, [piece]);
    else freePieces.push(piece);
  }

  wipeAll(): void {
    for (const slab of this.#slabs) wipe(slab);
    this.#slabs.length = 0;
    this.#free.clear();
    this.#used = SLAB_BYTES;
  }
}
