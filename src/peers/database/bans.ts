/** Which origins are banned, what for, and who makes room when too many are. Page 04 §17. */
import { canonicalHost, originOf, rangeOf, siteOf } from "../../bytes/ip.ts";
import type { Clock } from "../../interfaces.ts";
import { GroupSizes } from "./group-sizes.ts";

/** A ban, as it is shown. */
export interface Ban {
  /** The address that it was imposed on: it holds for the whole origin. */
  readonly host: string;
  /** ms since 1970 */
  readonly since: number;
  readonly reason: string;
}

interface Entry extends Ban {
  readonly site: string;
  readonly range: string;
  /** By a clock that nobody sets. */
  readonly writtenAt: number;
}

/** The banned origins of one range, by site; in each site in the order of their bans. */
interface Range {
  readonly sizes: GroupSizes;
  readonly sites: Map<string, Set<string>>;
}

/**
 * Bans by origin. Each ends a fixed time after it was last imposed. When there are too many, the range with most of them
 * gives one up, of its site with most of them the oldest: a sender displaces only its own, however many origins it has.
 */
export class BanList {
  readonly #clock: Clock;
  readonly #lifetimeMs: number;
  readonly #capacity: number;
  /** By origin, in the order in which they were imposed, which is that of their ends. */
  readonly #entries = new Map<string, Entry>();
  readonly #ranges = new Map<string, Range>();
  readonly #rangeSizes = new GroupSizes();

  /** @param capacity bans at a time, at least 1 */
  constructor(clock: Clock, lifetimeMs: number, capacity: number) {
    this.#clock = clock;
    this.#lifetimeMs = lifetimeMs;
    this.#capacity = capacity;
  }

  /** Bans the origin of an address, or begins its ban anew. */
  add(address: string, reason: string): void {
    this.#expire();
    const host = canonicalHost(address);
    const origin = originOf(host);
    this.#delete(origin);
    const clock = this.#clock;
    const times = { since: clock.now(), writtenAt: clock.monotonic() };
    this.#insert(origin, { host, reason, ...times, site: siteOf(host), range: rangeOf(host) });
    if (this.#entries.size > this.#capacity) this.#makeRoom();
  }

  /** Whether the origin of an address is banned. */
  has(address: string): boolean {
    return this.#entries.size > 0 && this.hasOrigin(originOf(address));
  }

  /** @param origin as `originOf` gives it */
  hasOrigin(origin: string): boolean {
    const entry = this.#entries.get(origin);
    return entry !== undefined && !this.#isOver(entry);
  }

  /** Oldest first. */
  list(): Ban[] {
    this.#expire();
    return Array.from(this.#entries.values(), ({ host, since, reason }) => ({ host, since, reason }));
  }

  clear(): void {
    for (const origin of [...this.#entries.keys()]) this.#delete(origin);
  }

  #isOver({ writtenAt }: Entry): boolean {
    return this.#clock.monotonic() - writtenAt >= this.#lifetimeMs;
  }

  #expire(): void {
    for (const [origin, entry] of this.#entries) {
      if (!this.#isOver(entry)) return;
      this.#delete(origin);
    }
  }

  #insert(origin: string, entry: Entry): void {
    this.#entries.set(origin, entry);
    let range = this.#ranges.get(entry.range);
    if (range === undefined) {
      range = { sizes: new GroupSizes(), sites: new Map() };
      this.#ranges.set(entry.range, range);
    }
    const origins = range.sites.get(entry.site) ?? new Set();
    range.sites.set(entry.site, origins.add(origin));
    range.sizes.add(entry.site);
    this.#rangeSizes.add(entry.range);
  }

  #delete(origin: string): void {
    const entry = this.#entries.get(origin);
    if (entry === undefined) return;
    this.#entries.delete(origin);
    const range = this.#ranges.get(entry.range);
    const origins = range?.sites.get(entry.site);
    origins?.delete(origin);
    if (origins?.size === 0) range?.sites.delete(entry.site);
    if (range?.sites.size === 0) this.#ranges.delete(entry.range);
    range?.sizes.remove(entry.site);
    this.#rangeSizes.remove(entry.range);
  }

  #makeRoom(): void {
    const range = this.#ranges.get(this.#rangeSizes.largest ?? "");
    const [oldest] = range?.sites.get(range.sizes.largest ?? "") ?? [];
    if (oldest !== undefined) this.#delete(oldest);
  }
}
