import { expect, test } from "vitest";
import { WrongNetworkError } from "./disk/directory.ts";
import { networkIdentity, networkText } from "./network-identity.ts";

test("an error about the wrong network shows chain ids as characters", () => {
  const found = networkIdentity("my net", 84, "5Gx");
  const expected = networkIdentity("dev", 68, "7Hy");
  expect(found).toBe("my net 84 5Gx");
  expect(new WrongNetworkError("/data", found, expected).message).toBe(
    "The data directory /data belongs to the network my net (chain id T, genesis block 5Gx), " +
      "not to dev (chain id D, genesis block 7Hy)",
  );
});

test("an invisible chain id is a number, and another text stays as it is", () => {
  expect(networkText(networkIdentity("x", 7, "5Gx"))).toBe("x (chain id 7, genesis block 5Gx)");
  expect(networkText("test")).toBe("test");
});
