/** How many members groups have, and which group has most: at the same cost however many groups there are. */
export class GroupSizes {
  readonly #sizes = new Map<string, number>();
  /** The groups of each size, in the order in which they came to it; empty sizes are left out. */
  readonly #groups = new Map<number, Set<string>>();
  #largest = 0;

  /** A group with most members: of several, the one that has had so many for longest. Undefined: there is none. */
  get largest(): string | undefined {
    const [group] = this.#groups.get(this.#largest) ?? [];
    return group;
  }

  /** A group has one member more. */
  add(group: string): void {
    this.#resize(group, (this.#sizes.get(group) ?? 0) + 1);
  }

  /** A group has one member less; nothing happens to one without members. */
  remove(group: string): void {
    const size = this.#sizes.get(group);
    if (size !== undefined) this.#resize(group, size - 1);
  }

  #resize(group: string, size: number): void {
    const before = this.#sizes.get(group) ?? 0;
    const others = this.#groups.get(before);
    others?.delete(group);
    if (others?.size === 0) this.#groups.delete(before);
    if (size === 0) this.#sizes.delete(group);
    else {
      this.#sizes.set(group, size);
      const groups = this.#groups.get(size) ?? new Set();
      this.#groups.set(size, groups.add(group));
    }
    // A group that had most has one less now, so there is one of that size, or of the size before.
    if (size > this.#largest) this.#largest = size;
    else if (!this.#groups.has(this.#largest)) this.#largest = Math.max(0, this.#largest - 1);
  }
}
