/** Batches that a thread takes work from: those of one lane in order, the lanes by turns. */
import type { VerificationBatch, Work } from "./verification-batch.ts";

export class RoundRobinLanes {
  /** By lane, oldest batch first. The lane that is next comes first. */
  readonly #batches = new Map<number, VerificationBatch[]>();

  add(batch: VerificationBatch): void {
    const { lane } = batch;
    const list = this.#batches.get(lane);
    if (list === undefined) this.#batches.set(lane, [batch]);
    else list.push(batch);
  }

  /** A piece of work of the lane whose turn it is; undefined when nothing is left anywhere. */
  claim(): { readonly batch: VerificationBatch; readonly work: Work } | undefined {
    for (const [lane, list] of this.#batches) {
      this.#batches.delete(lane);
      for (let batch = list[0]; batch !== undefined; batch = list[0]) {
        const work = batch.claim();
        if (work !== undefined) {
          // Behind the others.
          this.#batches.set(lane, list);
          return { batch, work };
        }
        list.shift();
      }
    }
    return undefined;
  }
}
