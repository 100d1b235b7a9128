import type { Piece, VerificationBatch } from "./verification-batch.ts";

/** Claims pieces from all lanes' batches in turn. */
export class RoundRobinLanes {
  /** Batches by lane. The first lane's turn is next. */
  readonly #batches = new Map<number, VerificationBatch[]>();

  add(batch: VerificationBatch): void {
    const { lane } = batch;
    const list = this.#batches.get(lane);
    if (list === undefined) this.#batches.set(lane, [batch]);
    else list.push(batch);
  }

  claim(): { readonly batch: VerificationBatch; readonly piece: Piece } | undefined {
    for (const [lane, list] of this.#batches) {
      this.#batches.delete(lane);
      for (let batch = list[0]; batch !== undefined; batch = list[0]) {
        const piece = batch.claim();
        if (piece !== undefined) {
          this.#batches.set(lane, list);
          return { batch, piece };
        }
        list.shift();
      }
    }
    return undefined;
  }
}
