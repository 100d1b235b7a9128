/** Whole nodes as an operator meets them: restarts, refusals, wrong files, hostile pages. */
import { createHash } from "node:crypto";
import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { request } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import {
  confirmed,
  heightOf,
  type NodeProcess,
  removeFolder,
  runCli,
  startNodeProcess,
  temporaryFolder,
  until,
} from "./support/node-process.ts";
import { signedRequest, walletKeys } from "./support/sign-request.ts";

const chainId = "Z".charCodeAt(0);
const rootAddress = "3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt";
const folders: string[] = [];
const nodes: NodeProcess[] = [];

function folder(): string {
  const path = temporaryFolder("node");
  folders.push(path);
  return path;
}

async function start(dataDir: string, ...args: string[]): Promise<NodeProcess> {
  const node = await startNodeProcess({ dataDir, args });
  nodes.push(node);
  return node;
}

afterEach(async () => {
  for (const node of nodes.splice(0)) await node.stop();
  for (const path of folders.splice(0)) removeFolder(path);
});

const anchor = (text: string) => createHash("sha256").update(text).digest();

describe("a new node", () => {
  test("says what it is, and forges its first block", async () => {
    const node = await start(folder());
    const output = node.output();
    expect(output).toContain("Network dev (LTO), height 1");
    expect(output).toContain(`Wallet account ${rootAddress}, balance 1,000,000 tokens`);
    expect(output).toContain(`HTTP interface at ${node.url}`);
    expect(output).toContain("OPEN");
    await until("the first forged block", async () => (await heightOf(node)) > 1 || undefined, 15);
  });

  test("keeps its secrets to itself", async () => {
    const dataDir = folder();
    const node = await start(dataDir, "--wallet-seed", "a most secret phrase", "--api-key", "open sesame");
    expect((await node.get("/debug/configInfo?full=true")).status).toBe(403);
    const shown = await fetch(`${node.url}/debug/configInfo?full=true`, {
      headers: { "x-api-key": "open sesame" },
    });
    const text = node.output() + (await shown.text());
    expect(shown.status).toBe(200);
    expect(text).not.toContain("most secret");
    expect(text).not.toContain("sesame");
    const wallet = join(dataDir, "wallet", "wallet.bin");
    expect(statSync(wallet).mode & 0o777).toBe(0o600);
    expect(statSync(`${wallet}.password`).mode & 0o777).toBe(0o600);
    expect(readFileSync(wallet).includes("most secret")).toBe(false);
  });
});

describe("a restart", () => {
  test("keeps height, liquid tip, wallet and balances, and packs at once", async () => {
    const dataDir = folder();
    let node = await start(dataDir);
    const created = (await node.client.call("POST /wallet/addresses")).address;
    const balance = async (): Promise<bigint> =>
      (await node.client.call("GET /addresses/balance/:address", { params: { address: created } })).balance;
    const transfer = await node.post(
      "/transactions/broadcast",
      signedRequest(
        { type: 4, recipient: created, amount: 12345, fee: 100_000_000 },
        walletKeys("root"),
        chainId,
      ),
    );
    await confirmed(node, transfer.json.id);
    const before = await node.client.call("GET /blocks/last");
    const accounts = await node.client.call("GET /wallet/addresses");
    expect(await node.stop()).toBe(0);

    node = await start(dataDir);
    const after = await node.client.call("GET /blocks/at/:height", { params: { height: before.height } });
    expect(after.transactions.map(({ id }) => id)).toContain(transfer.json.id);
    expect(await node.client.call("GET /wallet/addresses")).toEqual(accounts);
    expect(await balance()).toBe(12345n);
    const second = await node.post(
      "/transactions/broadcast",
      signedRequest(
        { type: 4, recipient: created, amount: 1, fee: 100_000_000 },
        walletKeys("root"),
        chainId,
      ),
    );
    await confirmed(node, second.json.id);
    expect(await balance()).toBe(12346n);
  });

  test("with another network is refused, and changes nothing", async () => {
    const dataDir = folder();
    const node = await start(dataDir);
    const first = await node.client.call("GET /blocks/first");
    await node.stop();
    const refused = await runCli(["start", "--network", "testnet", "--data-dir", dataDir, "--api-port", "0"]);
    expect(refused.code).toBe(4);
    expect(refused.stderr).toMatch(/network/i);
    const again = await start(dataDir);
    expect(await again.client.call("GET /blocks/first")).toEqual(first);
  });
});

describe("refusals at the start", () => {
  test("a second node on the same directory", async () => {
    const dataDir = folder();
    const node = await start(dataDir);
    const second = await runCli(["start", "--data-dir", dataDir, "--api-port", "0"]);
    expect(second.code).toBe(4);
    expect(second.stderr).toMatch(/use/i);
    expect((await node.get("/blocks/height")).status).toBe(200);
    const wallet = await runCli(["wallet", "new", "--data-dir", dataDir]);
    expect(wallet.code).not.toBe(0);
    expect(wallet.stderr).toMatch(/use|running/i);
  });

  test("a port in use", async () => {
    const busy = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => busy.once("listening", resolve));
    const { port } = busy.address() as { port: number };
    const refused = await runCli(["start", "--data-dir", folder(), "--api-port", String(port)]);
    busy.close();
    expect(refused.code).toBe(5);
    expect(refused.stderr).toContain(String(port));
  });

  test("dev on an address that others reach", async () => {
    const refused = await runCli([
      "start",
      "--data-dir",
      folder(),
      "--api-host",
      "0.0.0.0",
      "--api-port",
      "0",
    ]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("api-host");
  });

  test("a foreign directory, untouched", async () => {
    const dataDir = folder();
    const chain = join(dataDir, "chain");
    writeFileSync(chain, "not a folder of ours");
    const refused = await runCli(["start", "--data-dir", dataDir, "--api-port", "0"]);
    expect(refused.code).toBe(4);
    expect(readFileSync(chain, "utf8")).toBe("not a folder of ours");
    expect(existsSync(join(dataDir, "wallet"))).toBe(false);
  });

  test("a corrupt store, untouched", async () => {
    const dataDir = folder();
    const node = await start(dataDir);
    await node.stop();
    const file = readdirSync(join(dataDir, "chain"))
      .map((name) => join(dataDir, "chain", name))
      .sort((a, b) => statSync(b).size - statSync(a).size)[0] as string;
    const damaged = Buffer.alloc(statSync(file).size, 0x55);
    writeFileSync(file, damaged);
    const refused = await runCli(["start", "--data-dir", dataDir, "--api-port", "0"]);
    expect(refused.code).toBe(4);
    expect(readFileSync(file).equals(damaged)).toBe(true);
  });

  test("a store that lost its file, or the end of it: no new chain, and no signal", async () => {
    const dataDir = folder();
    const node = await start(dataDir);
    await node.stop();
    const file = join(dataDir, "chain", "data.mdb");
    for (const [damage, words] of [
      [() => truncateSync(file, statSync(file).size / 2), /is cut off/],
      [() => rmSync(file), /is missing, though a chain was stored in it/],
    ] as const) {
      damage();
      const refused = await runCli(["start", "--data-dir", dataDir, "--api-port", "0"]);
      expect(refused.stderr).toMatch(words);
      expect(refused.stderr.trim()).not.toContain("\n");
      expect(refused.code).toBe(4);
    }
    expect(existsSync(file)).toBe(false);
  });

  test("a wallet file that is damaged, or of another seed", async () => {
    const dataDir = folder();
    const node = await start(dataDir);
    await node.stop();
    const other = await runCli(["start", "--data-dir", dataDir, "--api-port", "0", "--wallet-seed", "other"]);
    expect(other.code).toBe(3);
    expect(other.stderr).toMatch(/seed/i);
    expect(other.stderr).not.toContain("other words");
    const file = join(dataDir, "wallet", "wallet.bin");
    const bytes = readFileSync(file);
    bytes[bytes.length - 1] = (bytes[bytes.length - 1] as number) ^ 1;
    writeFileSync(file, bytes);
    const damaged = await runCli(["start", "--data-dir", dataDir, "--api-port", "0"]);
    expect(damaged.code).toBe(3);
    expect(readFileSync(file).equals(bytes)).toBe(true);
  });
});

describe("an anchored hash", () => {
  test("is proved in every encoding, and through a rollback", async () => {
    const node = await start(folder(), "--no-forge");
    // Without forging the transaction stays in the pool.
    const hash = anchor("a file");
    const anchored = await node.client.call("POST /hash", { body: { hash: hash.toString("hex") } });
    expect(anchored?.chainpoint).toEqual({
      "@context": "https://w3id.org/chainpoint/v2",
      type: "ChainpointSHA256v2",
      targetHash: hash.toString("hex"),
      anchors: [{ type: "LTODataTransaction", sourceId: expect.any(String) }],
    });
    const proof = await node.client.call("GET /hash/:hash", { params: { hash: hash.toString("hex") } });
    expect(proof.chainpoint).toEqual(anchored?.chainpoint);
  });

  test("gets its height, loses it with the block, and never vanishes", async () => {
    const node = await start(folder());
    const hash = anchor("another file");
    const base58 = Buffer.from(hash).toString("base64");
    const posted = await node.client.call("POST /hash", { body: { hash: base58, encoding: "base64" } });
    const proof = async () =>
      (await node.client.call("GET /hash/:hash", { params: { hash: hash.toString("hex") } })).chainpoint;
    const inBlock = await until("the proof with a height", async () => {
      const found = await proof();
      return found.block === undefined ? undefined : found;
    });
    expect(inBlock.anchors).toEqual(posted?.chainpoint.anchors);
    const height = Number(inBlock.block?.height);
    const id = inBlock.anchors[0].sourceId;
    for (const path of [
      `/hash/${hash.toString("hex").toUpperCase()}`,
      `/hash/${encodeURIComponent(base58)}/encoding/base64`,
    ]) {
      expect((await node.get(path)).json.chainpoint).toEqual(inBlock);
    }
    // A key block above, so that the block with the anchor can be removed by height.
    await until("the next block", async () => (await heightOf(node)) > height || undefined);
    await node.client.call("POST /debug/rollback", {
      body: { rollbackTo: height - 1, returnTransactionsToUtx: true },
    });
    const states = new Set<string>();
    await until("the proof in a block again", async () => {
      const { anchors, block } = await proof();
      expect(anchors[0].sourceId).toBe(id);
      const again = block?.height;
      states.add(again === undefined ? "unconfirmed" : "confirmed");
      return again;
    });
    expect(states).toContain("confirmed");
  });
});

describe("bad input", () => {
  test("never ends in a failure of the node", async () => {
    const node = await start(folder(), "--no-forge");
    const good = JSON.parse(
      signedRequest(
        { type: 4, recipient: rootAddress, amount: 1, fee: 100_000_000 },
        walletKeys("root"),
        chainId,
      ),
    );
    const post = (body: unknown) => node.post("/transactions/broadcast", body);
    const cases: [unknown, number, number | undefined][] = [
      [{ ...good, recipient: "0OIl" }, 400, 102],
      [{ ...good, recipient: "3JmCa4jLVv7Yn2XkCnBUGsa7WNFVEMxAfWe" }, 400, 102],
      [{ ...good, amount: -1 }, 400, 111],
      [JSON.stringify(good).replace('"amount":1', '"amount":1e30'), 400, 1],
      [JSON.stringify(good).replace('"amount":1', '"amount":1.5'), 400, 1],
      [JSON.stringify(good).replace('"amount":1', '"amount":9223372036854775807'), 400, 113],
      [{ ...good, amount: "1" }, 400, 1],
      [{ ...good, type: 99 }, 400, 199],
      [{ ...good, unknownMember: true }, 200, undefined],
      ["{", 400, 1],
      [`${"[".repeat(100_000)}${"]".repeat(100_000)}`, 400, 1],
      ['{"type":4,"__proto__":{"amount":1}}', 400, 1],
    ];
    for (const [body, status, error] of cases) {
      const answer = await post(body);
      expect([answer.status, answer.json?.error], answer.text.slice(0, 200)).toEqual([status, error]);
      expect(answer.text).not.toMatch(/ at .*\.(js|ts):\d+/);
    }
    const large = await post(`{"type":4,"x":"${"a".repeat(1_048_576)}"}`);
    expect(large.json).toEqual({ error: 413, message: "body too large" });
    expect((await node.get("/no/such/path")).json).toEqual({ error: 404, message: "not found" });
    const method = await fetch(`${node.url}/blocks/height`, { method: "DELETE" });
    expect([method.status, method.headers.get("allow")]).toEqual([405, "GET"]);
    const bytes = await fetch(`${node.url}/hash`, {
      method: "POST",
      body: new Uint8Array([0xff, 0xfe, 0x7b]),
    });
    expect(bytes.status).toBe(400);
    expect((await node.get("/blocks/height")).status).toBe(200);
  });
});

describe("a page of another origin", () => {
  test("cannot use the open routes of dev", async () => {
    const node = await start(folder());
    const { port } = new URL(node.url);
    const ask = (method: string, path: string, headers: Record<string, string>, body?: string) =>
      new Promise<number>((resolve, reject) => {
        const call = request({ host: "127.0.0.1", port, method, path, headers }, (answer) => {
          answer.resume();
          resolve(answer.statusCode ?? 0);
        });
        call.on("error", reject);
        call.end(body);
      });
    const own = { host: `127.0.0.1:${port}` };
    expect(await ask("POST", "/wallet/addresses", own)).toBe(200);
    expect(await ask("POST", "/wallet/addresses", { ...own, origin: "http://evil.example" })).toBe(403);
    expect(await ask("POST", "/wallet/addresses", { ...own, origin: "null" })).toBe(403);
    expect(await ask("POST", "/wallet/addresses", { host: "evil.example" })).toBe(403);
    expect(await ask("POST", "/wallet/addresses", { ...own, origin: `http://localhost:${port}` })).toBe(403);
    expect(await ask("POST", "/wallet/addresses", { ...own, origin: `http://127.0.0.1:${port}` })).toBe(200);
    const body = JSON.stringify({ hash: anchor("x").toString("hex") });
    expect(await ask("POST", "/hash", { ...own, origin: "http://evil.example" }, body)).toBe(403);
    expect(await ask("POST", "/hash", { host: "evil.example" }, body)).toBe(403);
    expect(await ask("GET", "/debug/minerInfo", { ...own, origin: "http://evil.example" })).toBe(403);
    // What is public stays public.
    expect(await ask("GET", "/blocks/height", { ...own, origin: "http://evil.example" })).toBe(200);
  });
});
