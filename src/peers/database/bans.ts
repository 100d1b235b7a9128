/** Page 04 §17. */
import { canonicalHost, originOf, rangeOf, siteOf } from "../../bytes/ip.ts";
import { getOrInsert } from "../../collections/get-or-insert.ts";
import type { Clock } from "../../interfaces.ts";
import { GroupSizes } from "./group-sizes.ts";

export interface Ban {
  /** The ban applies to the whole origin. */
  readonly host: string;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly reason: string;
}

interface Entry extends Ban {
  readonly site: string;
  readonly range: string;
  /** Monotonic, ms. */
  readonly imposedAt: number;
}

interface Range {
  readonly sizes: GroupSizes;
  /** Origins by site, oldest ban first. */
  readonly sites: Map<string, Set<string>>;
}

/**
 * A ban ends a fixed time after it was last imposed. A full list drops the oldest ban of the site with most
 * bans, in the range with most bans.
 */
export class BanList {
  readonly #clock: Clock;
  readonly #lifetimeMs: number;
  readonly #capacity: number;
  readonly #entries = new Map<string, Entry>();
  readonly #ranges = new Map<string, Range>();
  readonly #rangeSizes = new GroupSizes();

  constructor(clock: Clock, lifetimeMs: number, capacity: number) {
    this.#clock = clock;
    this.#lifetimeMs = lifetimeMs;
    this.#capacity = capacity;
  }

  add(address: string, reason: string): void {
    this.#expire();
    const host = canonicalHost(address);
    const origin = originOf(host);
    this.#delete(origin);
    const clock = this.#clock;
    const times = { since: clock.now(), imposedAt: clock.monotonic() };
    this.#insert(origin, { host, reason, ...times, site: siteOf(host), range: rangeOf(host) });
    if (this.#entries.size > this.#capacity) this.#evict();
  }

  has(address: string): boolean {
    return this.#entries.size > 0 && this.hasOrigin(originOf(address));
  }

  /** @param origin from `originOf` */
  hasOrigin(origin: string): boolean {
    const entry = this.#entries.get(origin);
    return entry !== undefined && !this.#isExpired(entry);
  }

  list(): Ban[] {
    this.#expire();
    return Array.from(this.#entries.values(), ({ host, since, reason }) => ({ host, since, reason }));
  }

  remove(address: string): boolean {
    this.#expire();
    const origin = originOf(canonicalHost(address));
    const isBanned = this.#entries.has(origin);
    this.#delete(origin);
    return isBanned;
  }

  clear(): void {
    for (const origin of [...this.#entries.keys()]) this.#delete(origin);
  }

  #isExpired({ imposedAt }: Entry): boolean {
    return this.#clock.monotonic() - imposedAt >= this.#lifetimeMs;
  }

  #expire(): void {
    for (const [origin, entry] of this.#entries) {
      if (!this.#isExpired(entry)) return;
      this.#delete(origin);
    }
  }

  #insert(origin: string, entry: Entry): void {
    this.#entries.set(origin, entry);
    const range = getOrInsert(this.#ranges, entry.range, () => ({
      sizes: new GroupSizes(),
      sites: new Map(),
    }));
    getOrInsert(range.sites, entry.site, () => new Set()).add(origin);
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

  #evict(): void {
    const range = this.#ranges.get(this.#rangeSizes.largest ?? "");
    const [oldest] = range?.sites.get(range.sizes.largest ?? "") ?? [];
    if (oldest !== undefined) this.#delete(oldest);
  }
}
