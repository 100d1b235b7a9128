import { expect, test } from "vitest";
import { matchPath } from "./open-page.ts";

test.each([
  ["", "", {}],
  ["", "block", undefined],
  ["forgers", "forgers", {}],
  ["forgers", "forgers/", {}],
  ["forgers", "forgers/x", undefined],
  ["block/:id", "block/5", { id: "5" }],
  ["block/:id", "block/5/", { id: "5" }],
  ["block/:id", "block", undefined],
  ["block/:id", "block/", undefined],
  ["block/:id", "transaction/5", undefined],
  ["identity/:did", "identity/did%3Alto%3A3N%2Fx", { did: "did:lto:3N/x" }],
  ["identity/:did", "identity/%", undefined],
  ["anchor/:hash?", "anchor", {}],
  ["anchor/:hash?", "anchor/ab", { hash: "ab" }],
])("%s matches %s with %o", (pattern, path, params) => {
  expect(matchPath(pattern, path)).toEqual(params);
});
