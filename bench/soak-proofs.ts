/**
 * Anchors many hashes in trees and in batches, with a node that is killed in between, and checks each proof with
 * independent programs: `npm run soak:proofs -- --hashes 10000`. The run passes if every hash that was answered with
 * 202 is anchored, and `merkle-tools` and `test/support/chainpoint.py` accept all proofs and reject proofs of other
 * hashes.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import MerkleTools, { type Proof } from "merkle-tools";
import { type Client, createClient, FailedRequestError } from "../src/client/client.ts";
import { type Served, serve } from "./support.ts";

const [option = "--hashes", value = "10000", ...more] = process.argv.slice(2);
const count = /^[1-9]\d{0,5}$/.test(value) ? Number(value) : Number.NaN;
if (option !== "--hashes" || more.length > 0 || !(count <= 100_000)) {
  console.error("Usage: npm run soak:proofs -- --hashes N    (up to 100000)");
  process.exit(2);
}

const MODES = ["merkle", "batch"] as const;
/** Concurrent requests. */
const CONCURRENT_REQUESTS = 16;
/** A block has room for a few hundred transactions; the worst case is one of 100 hashes each. */
const ANCHORING_TIMEOUT_MS = 120_000 + count * 30;

const cli = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
const python = fileURLToPath(new URL("../../test/support/chainpoint.py", import.meta.url));

/** A proof in the specified format. The root of an anchor without a tree is the hash itself. */
interface WholeProof {
  readonly targetHash: string;
  readonly merkleRoot: string;
  readonly proof: readonly ({ readonly left: string } | { readonly right: string })[];
  readonly anchors: readonly { readonly sourceId: string }[];
}

/** Processes items with this many concurrent workers. */
async function forEach<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  await Promise.all(
    Array.from({ length: CONCURRENT_REQUESTS }, async () => {
      for (const item of left) await work(item);
    }),
  );
}

async function kill({ process: node }: Served): Promise<void> {
  const ended = once(node, "exit");
  node.kill("SIGKILL");
  await ended;
}

/**
 * Posts hashes until the node has promised each. A request that a kill interrupted does not count, because its outcome
 * is unknown.
 */
async function post(url: string, hashes: readonly string[], promised: Set<string>): Promise<void> {
  await forEach(
    hashes.filter((hash) => !promised.has(hash)),
    async (hash) => {
      const body = JSON.stringify({ hash });
      const headers = { "content-type": "application/json" };
      const answer = await fetch(`${url}/hash`, { method: "POST", headers, body }).catch(() => undefined);
      if (answer === undefined) return;
      const text = await answer.text();
      if (answer.status !== 202) throw new Error(`POST /hash: ${answer.status} ${text}`);
      promised.add(hash);
    },
  );
}

async function settled(client: Client): Promise<void> {
  const end = Date.now() + ANCHORING_TIMEOUT_MS;
  for (;;) {
    const queue = await client.call("GET /anchors/queue");
    if (queue.waiting === 0) break;
    if (Date.now() > end) throw new Error(`${queue.waiting} hashes are still pending: ${queue.problem}`);
    await delay(200);
  }
}

/** Returns the proof once the hash is in a block. */
async function proofOf(client: Client, hash: string): Promise<WholeProof> {
  const end = Date.now() + ANCHORING_TIMEOUT_MS;
  for (;;) {
    try {
      const { chainpoint } = await client.call("GET /hash/:hash", { params: { hash } });
      if (chainpoint.block !== undefined)
        return { proof: [], merkleRoot: chainpoint.targetHash, ...chainpoint };
    } catch (error) {
      if (!(error instanceof FailedRequestError) || error.status !== 404) throw error;
    }
    if (Date.now() > end) throw new Error(`Timeout: no proof of ${hash}`);
    await delay(200);
  }
}

const merkleTools = new MerkleTools({ hashType: "sha256" });

function acceptedByMerkleTools(proofs: readonly WholeProof[]): number {
  return proofs.filter(({ proof, targetHash, merkleRoot }) =>
    // The package's type declaration names a single step instead of a list.
    merkleTools.validateProof(proof as unknown as Proof<string>, targetHash, merkleRoot),
  ).length;
}

function acceptedByPython(proofs: readonly WholeProof[]): number {
  const input = proofs.map((proof) => `${JSON.stringify(proof)}\n`).join("");
  const { stdout, error } = spawnSync("python3", [python], { input, encoding: "utf8", maxBuffer: 2 ** 28 });
  if (error !== undefined) throw error;
  return Number(stdout);
}

function expectCount(what: string, found: number, wanted: number): void {
  console.log(`  ${what}: ${found.toLocaleString("en")}`);
  if (found !== wanted) throw new Error(`${what}: found ${found}, expected ${wanted}`);
}

async function soak(mode: (typeof MODES)[number]): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "holdfast-proofs-"));
  const start = (): Promise<Served> =>
    serve([
      ...[cli, "start", "--data-dir", home, "--api-port", "0"],
      ...["--anchor-batch", mode, "--anchor-tree-interval", "2s"],
    ]);
  const begin = performance.now();
  const hashes = Array.from({ length: count }, (_, i) =>
    createHash("sha256").update(`${mode} ${i}`).digest("hex"),
  );
  const promised = new Set<string>();
  let node = await start();
  try {
    console.log(`${mode}: ${count.toLocaleString("en")} hashes`);
    await Promise.all([
      post(node.url, hashes, promised),
      (async () => {
        for (const end = Date.now() + ANCHORING_TIMEOUT_MS; promised.size < count / 2; await delay(5))
          if (Date.now() > end) throw new Error(`Timeout: the node accepted only ${promised.size} hashes`);
        await kill(node);
      })(),
    ]);
    console.log(`  accepted before the node was killed: ${promised.size.toLocaleString("en")}`);
    node = await start();
    const client = createClient({ url: node.url, fetch });
    await post(node.url, hashes, promised);
    expectCount("promised at the end", promised.size, count);
    await settled(client);

    const proofs: WholeProof[] = [];
    await forEach(hashes, async (hash) => {
      const proof = await proofOf(client, hash);
      if (proof.targetHash !== hash) throw new Error(`The proof of ${hash} is for ${proof.targetHash}`);
      proofs.push(proof);
    });
    console.log(
      `  transactions: ${new Set(proofs.map(({ anchors }) => anchors[0]?.sourceId)).size}, roots: ${new Set(proofs.map(({ merkleRoot }) => merkleRoot)).size}`,
    );
    const ofOthers = proofs.map((proof, i) => ({
      ...proof,
      targetHash: createHash("sha256").update(`${i}`).digest("hex"),
    }));
    expectCount("proofs that merkle-tools accepts", acceptedByMerkleTools(proofs), count);
    expectCount("proofs that chainpoint.py accepts", acceptedByPython(proofs), count);
    expectCount(
      "proofs of other hashes that a program accepts",
      acceptedByMerkleTools(ofOthers) + acceptedByPython(ofOthers),
      0,
    );
    console.log(`  ${((performance.now() - begin) / 1000).toFixed(0)} s`);
  } finally {
    await kill(node);
    rmSync(home, { recursive: true, force: true });
  }
}

for (const mode of MODES) await soak(mode);
