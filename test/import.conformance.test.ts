/** Recorded chains through the import pipeline, into a store on disk and out again. README of `chains/`. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { encodeBase58 } from "../src/bytes/base58.ts";
import { type JsonObject, parseJson, printJson } from "../src/bytes/json.ts";
import type { Chain } from "../src/chain/chain.ts";
import { exportedBlocks } from "../src/chain/jobs/export.ts";
import { type ImportResult, importBlocks } from "../src/chain/jobs/import.ts";
import { headerRow } from "../src/chain/reading/rows.ts";
import { chainReader } from "../src/chain/snapshot.ts";
import { addressText } from "../src/crypto/addresses.ts";
import { createNode } from "../src/node.ts";
import { customProfile } from "../src/profiles/index.ts";
import { openStore, type Store } from "../src/storage/store.ts";
import { settingsOf } from "../src/testing/settings.ts";
import { simulatedEnvironment } from "../src/testing/simulated-environment.ts";
import { VirtualClock } from "../src/testing/virtual-clock.ts";
import { fixedWallet } from "../src/wallet/fixed-wallet.ts";
import { bytesSource } from "./support/bytes-source.ts";
import { removeFolder, temporaryFolder } from "./support/node-process.ts";
import { hasVectors, vectorsPath } from "./vectors.ts";

const names = hasVectors("chains")
  ? readdirSync(vectorsPath("chains")).filter((name) => hasVectors(`chains/${name}/blocks.bin`))
  : [];

test.skipIf(!hasVectors("chains"))("there are recorded chains", () => {
  expect(names.length).toBeGreaterThan(0);
});

/** Large: `bench/import` measures it. This test runs it only with external data. */
const LARGE = "load";
const trust = { network: new Map(), root: undefined };

describe.each(names)("import of the recorded chain %s", (name) => {
  if (name === LARGE && process.env.HOLDFAST_VECTORS === undefined) {
    test.skip("is run by the benchmark");
    return;
  }
  const folder = vectorsPath(`chains/${name}`);
  const text = (file: string): string => readFileSync(`${folder}/${file}`, "utf8");
  const has = (file: string): boolean => existsSync(`${folder}/${file}`);
  const file = new Uint8Array(readFileSync(`${folder}/blocks.bin`));
  const profile = customProfile(text("genesis.json"));
  const data = temporaryFolder("import");
  let store: Store;
  let chain: Chain;
  let result: ImportResult;

  beforeAll(async () => {
    store = await openStore(data, { network: name, rollbackDepth: profile.rollbackDepth });
    // The clock is before every block of the file: an import does not depend on it.
    const clock = new VirtualClock(0);
    const environment = simulatedEnvironment({ clock, store, wallet: fixedWallet([], profile.chainId) });
    chain = createNode(environment, settingsOf(profile)).chain;
    const verifier = environment.verifier(profile);
    result = await importBlocks(chain, profile, bytesSource(file), { verifier, commitEvery: 500 });
  });

  afterAll(async () => {
    await store.close();
    removeFolder(data);
  });

  test("accepts every block and persists the last one", () => {
    expect(result).toMatchObject({ outcome: "complete", known: 0, refused: undefined });
    expect(result.blocks).toBeGreaterThan(0);
    expect(chain.tip).toMatchObject({
      height: result.blocks + 1,
      persistedHeight: result.blocks + 1,
      liquid: false,
    });
  });

  test("exports the same file", async () => {
    const entries: Uint8Array[] = [];
    for await (const { entry } of exportedBlocks(store)) entries.push(entry);
    expect(Buffer.compare(Buffer.concat(entries), file)).toBe(0);
  });

  test.skipIf(!has("blocks.jsonl.gz"))("gives the recorded block at every height", () => {
    const lines = gunzipSync(readFileSync(`${folder}/blocks.jsonl.gz`))
      .toString("utf8")
      .split("\n")
      .filter((line) => line !== "");
    expect(lines).toHaveLength(chain.tip.height);
    store.read((reader) => {
      for (const line of lines) {
        const recorded = parseJson(line, { maxDepth: 1000 }) as JsonObject;
        const height = Number(printJson(recorded.get("height")));
        const id = (recorded.get("block") as JsonObject).get("signature");
        expect(`${height} ${encodeBase58(headerRow(reader, height).signature)}`).toBe(`${height} ${id}`);
      }
    });
  });

  test.skipIf(!has("state"))("gives the recorded balances at the recorded heights", () => {
    const files = readdirSync(`${folder}/state`);
    expect(files.length).toBeGreaterThan(0);
    const context = { profile, rules: chain.rules, indexAll: true, trust };
    chainReader(store, context).read((snapshot) => {
      for (const state of files) {
        const height = Number(/^h-(\d+)\.json$/.exec(state)?.[1]);
        const expected = parseJson(text(`state/${state}`)) as JsonObject;
        const actual = [...snapshot.accounts.distribution(height)].map(
          ({ address, balance }) => [addressText(address), String(balance)] as const,
        );
        expect(actual.length).toBeGreaterThan(0);
        expect(new Map(actual)).toEqual(
          new Map([...expected].map(([address, balance]) => [address, printJson(balance)])),
        );
      }
    });
  });
});
