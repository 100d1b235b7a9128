/** Replays the recorded exchanges with the reference's public node against a whole node. */
import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { replayRest } from "./replay/rest.ts";
import { hasVectors, vectorsPath } from "./vectors.ts";

describe.skipIf(!hasVectors("rest"))("recorded exchanges", () => {
  const names = hasVectors("rest")
    ? readdirSync(vectorsPath("rest"))
        .filter((file) => file.endsWith(".json"))
        .map((file) => file.slice(0, -5))
    : [];
  it("exist", () => expect(names.length).toBeGreaterThan(0));
  for (const name of names) it(name, () => replayRest(name), 300_000);
});
