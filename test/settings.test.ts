/** A setting that changes nothing would be a lie to the operator. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { allSettings } from "../src/config/sources/settings-by-name.ts";

const source = join(import.meta.dirname, "..", "src");

/** What config/load.ts merges into other settings, and what it decides by itself. */
const usedByConfig = new Set(["network", "genesis", "apiKey", "walletSeedBase58"]);
test("every setting is used by the node", () => {
  const code = ["node.ts", "cli", "node", "config/wallet-options.ts", "config/peers-options.ts"]
    .flatMap((place) =>
      place.endsWith(".ts")
        ? [place]
        : readdirSync(join(source, place), { recursive: true, encoding: "utf8" })
            .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
            .map((name) => join(place, name)),
    )
    .map((path) => readFileSync(join(source, path), "utf8"))
    .join("\n");
  const unused = allSettings
    .map(([key]) => key)
    .filter((key) => !usedByConfig.has(key))
    .filter((key) => !new RegExp(`[.{,]\\s*${key}\\b`).test(code));
  expect(unused).toEqual([]);
});
