import { expect, test } from "vitest";
import type { Deactivation, MethodRecord, ServiceRecord } from "../../storage/values/indexes.ts";
import { resolveDid } from "./did-resolution.ts";

test("a long text is not a date, and is rejected without a search", () => {
  const facts = {
    key: () => undefined,
    methods: () => [],
    services: () => [],
    deactivation: () => undefined,
  };
  const did = "3JuijVBB7NCwCz2Ae5HhCDsqCXzeBLRTyeL";
  const at = (versionTime: string) => resolveDid(facts, "LTO", { did, now: 0, versionTime });
  expect(at("2023-01-01T00:00:00+01:00").documentError?.error).not.toBe("invalidDidUrl");
  // With backtracking over every start and end, this would take hours.
  for (const text of [":00+0000(".repeat(1_800), ":00".repeat(5_000), "+00:00".repeat(2_500)]) {
    expect(at(text)).toMatchObject({ status: 400, documentError: { error: "invalidDidUrl" } });
  }
});

test("a resolution is permanent after the last change, and for an explicit time", () => {
  const did = "3JuijVBB7NCwCz2Ae5HhCDsqCXzeBLRTyeL";
  const recipient = new Uint8Array(26);
  const facts = {
    key: () => ({ keyType: "ed25519" as const, publicKey: new Uint8Array(32).fill(9), created: 100n }),
    methods: (): MethodRecord[] => [
      { capability: false, relationships: 0x101, recipient, timestamp: 200n, expires: 300n },
      { capability: true, relationships: 0x108, recipient, timestamp: 400n },
    ],
    services: (): ServiceRecord[] => [{ fragment: "#a", json: undefined, timestamp: 500n }],
    deactivation: (): Deactivation | undefined => undefined,
  };
  const lasts = (now: number, one: Partial<typeof facts> = {}, versionTime?: string): boolean =>
    resolveDid({ ...facts, ...one }, "LTO", { did, now, versionTime }).isCacheable === true;
  for (const now of [99, 299, 300, 400, 500]) expect(lasts(now), String(now)).toBe(false);
  expect(lasts(501)).toBe(true);
  const [method, power] = facts.methods() as [MethodRecord, MethodRecord];
  const few = { services: () => [] };
  expect(lasts(400, few)).toBe(false);
  expect(lasts(401, few)).toBe(true);
  expect([300, 301].map((now) => lasts(now, { ...few, methods: () => [method] }))).toEqual([false, true]);
  expect(lasts(401, { ...few, methods: () => [{ ...power, expires: 1_000n }] })).toBe(false);
  const deactivation = { sender: recipient, timestamp: 600n };
  expect([600, 601].map((now) => lasts(now, { deactivation: () => deactivation }))).toEqual([false, true]);
  expect(lasts(0, {}, "1970-01-01T00:00:10Z")).toBe(true);
});
