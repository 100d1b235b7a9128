import { describe, expect, it } from "vitest";
import { isLoopback } from "../../bytes/ip.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { RateLimiter } from "./rate-limit.ts";

function limiter(requests: number, windowMs = 10_000) {
  const clock = new VirtualClock(5_000);
  const direct = new RateLimiter({ requests, windowMs }, clock);
  return { clock, limiter: { count: (address: string) => direct.count({ address, isDirect: true }) } };
}

describe("a limit of requests", () => {
  it("counts each address, and resets in each window", () => {
    const { clock, limiter: limit } = limiter(2);
    expect([1, 2, 3].map(() => limit.count("192.0.2.1"))).toEqual([undefined, undefined, 10]);
    expect(limit.count("192.0.2.2")).toBeUndefined();
    clock.advance(8_500);
    expect(limit.count("192.0.2.1")).toBe(2);
    clock.advance(1_500);
    expect(limit.count("192.0.2.1")).toBeUndefined();
  });

  it("never evicts counts within a window, and counts late senders in groups", () => {
    const { clock, limiter: limit } = limiter(2);
    for (let i = 0; i < 3; i++) limit.count("192.0.2.1");
    const addressOf = (n: number) => `10.${n >> 16}.${(n >> 8) & 0xff}.${n & 0xff}`;
    for (let n = 0; n < 120_000; n++) limit.count(addressOf(n));
    expect(limit.count("192.0.2.1")).toBe(10);
    // Early senders keep their own count; late ones share counts.
    expect(limit.count(addressOf(0))).toBeUndefined();
    expect(limit.count(addressOf(119_999))).toBe(10);
    clock.advance(10_000);
    expect(limit.count(addressOf(119_999))).toBeUndefined();
  });

  it.each([
    ["::ffff:192.0.2.1", "192.0.2.1", true],
    ["2001:db8:1:2::5", "2001:db8:1:2:aaaa::1", true],
    ["2001:db8::5", "2001:db8:0:0:1:2:3:4", true],
    ["2001:db8:1:2::5", "2001:db8:1:3::5", false],
    ["fe80::1%eth0", "fe80::2%eth1", true],
    ["192.0.2.1", "192.0.2.11", false],
  ])("%s and %s are one sender: %s", (one, other, same) => {
    const { limiter: limit } = limiter(1);
    expect(limit.count(one)).toBeUndefined();
    expect(limit.count(other) !== undefined).toBe(same);
  });

  it.each([
    ["127.0.0.1", true],
    ["127.1.2.3", true],
    ["::1", true],
    ["::ffff:127.0.0.1", true],
    ["128.0.0.1", false],
    ["::2", false],
    ["1127.0.0.1", false],
    ["", false],
  ])("%s is loopback: %s", (address, loopback) => {
    expect(isLoopback(address)).toBe(loopback);
    const { limiter: limit } = limiter(0);
    expect(limit.count(address) === undefined).toBe(loopback);
  });
});
