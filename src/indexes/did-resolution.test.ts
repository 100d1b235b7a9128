import { expect, test } from "vitest";
import { resolveDid } from "./did-resolution.ts";

test("a date is short: a long text is none, and is not searched for one", () => {
  const facts = {
    key: () => undefined,
    methods: () => [],
    services: () => [],
    deactivation: () => undefined,
  };
  const did = "3JuijVBB7NCwCz2Ae5HhCDsqCXzeBLRTyeL";
  const at = (versionTime: string) => resolveDid(facts, "LTO", { did, now: 0, versionTime });
  expect(at("2023-01-01T00:00:00+01:00").documentError?.error).not.toBe("invalidDidUrl");
  // Every place where the pattern could begin, with every place where it could end: hours.
  for (const text of [":00+0000(".repeat(1_800), ":00".repeat(5_000), "+00:00".repeat(2_500)]) {
    expect(at(text)).toMatchObject({ status: 400, documentError: { error: "invalidDidUrl" } });
  }
});
