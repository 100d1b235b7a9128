/** Which bans are kept above the limit. Page 04 §17. */
import { describe, expect, test } from "vitest";
import { rangeOf, siteOf } from "../../bytes/ip.ts";
import { SeededRandom } from "../../testing/seeded-random.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { BanList } from "./bans.ts";

const LIFETIME = 900_000;

function open(capacity: number) {
  const clock = new VirtualClock(1_000);
  const bans = new BanList(clock, LIFETIME, capacity);
  const hosts = () => bans.list().map(({ host }) => host);
  return { clock, bans, hosts };
}

const hex = (i: number) => i.toString(16);

describe("bans of one sender", () => {
  const OTHERS = ["192.0.2.1", "192.0.2.2", "198.51.100.7", "2001:db8:5:5::1", "2001:db9::1"];
  test.each([
    ["a /48", (i: number) => `2001:db8:1:${hex(i)}::1`],
    ["a /32, each of another site", (i: number) => `2001:db7:${hex(i)}::1`],
    ["a /16 of IPv4", (i: number) => `203.0.${i >> 8}.${i & 255}`],
  ])("from %s do not evict those of others", (_, host) => {
    const { clock, bans, hosts } = open(1_000);
    for (const other of OTHERS) bans.add(other, "it lied");
    clock.advance(1);
    for (let i = 0; i < 1_200; i++) bans.add(host(i), "again");
    expect(hosts()).toHaveLength(1_000);
    expect(OTHERS.filter((other) => !bans.has(other))).toEqual([]);
    expect({ newest: bans.has(host(1_199)), oldest: bans.has(host(0)) }).toEqual({
      newest: true,
      oldest: false,
    });
    clock.advance(LIFETIME - 1);
    expect(OTHERS.filter((other) => bans.has(other))).toEqual([]);
    expect(bans.has(host(1_199))).toBe(true);
    clock.advance(1);
    expect(hosts()).toEqual([]);
  });
});

test("expired bans are evicted first", () => {
  const { clock, bans, hosts } = open(3);
  bans.add("1.1.1.1", "one");
  clock.advance(10);
  for (const host of ["2.2.2.1", "2.2.2.2"]) bans.add(host, "two");
  clock.advance(LIFETIME - 10);
  bans.add("3.3.3.3", "three");
  expect(hosts()).toEqual(["2.2.2.1", "2.2.2.2", "3.3.3.3"]);
  bans.add("4.4.4.4", "four");
  expect(hosts()).toEqual(["2.2.2.2", "3.3.3.3", "4.4.4.4"]);
  bans.clear();
  expect({ hosts: hosts(), isBanned: bans.has("4.4.4.4") }).toEqual({ hosts: [], isBanned: false });
});

test("the oldest ban of the largest site of the largest range is evicted, after any history", () => {
  const random = new SeededRandom(7);
  const { clock, bans, hosts } = open(20);
  /** The expected result by a search of all bans. */
  let model: { host: string; site: string; range: string; at: number }[] = [];
  const sizes = (keys: readonly string[]) => new Map(keys.map((key) => [key, count(keys, key)]));
  let displaced = 0;
  for (let step = 0; step < 600; step++) {
    clock.advance(random.below(40_000));
    const now = clock.monotonic();
    const host = `10.${random.below(4)}.${random.below(4)}.${random.below(8)}`;
    bans.add(host, "it lied");
    model = model.filter((one) => now - one.at < LIFETIME && one.host !== host);
    model.push({ host, site: siteOf(host), range: rangeOf(host), at: now });
    if (model.length > 20) {
      displaced++;
      const [gone, ...more] = model.filter((one) => !bans.has(one.host));
      expect(more).toEqual([]);
      const ranges = sizes(model.map(({ range }) => range));
      expect(ranges.get(gone.range)).toBe(Math.max(...ranges.values()));
      const ofRange = model.filter(({ range }) => range === gone.range);
      const sites = sizes(ofRange.map(({ site }) => site));
      expect(sites.get(gone.site)).toBe(Math.max(...sites.values()));
      expect(ofRange.find(({ site }) => site === gone.site)).toBe(gone);
      model = model.filter((one) => one !== gone);
    }
    expect(hosts()).toEqual(model.map((one) => one.host));
  }
  expect(displaced).toBeGreaterThan(100);
  expect(displaced).toBeLessThan(550);
});

function count(keys: readonly string[], key: string): number {
  return keys.filter((other) => other === key).length;
}
