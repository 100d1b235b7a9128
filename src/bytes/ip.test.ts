/** Page 04 §27. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  canonicalHost,
  ipBytes,
  ipNetwork,
  ipNetworkText,
  ipText,
  isInside,
  isLoopback,
  isReserved,
  isWildcard,
  originOf,
  rangeOf,
  siteOf,
} from "./ip.ts";

describe("IP addresses", () => {
  test("have one canonical text, which parses to the same bytes", () => {
    const ip = fc.oneof(
      fc.uint8Array({ minLength: 4, maxLength: 4 }),
      fc.uint8Array({ minLength: 16, maxLength: 16 }),
      // Many zeros, which IPv6 shortens.
      fc
        .array(fc.constantFrom(0, 0, 0, 1, 0xff), { minLength: 16, maxLength: 16 })
        .map((b) => Uint8Array.from(b)),
    );
    fc.assert(
      fc.property(ip, (bytes) => {
        const text = ipText(bytes);
        const read = ipBytes(text);
        expect(read === undefined ? undefined : ipText(read)).toBe(text);
        if (read?.length === bytes.length) expect(read).toEqual(bytes);
        else expect(ipText(bytes)).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
      }),
      { seed: 1, numRuns: 1_000 },
    );
  });

  test.each([
    ["::ffff:1.2.3.4", "1.2.3.4"],
    ["::FFFF:0102:0304", "1.2.3.4"],
    ["2001:DB8:0:0:0:0:0:1", "2001:db8::1"],
    ["2001:db8::1:0:0:1", "2001:db8::1:0:0:1"],
    ["::", "::"],
    ["::1", "::1"],
    ["1::", "1::"],
    ["1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"],
    ["64:ff9b::192.0.2.1", "64:ff9b::c000:201"],
    ["fe80::1%eth0", "fe80::1"],
    ["Node.Example.ORG", "node.example.org"],
  ])("%s is written as %s", (text, canonical) => {
    expect(canonicalHost(text)).toBe(canonical);
  });

  test.each([
    ["", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "1.2.3.4 ", "a.b.c.d"],
    [
      ":",
      ":::",
      "1:2:3:4:5:6:7",
      "1:2:3:4:5:6:7:8:9",
      "1::2::3",
      "12345::",
      "g::",
      "1:2:3:4:5:6:7::8",
      "::1.2.3",
    ],
    ["1.2.3.4::", "::1.2.3.4:1"],
  ])("%s, %s … are rejected", (...texts) => {
    for (const text of texts) expect(ipBytes(text), text).toBeUndefined();
  });

  const classesOf = (host: string) => ({
    reserved: isReserved(host),
    loopback: isLoopback(host),
    wildcard: isWildcard(host),
  });

  test("are classified as reserved, loopback or wildcard", () => {
    for (const host of ["0.0.0.0", "::", "::ffff:0.0.0.0"]) expect(isWildcard(host), host).toBe(true);
    for (const host of ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "LocalHost"])
      expect(isLoopback(host), host).toBe(true);
    for (const host of ["10.0.0.1", "192.168.1.1", "172.31.0.1", "169.254.1.1", "100.64.0.1", "224.0.0.1"])
      expect(classesOf(host), host).toEqual({ reserved: true, loopback: false, wildcard: false });
    for (const host of [
      "127.0.0.1",
      "0.0.0.0",
      "255.255.255.255",
      "::1",
      "fe80::1",
      "fd00::1",
      "ff02::1",
      "2001:db8::1",
    ])
      expect(isReserved(host), host).toBe(true);
    for (const host of ["8.8.8.8", "172.32.0.1", "192.169.0.1", "100.128.0.1", "2a00:1450::1", "example.org"])
      expect(classesOf(host), host).toEqual({ reserved: false, loopback: false, wildcard: false });
  });

  test.each([
    ["192.0.2.77", "192.0.2.77", "192.0.2.0/24", "192.0.0.0/16"],
    ["::ffff:192.0.2.77", "192.0.2.77", "192.0.2.0/24", "192.0.0.0/16"],
    ["64:ff9b::192.0.2.77", "192.0.2.77", "192.0.2.0/24", "192.0.0.0/16"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64", "2001:db8:1::/48", "2001:db8::/32"],
    ["2001:DB8:1:2::9", "2001:db8:1:2::/64", "2001:db8:1::/48", "2001:db8::/32"],
    ["2001:db8:1:3::9", "2001:db8:1:3::/64", "2001:db8:1::/48", "2001:db8::/32"],
    ["Node.Example.org", "node.example.org", "node.example.org", "node.example.org"],
  ])("of one sender share origin, site and range: %s", (host, origin, site, range) => {
    expect({ origin: originOf(host), site: siteOf(host), range: rangeOf(host) }).toEqual({
      origin,
      site,
      range,
    });
  });

  test.each([
    ["192.0.2.0/24", "192.0.2.255", true],
    ["192.0.2.0/24", "192.0.3.0", false],
    ["192.0.2.77/25", "192.0.2.1", true],
    ["192.0.2.77/25", "192.0.2.128", false],
    ["192.0.2.1", "192.0.2.1", true],
    ["192.0.2.1", "192.0.2.2", false],
    ["0.0.0.0/0", "8.8.8.8", true],
    ["0.0.0.0/0", "::1", false],
    ["10.0.0.0/8", "::ffff:10.9.9.9", true],
    ["2001:db8::/33", "2001:db8:7fff::1", true],
    ["2001:db8::/33", "2001:db8:8000::1", false],
    ["::1", "::1", true],
    ["::1", "example.org", false],
  ])("match networks: %s, %s", (text, host, inside) => {
    const network = ipNetwork(text);
    expect(network && isInside(host, [network])).toBe(inside);
  });

  test.each([
    "",
    "192.0.2.1/33",
    "192.0.2.1/",
    "192.0.2.1/x",
    "192.0.2.1/-1",
    "192.0.2/24",
    "::1/129",
    "::1/1/1",
    "a/8",
  ])("%j is not a network", (text) => {
    expect(ipNetwork(text)).toBeUndefined();
  });

  test("print networks", () => {
    const texts = ["192.0.2.0/24", "192.0.2.1", "2001:db8::/32", "::1"];
    expect(texts.map((text) => ipNetwork(text)).map((one) => one && ipNetworkText(one))).toEqual(texts);
  });
});
