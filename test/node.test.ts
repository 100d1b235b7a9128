/** Whole nodes from an operator's view: restarts, rejections, wrong files, hostile pages. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { nodeFixture } from "./support/node-fixture.ts";
import { confirmed, heightOf, type NodeProcess, runCli, until } from "./support/node-process.ts";
import { signedRequest, walletKeys } from "./support/sign-request.ts";

const chainId = "Z".charCodeAt(0);
const rootAddress = "3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt";
const { folder, start } = nodeFixture("node");

const anchor = (text: string) => createHash("sha256").update(text).digest();

describe("a new node", () => {
  test("prints its network and version, and forges its first block", async () => {
    const node = await start();
    const output = node.output();
    expect(output).toContain("Network dev (LTO), height 1");
    expect(output).toContain(`Wallet account ${rootAddress}, balance 1,000,000 tokens`);
    expect(output).toContain(`HTTP interface at ${node.url}`);
    expect(output).toContain("OPEN");
    await until("the first forged block", async () => (await heightOf(node)) > 1 || undefined);
  });

  test("does not reveal its secrets", async () => {
    const dataDir = folder();
    const args = ["--wallet-seed", "a most secret phrase", "--api-key", "open sesame"];
    const node = await start({ dataDir, args });
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
  test("keeps height, liquid tip, wallet and balances, and forges at once, also after a failed start", async () => {
    const dataDir = folder();
    let node = await start({ dataDir });
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
    const first = await node.client.call("GET /blocks/first");
    expect(await node.stop()).toBe(0);

    const refused = await runCli(["start", "--network", "testnet", "--data-dir", dataDir, "--api-port", "0"]);
    expect(refused.code).toBe(4);
    expect(refused.stderr).toMatch(/network/i);

    node = await start({ dataDir });
    expect(await node.client.call("GET /blocks/first")).toEqual(first);
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
});

describe("a start is rejected for", () => {
  test("a foreign directory, which stays unchanged", async () => {
    const dataDir = folder();
    const chain = join(dataDir, "chain");
    writeFileSync(chain, "not a folder of ours");
    const refused = await runCli(["start", "--data-dir", dataDir, "--api-port", "0"]);
    expect(refused.code).toBe(4);
    expect(readFileSync(chain, "utf8")).toBe("not a folder of ours");
    expect(existsSync(join(dataDir, "wallet"))).toBe(false);
  });

  test("a corrupt, truncated or missing store file, without a change, a new chain or a signal", async () => {
    const dataDir = folder();
    const node = await start({ dataDir });
    await node.stop();
    const file = join(dataDir, "chain", "data.mdb");
    const good = readFileSync(file);
    const damaged = Buffer.alloc(good.length, 0x55);
    for (const [bytes, words] of [
      [damaged, /./],
      [good.subarray(0, good.length / 2), /is truncated/],
      [undefined, /is missing, although a chain was stored in it/],
    ] as const) {
      if (bytes === undefined) rmSync(file);
      else writeFileSync(file, bytes);
      const refused = await runCli(["start", "--data-dir", dataDir, "--api-port", "0"]);
      expect(refused.stderr).toMatch(words);
      if (bytes !== damaged) expect(refused.stderr.trim()).not.toContain("\n");
      expect(refused.code).toBe(4);
      expect(existsSync(file)).toBe(bytes !== undefined);
      if (bytes !== undefined) expect(readFileSync(file).equals(bytes)).toBe(true);
    }
  });
});

describe("an anchored hash", () => {
  test("has a height while its block is on the chain, and is never lost", async () => {
    const node = await start();
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
    // Forge a key block above, so that a rollback by height removes the block with the anchor.
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

describe("a node that does not forge", () => {
  const { start: startForAll } = nodeFixture("node", "all");
  let node: NodeProcess;
  beforeAll(async () => {
    node = await startForAll({ args: ["--no-forge"] });
  });

  test("proves a hash that is only in its pool", async () => {
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

  test("answers invalid input with an error", async () => {
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
      expect(answer.status, answer.text.slice(0, 200)).toEqual(status);
      expect(answer.json?.error, answer.text.slice(0, 200)).toEqual(error);
      expect(answer.text).not.toMatch(/ at .*\.(js|ts):\d+/);
    }
    const large = await post(`{"type":4,"x":"${"a".repeat(1_048_576)}"}`);
    expect(large.json).toEqual({ error: 413, message: "body too large" });
    expect((await node.get("/no/such/path")).json).toEqual({ error: 404, message: "not found" });
    const method = await fetch(`${node.url}/blocks/height`, { method: "DELETE" });
    expect(method.status).toBe(405);
    expect(method.headers.get("allow")).toBe("GET");
    const bytes = await fetch(`${node.url}/hash`, {
      method: "POST",
      body: new Uint8Array([0xff, 0xfe, 0x7b]),
    });
    expect(bytes.status).toBe(400);
    expect((await node.get("/blocks/height")).status).toBe(200);
  });

  test("rejects pages of other origins on the open routes of dev", async () => {
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
    // Public routes stay public.
    expect(await ask("GET", "/blocks/height", { ...own, origin: "http://evil.example" })).toBe(200);
  });
});
