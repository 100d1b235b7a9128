import { getOrInsert } from "../../collections/get-or-insert.ts";

export class GroupSizes {
  readonly #sizes = new Map<string, number>();
  /** Groups by size, each in the order in which they reached that size. */
  readonly #groups = new Map<number, Set<string>>();
  #largest = 0;

  /** The largest group; of several, the one that reached this size first. */
  get largest(): string | undefined {
    const [group] = this.#groups.get(this.#largest) ?? [];
    return group;
  }

  add(group: string): void {
    this.#resize(group, (this.#sizes.get(group) ?? 0) + 1);
  }

  remove(group: string): void {
    const size = this.#sizes.get(group);
    if (size !== undefined) this.#resize(group, size - 1);
  }

  #resize(group: string, size: number): void {
    const before = this.#sizes.get(group) ?? 0;
    const sameSize = this.#groups.get(before);
    sameSize?.delete(group);
    if (sameSize?.size === 0) this.#groups.delete(before);
    if (size === 0) this.#sizes.delete(group);
    else {
      this.#sizes.set(group, size);
      getOrInsert(this.#groups, size, () => new Set()).add(group);
    }
    // Sizes change by one.
    if (size > this.#largest) this.#largest = size;
    else if (!this.#groups.has(this.#largest)) this.#largest = Math.max(0, this.#largest - 1);
  }
}
