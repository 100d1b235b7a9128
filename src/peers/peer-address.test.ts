import { describe, expect, test } from "vitest";
import {
  formatPeerAddress,
  isOwnHost,
  ownAddresses,
  type PeerAddress,
  PeerAddressError,
  parsePeerAddress,
} from "./peer-address.ts";

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
    expect(parsePeerAddress(formatPeerAddress(address))).toEqual(address);
  });

  test.each([
    ["", "Missing host"],
    [":6868", "Missing host"],
    ["host", "Missing port"],
    ["host:", "use a number from 1 to 65535"],
    ["host:0", "use a number from 1 to 65535"],
    ["host:65536", "use a number from 1 to 65535"],
    ["host:-1", "use a number from 1 to 65535"],
    ["host:1e3", "use a number from 1 to 65535"],
    ["a:b:c", "use host:port"],
    ["2001:db8::1", "write an IPv6 address as [2001:db8::1]:port"],
    ["[2001:db8::1]6868", "use host:port"],
    ["[1.2.3.4]:6868", "the brackets must contain an IPv6 address"],
    ["[x]:6868", "the brackets must contain an IPv6 address"],
    ["1.2.3.256:6868", "use a host name or an IP address"],
    ["1.2.3:6868", "use a host name or an IP address"],
    ["ho st:6868", "use a host name or an IP address"],
    ["http://host:6868", "use host:port"],
    ["-host:6868", "use a host name or an IP address"],
    [`${"a".repeat(64)}:6868`, "use a host name or an IP address"],
  ])("rejects %j: %s", (text, message) => {
    expect(() => parsePeerAddress(text)).toThrow(PeerAddressError);
    expect(() => parsePeerAddress(text)).toThrow(message);
  });

  test("of this node are those of its interfaces, or the one it listens on, and the declared one", () => {
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
