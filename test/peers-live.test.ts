/** Connected nodes as operators run them: real processes, clocks, files and sockets, on loopback. */
import { randomBytes } from "node:crypto";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { LTO } from "@ltonetwork/lto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeBranch } from "./support/branches.ts";
import { nextWrite } from "./support/next-write.ts";
import { confirmed, removeFolder, runCli, temporaryFolder, until } from "./support/node-process.ts";
import { type PeerProcess, sameTip, startPeer, tipOf } from "./support/peer-process.ts";
import { hasVectors, vectorsPath } from "./vectors.ts";

const long = vectorsPath("chains/long");
const LONG_HEIGHT = 1_140;
const load = vectorsPath("chains/load");
const FORK_BLOCKS = 20;

let folder: string;
const running: PeerProcess[] = [];

beforeEach(() => {
  folder = temporaryFolder("peers");
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((node) => node.kill()));
  removeFolder(folder);
});

async function start(chain: string, name: string, ...args: string[]): Promise<PeerProcess> {
  const genesis = join(chain, "genesis.json");
  const node = await startPeer({
    dataDir: join(folder, name),
    genesis,
    args: ["--node-name", name, ...args],
  });
  running.push(node);
  return node;
}

async function importBlocks(chain: string, name: string, file: string): Promise<void> {
  const args = ["--genesis", join(chain, "genesis.json"), "--data-dir", join(folder, name)];
  const { code, stderr } = await runCli(["import", file, ...args]);
  expect(code, stderr).toBe(0);
}

test.skipIf(!hasVectors("chains/long"))(
  "five nodes in a line pass on 1,140 blocks, a transaction and its micro block",
  async () => {
    await importBlocks(long, "node-1", join(long, "blocks.bin"));
    const nodes = await Promise.all(
      Array.from({ length: 5 }, (_, i) =>
        start(
          long,
          `node-${i + 1}`,
          "--no-peers-exchange",
          // The first node forges as soon as it has two neighbours.
          ...(i === 0
            ? ["--wallet-seed", "long F1", "--forge-quorum", "2", "--micro-block-interval", "500ms"]
            : ["--no-forge"]),
        ),
      ),
    );
    const [first, , , , last] = nodes;
    for (const [i, node] of nodes.slice(1).entries()) await node.connect(nodes[i]);
    expect(await sameTip(nodes, LONG_HEIGHT)).toBe(
      (await first.get(`/blocks/headers/at/${LONG_HEIGHT}`)).json.signature,
    );

    const lto = new LTO("V");
    lto.nodeAddress = last.url;
    const sender = lto.account({ seed: "long F1" });
    const transfer = await lto.transfer(sender, lto.account({ seed: "somebody" }), 100_000_000);
    const { id: sent } = transfer;
    await until("the transaction in the pool at the other end", async () => {
      const { status } = await first.get(`/transactions/unconfirmed/info/${sent}`);
      return status === 200 ? true : undefined;
    });

    await first.connect(last);
    const at = await Promise.all(nodes.map((node) => confirmed(node, sent ?? "")));
    expect(new Set(at.map(({ height }) => height)).size).toBe(1);
    // Another transaction goes into a micro block. Retry once: a key block may come in between, or the previous
    // transaction just before it.
    await until("a micro block at the other end", async () => {
      const { id } = await lto.anchor(sender, randomBytes(32));
      await Promise.all(nodes.map((node) => confirmed(node, id ?? "")));
      const { json } = await last.query("/debug/historyInfo");
      return json.microBlockIds.length > 0 ? true : undefined;
    });
    for (const { get } of nodes) expect((await get("/peers/blacklisted")).json).toEqual([]);
    expect(await Promise.all(nodes.map((node) => node.stop()))).toEqual([0, 0, 0, 0, 0]);
  },
);

test.skipIf(!hasVectors("chains/load"))(
  "a better branch replaces one of 20 blocks, also on a node that is killed meanwhile",
  async () => {
    const worse = makeBranch(load, join(folder, "worse.bin"), "F3", FORK_BLOCKS);
    const better = makeBranch(load, join(folder, "better.bin"), "F1", FORK_BLOCKS + 2);
    expect(better.score).toBeGreaterThan(worse.score);
    await Promise.all([importBlocks(load, "better", better.file), importBlocks(load, "plain", worse.file)]);
    cpSync(join(folder, "plain"), join(folder, "killed"), { recursive: true });
    const [best, plain, killed] = await Promise.all(
      ["better", "plain", "killed"].map((name) => start(load, name, "--no-forge", "--no-peers-exchange")),
    );
    expect(await Promise.all([plain, killed].map(tipOf))).toEqual([worse.id, worse.id]);

    // The switch causes the first write of an otherwise idle node.
    const written = nextWrite(join(killed.dataDir, "chain", "data.mdb"));
    await killed.connect(best);
    await written;
    await killed.kill();
    const again = await start(load, "killed", "--no-forge", "--no-peers-exchange");
    expect([worse.id, better.id]).toContain(await tipOf(again));

    await plain.connect(best);
    await again.connect(best);
    expect(await sameTip([best, plain, again], better.height)).toBe(better.id);
    expect(await tipOf(best)).toBe(better.id);
    // The reverted transactions are too old to return to the pool.
    for (const node of [plain, again]) {
      expect((await node.get(`/transactions/info/${worse.transaction}`)).status).toBe(404);
      expect((await node.get(`/transactions/info/${better.transaction}`)).status).toBe(200);
      expect((await node.get("/peers/blacklisted")).json).toEqual([]);
    }
    expect(await Promise.all([best, plain, again].map((node) => node.stop()))).toEqual([0, 0, 0]);
    for (const name of ["plain", "killed"]) {
      const args = ["--genesis", join(load, "genesis.json"), "--data-dir", join(folder, name)];
      const { code, stdout, stderr } = await runCli(["verify", ...args]);
      expect(code, stdout + stderr).toBe(0);
    }
  },
);
