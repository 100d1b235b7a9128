/** `holdfast tx`: signatures, signers and broadcasts. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parseJson } from "../../bytes/json.ts";
import { encodeUtf8 } from "../../bytes/utf8.ts";
import { addressOf, addressText } from "../../crypto/addresses.ts";
import { keyPairFromSeed } from "../../crypto/seeds.ts";
import { verify } from "../../crypto/signatures.ts";
import { dev } from "../../profiles/index.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { bodyBytes, transactionFromRequest } from "../../transactions/index.ts";
import { ExitCode } from "../exit-codes.ts";
import type { Io } from "../io.ts";
import { run } from "../program.ts";

const NOW = Date.UTC(2026, 0, 1);
const alice = keyPairFromSeed(encodeUtf8("alice"));
const sender = addressText(addressOf(alice.publicKey, dev.chainId));
const transfer = { type: 4, sender, recipient: sender, amount: 1, fee: 100_000_000 };

let folder: string;
const servers: Server[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-tx-"));
});

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
  rmSync(folder, { recursive: true, force: true });
});

function file(name: string, content: string): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

async function tx(...args: string[]): Promise<{ code: ExitCode; out: string; err: string }> {
  let out = "";
  let err = "";
  const nothing = () => {
    throw new Error("this command does no such thing");
  };
  const io: Io = {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    environment: { HOLDFAST_DATA_DIR: join(folder, "data") },
    home: folder,
    onSignal: () => () => {},
    onHangup: () => () => {},
    onOrphaned: () => () => {},
    clock: new VirtualClock(NOW),
    spawn: nothing,
    isRunning: nothing,
    exit: nothing,
    startNode: nothing,
    lockDataDir: nothing,
  };
  const code = await run(["tx", ...args], io);
  return { code, out, err };
}

const signing = (request: unknown = transfer) => [
  file("transfer.json", JSON.stringify(request)),
  "--seed-file",
  file("seed", "alice\nthe rest is not read"),
];

/** Starts a node that answers every request in this way and records the bodies. */
async function answering(status: number, answer: string) {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      bodies.push(`${request.method} ${request.url} ${body}`);
      response.writeHead(status, { "content-type": "application/json" }).end(answer);
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return { url: `http://127.0.0.1:${address.port}/`, bodies };
}

test("signs with the account of a seed file, by default now and in the newest version, without a data directory", async () => {
  const { code, out, err } = await tx(...signing());
  expect(code).toBe(ExitCode.ok);
  expect(err).toBe("");
  expect(JSON.parse(out)).toMatchObject({ ...transfer, version: 3, timestamp: NOW });
  const read = transactionFromRequest(parseJson(out), { network: dev });
  if (!read.ok) throw new Error("not a transaction");
  expect(
    verify(
      read.value.transaction.sender,
      bodyBytes(read.value.transaction),
      read.value.transaction.proofs[0],
    ),
  ).toBe(true);
  expect(existsSync(join(folder, "data"))).toBe(false);
});

test("sends the signed transaction to a node and prints the response", async () => {
  const node = await answering(200, '{"id":"abc","amount":9007199254740993}');
  const { code, out } = await tx(...signing(), "--node", node.url);
  expect(code).toBe(ExitCode.ok);
  expect(out).toBe('{"id":"abc","amount":9007199254740993}\n');
  expect(node.bodies).toHaveLength(1);
  expect(node.bodies[0]).toMatch(
    /^POST \/transactions\/broadcast \{"type":4,"version":3,.*"proofs":\["\w+"\]/,
  );
});

test("prints a node's refusal without control characters", async () => {
  const node = await answering(400, '{"error":112,"message":"no\u001b[2J funds"}');
  const { code, out, err } = await tx(...signing(), "--node", node.url);
  expect(code).toBe(ExitCode.failed);
  expect(out).toBe("");
  expect(err).toContain('refused the transaction (400): {"error":112,"message":"no [2J funds"}');
});

test("refuses a response that is too long or not JSON", async () => {
  for (const answer of [" ".repeat(5_000_000), "<html>"]) {
    const node = await answering(200, answer);
    const { code, err } = await tx(...signing(), "--node", node.url);
    expect(code).toBe(ExitCode.failed);
    expect(err).toMatch(/more than 4194304 bytes|not JSON/);
  }
});

test("says that nothing was sent if there is no connection, and otherwise that the node may have the transaction", async () => {
  const node = await answering(200, "{}");
  await new Promise((resolve) => servers.pop()?.close(resolve));
  for (const url of [node.url, "http://127.0.0.1:1"]) {
    const { code, err } = await tx(...signing(), "--node", url);
    expect(code).toBe(ExitCode.failed);
    expect(err).toMatch(/(ECONNREFUSED|bad port).*\. Nothing was sent\n$/);
  }
  const silent = createServer((request) => request.socket.destroy());
  servers.push(silent);
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const { port } = silent.address() as AddressInfo;
  const { err } = await tx(...signing(), "--node", `http://127.0.0.1:${port}`);
  expect(err).toContain("may have accepted the transaction");
});

test.each([
  [
    "a sender whose keys are not there",
    { ...transfer, sender: "3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt" },
    "Not signed",
  ],
  ["a missing fee", { ...transfer, fee: undefined }, "fee: error.path.missing"],
  ["no transaction", [], "Not signed"],
])("refuses %s before it asks a node", async (_, request, text) => {
  const node = await answering(200, "{}");
  const { code, err } = await tx(...signing(request), "--node", node.url);
  expect(code).toBe(ExitCode.failed);
  expect(err).toContain(text);
  expect(node.bodies).toEqual([]);
});

test("refuses files that are not JSON, empty, too long or missing, and an invalid URL", async () => {
  const seed = file("seed", "alice");
  const cases: [string, string][] = [
    [file("broken.json", "{"), "not JSON"],
    [file("long.json", " ".repeat(1_048_577)), "exceeds 1 MiB"],
    [join(folder, "nowhere.json"), "Cannot read"],
  ];
  for (const [path, text] of cases) {
    const { code, err } = await tx(path, "--seed-file", seed);
    expect(code, err).toBe(ExitCode.failed);
    expect(err.includes(text), err).toBe(true);
  }
  const request = file("transfer.json", JSON.stringify(transfer));
  expect((await tx(request, "--seed-file", file("empty", ""))).err).toContain(
    "first line of the seed file is empty",
  );
  expect((await tx(request, "--seed-file", seed, "--node", "ftp://x")).code).toBe(ExitCode.usage);
});

test("names the path of a missing wallet", async () => {
  const { code, err } = await tx(file("transfer.json", JSON.stringify(transfer)));
  expect(code).toBe(ExitCode.wallet);
  expect(err).toContain("There is no wallet at");
});
