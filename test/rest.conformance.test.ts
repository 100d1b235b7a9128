/** Replays the recorded exchanges with the reference's public node against a whole node. */
import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { JsonNumber, type JsonValue } from "../src/bytes/json.ts";
import { startReplayedNode } from "./replay/node.ts";
import { stepOf } from "./replay/recording.ts";
import { Replay } from "./replay/replay.ts";
import { expectKnown, hasVectors, loadVectorsJson, vectorsPath } from "./vectors.ts";

/** Some files have transactions with fixed times shortly after the genesis block; others use the node's time. */
const AFTER_GENESIS_MS = 30 * 60_000;

const MEMBERS = [
  "group",
  "description",
  "custom",
  "genesis",
  "config",
  "apiKey",
  "changesState",
  "setup",
  "exchanges",
];

function object(value: JsonValue | undefined): ReadonlyMap<string, JsonValue> {
  if (!(value instanceof Map)) throw new Error("not an object");
  return value;
}

function list(value: JsonValue | undefined): readonly JsonValue[] {
  if (!Array.isArray(value)) throw new Error("not a list");
  return value;
}

async function replay(name: string): Promise<void> {
  const file = object(loadVectorsJson(`rest/${name}.json`));
  expectKnown(file.keys(), MEMBERS, name);
  const custom = object(file.get("custom"));
  const time = object(custom.get("genesis")).get("timestamp");
  if (!(time instanceof JsonNumber)) throw new Error(`${name}: no genesis timestamp`);
  const config = list(file.get("config")).map(String);
  const setup = list(file.get("setup")).map(stepOf);
  const exchanges = list(file.get("exchanges")).map(stepOf);
  expect(exchanges.length).toBeGreaterThan(0);

  const ownSeed = config.some((line) => line.startsWith("lto.wallet.account-seed"));
  const ownKey = config.some((line) => line.startsWith("lto.rest-api.api-key-hash"));
  const node = await startReplayedNode({
    custom,
    config,
    environment: {
      ...(ownKey ? {} : { HOLDFAST_API_KEY: String(file.get("apiKey")) }),
      ...(ownSeed ? {} : { HOLDFAST_WALLET_SEED: "root" }),
    },
    now: time.toNumber() + AFTER_GENESIS_MS,
  });
  try {
    const replayed = new Replay(node);
    const found: string[] = [];
    for (const step of [...setup, ...exchanges]) {
      found.push(...(await replayed.run(step)));
      // The following steps depend on this wait.
      if (found.length > 0 && (step.retry || step.waitBlocks > 0)) break;
    }
    expect(found).toEqual([]);
  } finally {
    await node.stop();
  }
}

describe.skipIf(!hasVectors("rest"))("recorded exchanges", () => {
  const names = hasVectors("rest")
    ? readdirSync(vectorsPath("rest"))
        .filter((file) => file.endsWith(".json"))
        .map((file) => file.slice(0, -5))
    : [];
  it("exist", () => expect(names.length).toBeGreaterThan(0));
  for (const name of names) it(name, () => replay(name), 300_000);
});
