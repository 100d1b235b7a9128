import { expect, test } from "vitest";
import { afterPrefix } from "./kv.ts";

test("the key after a prefix is a copy, for any kind of array", () => {
  for (const prefix of [Uint8Array.of(1, 2), Buffer.from([1, 2])]) {
    expect([...(afterPrefix(prefix) ?? [])]).toEqual([1, 3]);
    expect([...prefix]).toEqual([1, 2]);
  }
  expect([...(afterPrefix(Uint8Array.of(1, 0xff, 0xff)) ?? [])]).toEqual([2]);
  expect(afterPrefix(Uint8Array.of(0xff))).toBeUndefined();
});
