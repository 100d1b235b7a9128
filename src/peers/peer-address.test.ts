/** Addresses of peers, as text and bytes. Page 04 §17, §27. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalHost, ipBytes, ipText, isLoopback, isReserved, isWildcard, originOf } from "../bytes/ip.ts";
import {
  isOwnHost,
  ownAddresses,
  type PeerAddress,
  PeerAddressError,
  parsePeerAddress,
  peerAddressText,
} from "./peer-address.ts";

describe("IP addresses", () => {
  test("have one text each, from which they are read again", () => {
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
  ])("%s is %s", (text, canonical) => {
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
  ])("%s, %s … are none", (...texts) => {
    for (const text of texts) expect(ipBytes(text), text).toBeUndefined();
  });

  test("are told apart by what they are good for", () => {
    for (const host of ["0.0.0.0", "::", "::ffff:0.0.0.0"]) expect(isWildcard(host), host).toBe(true);
    for (const host of ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "LocalHost"])
      expect(isLoopback(host), host).toBe(true);
    for (const host of ["10.0.0.1", "192.168.1.1", "172.31.0.1", "169.254.1.1", "100.64.0.1", "224.0.0.1"])
      expect([host, isReserved(host), isLoopback(host), isWildcard(host)]).toEqual([
        host,
        true,
        false,
        false,
      ]);
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
      expect([host, isReserved(host), isLoopback(host), isWildcard(host)]).toEqual([
        host,
        false,
        false,
        false,
      ]);
  });

  test("count by the network, for IPv6", () => {
    expect(originOf("::ffff:1.2.3.4")).toBe("1.2.3.4");
    expect(originOf("2001:db8:1:2:3:4:5:6")).toBe(originOf("2001:db8:1:2::9"));
    expect(originOf("2001:db8:1:2::9")).not.toBe(originOf("2001:db8:1:3::9"));
  });
});

describe("peer addresses", () => {
  test.each<[string, PeerAddress]>([
    ["203.0.113.7:6868", { host: "203.0.113.7", port: 6868 }],
    [" bs1.LTO.network:6868\n", { host: "bs1.lto.network", port: 6868 }],
    ["[2001:db8::0:1]:1", { host: "2001:db8::1", port: 1 }],
    ["[::ffff:1.2.3.4]:65535", { host: "1.2.3.4", port: 65_535 }],
    ["localhost", { host: "localhost", port: 6863 }],
    ["[::1]", { host: "::1", port: 6863 }],
  ])("%s", (text, address) => {
    expect(parsePeerAddress(text, 6863)).toEqual(address);
    expect(parsePeerAddress(peerAddressText(address))).toEqual(address);
  });

  test.each([
    ["", "names no host"],
    [":6868", "names no host"],
    ["host", "has no port: host:port is wanted"],
    ["host:", "has no port from 1 to 65535"],
    ["host:0", "has no port from 1 to 65535"],
    ["host:65536", "has no port from 1 to 65535"],
    ["host:-1", "has no port from 1 to 65535"],
    ["host:1e3", "has no port from 1 to 65535"],
    ["a:b:c", "is no address: host:port is wanted"],
    ["2001:db8::1", "write [2001:db8::1]:port"],
    ["[2001:db8::1]6868", "is no address: host:port is wanted"],
    ["[1.2.3.4]:6868", "has no IPv6 address in its brackets"],
    ["[x]:6868", "has no IPv6 address in its brackets"],
    ["1.2.3.256:6868", "has no host name or IP address"],
    ["1.2.3:6868", "has no host name or IP address"],
    ["ho st:6868", "has no host name or IP address"],
    ["http://host:6868", "is no address"],
    ["-host:6868", "has no host name or IP address"],
    [`${"a".repeat(64)}:6868`, "has no host name or IP address"],
  ])("refuses %j: %s", (text, message) => {
    expect(() => parsePeerAddress(text)).toThrow(PeerAddressError);
    expect(() => parsePeerAddress(text)).toThrow(message);
  });

  test("of our own are those of the interfaces, or the one we listen on, and the declared one", () => {
    const declared = { host: "203.0.113.7", port: 7000 };
    const interfaces = ["127.0.0.1", "10.0.0.5"];
    expect(ownAddresses({ bindHost: "0.0.0.0", port: 6868, interfaces, declared })).toEqual([
      { host: "127.0.0.1", port: 6868 },
      { host: "10.0.0.5", port: 6868 },
      declared,
    ]);
    expect(ownAddresses({ bindHost: "10.0.0.5", port: 1, interfaces, declared: undefined })).toEqual([
      { host: "10.0.0.5", port: 1 },
    ]);
    const own = { bindHost: "0.0.0.0", port: 6868, interfaces, declared };
    for (const host of ["::ffff:10.0.0.5", "127.8.8.8", "203.0.113.7"])
      expect(isOwnHost(host, own)).toBe(true);
    expect(isOwnHost("10.0.0.6", own)).toBe(false);
  });
});
