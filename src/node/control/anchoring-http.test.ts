/** Answers about pending anchors over HTTP. */
import { afterEach, expect, test } from "vitest";
import { encodeHex } from "../../bytes/hex.ts";
import { parseChainpoint } from "../../chainpoint/proof.ts";
import { sha256 } from "../../crypto/hashes.ts";
import { type Node, startNode } from "../../node.ts";
import { dev } from "../../profiles/index.ts";
import { memoryStore } from "../../storage/memory-store.ts";
import { FailingStore } from "../../storage/testing/failing-store.ts";
import { rootKeyPair } from "../../testing/dev-node.ts";
import { SeededRandom } from "../../testing/seeded-random.ts";
import { type SettingsChanges, settingsOf } from "../../testing/settings.ts";
import { simulatedEnvironment } from "../../testing/simulated-environment.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { fixedWallet } from "../../wallet/fixed-wallet.ts";
import { startApiInline } from "../testing/api-inline.ts";

const clock = new VirtualClock(Number(dev.genesis.blockTimestamp) + 60_000);
const anchors = new FailingStore(memoryStore(), new SeededRandom(1));
let node: Node;

async function start(settings: SettingsChanges): Promise<void> {
  const environment = simulatedEnvironment({
    clock,
    store: memoryStore(),
    anchors,
    wallet: fixedWallet([rootKeyPair], dev.chainId),
    http: startApiInline(),
  });
  node = await startNode(environment, settingsOf(dev, { api: { port: 0 } }, settings));
}

afterEach(() => node.stop());

const hashOf = (text: string): string => encodeHex(sha256(new TextEncoder().encode(text)));

async function ask(path: string, body?: unknown): Promise<{ status: number; text: string }> {
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const response = await fetch(`${node.url}${path}`, {
    ...init,
    headers: { "content-type": "application/json" },
  });
  return { status: response.status, text: await response.text() };
}

const take = (hash: string) => ask("/hash", { hash, encoding: "hex" });

test("answers 202 for stored hashes, 503 if disk or queue is full, and proofs from the tree", async () => {
  await start({
    anchoring: {
      mode: "merkle",
      queueLimit: 3,
      treeLeaves: 100,
      treeMs: 1_000,
    },
  });
  anchors.faults.commits = 100;
  expect(await take(hashOf("a"))).toMatchObject({ status: 503, text: expect.stringContaining("disk") });
  anchors.faults.commits = 0;
  for (const name of ["a", "b", "a", "c"])
    expect(await take(hashOf(name))).toEqual({ status: 202, text: "" });
  const full = await take(hashOf("d"));
  expect(full).toMatchObject({ status: 503, text: expect.stringContaining("anchor queue is full") });
  expect((await ask(`/hash/${hashOf("a")}`)).status).toBe(404);
  for (let second = 0; second < 120; second++) {
    clock.advance(1_000);
    await new Promise((resolve) => setImmediate(resolve));
    await node.sender?.whenIdle();
  }
  const found = await ask(`/hash/${hashOf("b")}`);
  expect(found.status).toBe(200);
  const proof = parseChainpoint(JSON.parse(found.text));
  expect(proof.tree?.path.length).toBe(2);
  const hashes = ["a", "b", "c"].map(hashOf);
  const [{ sourceId }] = proof.anchors;
  expect(JSON.parse((await ask("/hash/verify", hashes)).text)).toEqual({
    verified: true,
    anchors: Object.fromEntries(hashes.map((hash) => [hash, sourceId])),
  });
  expect(JSON.parse((await ask("/hash/verify", [hashOf("d")])).text)).toMatchObject({ verified: false });
});
