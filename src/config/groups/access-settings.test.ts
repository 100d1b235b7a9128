import { describe, expect, it } from "vitest";
import { dev } from "../../profiles/index.ts";
import { InvalidValueError } from "../kinds/kinds.ts";
import { accessSettings } from "./access-settings.ts";

const { prefix, trustedProxies, compressFrom } = accessSettings;

describe("a prefix", () => {
  it.each([
    ["/node", "/node"],
    ["node", "/node"],
    ["index/v1/", "/index/v1"],
    ["none", ""],
    ["/", ""],
    ["", ""],
  ])("is read: %j", (given, read) => {
    expect(prefix.kind.read(given, dev)).toBe(read);
    expect(prefix.kind.read(prefix.kind.write(read), dev)).toBe(read);
  });

  it.each(["//node", "/a b", "/../a", "/a//b", "/a?b", "/%2F", "http://x", "a".repeat(201), 5])(
    "is none: %j",
    (given) => {
      expect(() => prefix.kind.read(given, dev)).toThrow(InvalidValueError);
    },
  );
});

describe("trusted proxies", () => {
  it("are addresses and networks", () => {
    const read = trustedProxies.kind.read("127.0.0.1, 10.0.0.0/8,2001:db8::/32", dev);
    expect(trustedProxies.kind.write(read)).toEqual(["127.0.0.1", "10.0.0.0/8", "2001:db8::/32"]);
    expect(() => trustedProxies.kind.read("example.org", dev)).toThrow(InvalidValueError);
    expect(() => trustedProxies.kind.read("10.0.0.0/33", dev)).toThrow(InvalidValueError);
  });
});

describe("a size to compress from", () => {
  it("may be off", () => {
    expect(compressFrom.kind.read("off", dev)).toBe(Number.POSITIVE_INFINITY);
    expect(compressFrom.kind.write(Number.POSITIVE_INFINITY)).toBe("off");
    expect(compressFrom.kind.read("1KiB", dev)).toBe(1_024);
    expect(() => compressFrom.kind.read("never", dev)).toThrow(InvalidValueError);
  });
});
