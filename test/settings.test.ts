/** A setting without effect would mislead operators. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Group } from "../src/config/settings.ts";
import { allSettings, splitKey } from "../src/config/sources/settings-by-name.ts";

const source = join(import.meta.dirname, "..", "src");

/** Settings that config/load.ts merges into others or evaluates itself. */
const usedByConfig = new Set(["node.network", "node.genesis", "api.apiKey", "wallet.seedBase58"]);

/** Where the members of a group are used: files that receive the group, and files that read single members. */
const users: Readonly<Record<Group, readonly string[]>> = {
  node: ["node.ts", "node", "cli", "peers"],
  api: ["node.ts", "node", "api"],
  following: ["node", "cli"],
  gateway: ["node", "cli"],
  wallet: ["wallet", "node", "cli"],
  forging: ["node.ts", "node", "forging"],
  pool: ["mempool"],
  connections: ["peers", "config/load.ts"],
  sync: ["peers", "chain"],
  chain: ["chain", "node", "storage"],
  imports: ["cli"],
  disk: ["node"],
  backup: ["node", "node.ts"],
  index: ["node.ts", "node", "indexes", "chain", "api"],
  anchoring: ["node.ts", "node", "anchoring"],
  mirror: ["node"],
  monitoring: ["node"],
  control: ["node"],
};

function codeOf(place: string): string {
  const path = join(source, place);
  if (!statSync(path).isDirectory()) return readFileSync(path, "utf8");
  return readdirSync(path, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => readFileSync(join(path, name), "utf8"))
    .join("\n");
}

test("every setting is used by the node", () => {
  const unused = allSettings
    .map(([key]) => key)
    .filter((key) => !usedByConfig.has(key))
    .filter((key) => {
      const [group, name] = splitKey(key);
      return !users[group].some((place) => new RegExp(`[.{,]\\s*${name}\\b`).test(codeOf(place)));
    });
  expect(unused).toEqual([]);
});
