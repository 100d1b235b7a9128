import { describe, expect, it } from "vitest";
import { ImpossibleValueError } from "../kinds/kinds.ts";
import { accessSettings } from "./access-settings.ts";

const { apiPrefix, trustedProxies, compressFrom } = accessSettings;

describe("a prefix", () => {
  it.each([
    ["/node", "/node"],
    ["node", "/node"],
    ["index/v1/", "/index/v1"],
    ["none", ""],
    ["/", ""],
    ["", ""],
  ])("is read: %j", (given, read) => {
    expect(apiPrefix.kind.read(given)).toBe(read);
    expect(apiPrefix.kind.read(apiPrefix.kind.write(read))).toBe(read);
  });

  it.each(["//node", "/a b", "/../a", "/a//b", "/a?b", "/%2F", "http://x", "a".repeat(201), 5])(
    "is none: %j",
    (given) => {
      expect(() => apiPrefix.kind.read(given)).toThrow(ImpossibleValueError);
    },
  );
});

describe("trusted proxies", () => {
  it("are addresses and networks", () => {
    const read = trustedProxies.kind.read("127.0.0.1, 10.0.0.0/8,2001:db8::/32");
    expect(trustedProxies.kind.write(read)).toEqual(["127.0.0.1", "10.0.0.0/8", "2001:db8::/32"]);
    expect(() => trustedProxies.kind.read("example.org")).toThrow(ImpossibleValueError);
    expect(() => trustedProxies.kind.read("10.0.0.0/33")).toThrow(ImpossibleValueError);
  });
});

describe("a size to compress from", () => {
  it("may be off", () => {
    expect(compressFrom.kind.read("off")).toBe(Number.POSITIVE_INFINITY);
    expect(compressFrom.kind.write(Number.POSITIVE_INFINITY)).toBe("off");
    expect(compressFrom.kind.read("1KiB")).toBe(1_024);
    expect(() => compressFrom.kind.read("never")).toThrow(ImpossibleValueError);
  });
});
