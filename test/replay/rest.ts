/** Replays the recorded exchanges of the reference's public node against a whole node. */
import { expect } from "vitest";
import { JsonNumber, type JsonValue } from "../../src/bytes/json.ts";
import { expectKnown, loadVectorsJson } from "../vectors.ts";
import type { ExactRequest } from "./http-exchange.ts";
import { type ReplayedNode, startReplayedNode } from "./node.ts";
import { stepOf } from "./recording.ts";
import { Replay } from "./replay.ts";

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

/** Sends requests of a recording to another server, too. */
export interface OtherServer {
  differences(request: ExactRequest): Promise<string[]>;
  stop(): Promise<void>;
}

/**
 * Replays a file of `rest/`, and expects no differences.
 * @param beside starts a server that gets the same requests, after the node
 */
export async function replayRest(
  name: string,
  beside?: (node: ReplayedNode) => Promise<OtherServer>,
): Promise<void> {
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
  let other: OtherServer | undefined;
  try {
    other = await beside?.(node);
    const replayed = new Replay(node, other?.differences);
    const found: string[] = [];
    for (const step of [...setup, ...exchanges]) {
      found.push(...(await replayed.run(step)));
      // The following steps depend on this wait.
      if (found.length > 0 && (step.retry || step.waitBlocks > 0)) break;
    }
    expect(found).toEqual([]);
  } finally {
    await other?.stop();
    await node.stop();
  }
}
