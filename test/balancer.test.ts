/** `deploy/nginx/balancer.conf` in Debian's nginx, in front of small servers that count what they receive. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { freePort } from "./support/free-port.ts";
import { removeFolder, temporaryFolder, until } from "./support/node-process.ts";

const configuration = join(import.meta.dirname, "..", "deploy", "nginx", "balancer.conf");
const canRun = process.platform === "linux" && spawnSync("nginx", ["-v"]).status === 0;

/** A server in the place of a node or follower. */
class FakeNode {
  readonly received: IncomingMessage[] = [];
  status = 200;
  #server: Server = this.#create();
  port = 0;

  #create(): Server {
    return createServer((request, response) => {
      this.received.push(request);
      request.resume();
      const isImmutable = request.url?.startsWith("/blocks/at/") === true;
      response.writeHead(this.status, {
        "x-port": this.port,
        ...(isImmutable
          ? { "cache-control": "public, max-age=86400, immutable" }
          : { "x-chain": `7.0.${"1".repeat(64)}` }),
      });
      response.end("{}");
    });
  }

  async start(): Promise<void> {
    if (this.#server.listening) return;
    this.#server = this.#create().listen(this.port, "127.0.0.1");
    await once(this.#server, "listening");
    this.port = (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

let folder: string;
let nginx: ChildProcess;
let url: string;
const followers = [new FakeNode(), new FakeNode(), new FakeNode()];
const node = new FakeNode();
const all = [...followers, node];

/** Changes addresses and paths of the file, and nothing else. */
function adapt(text: string, port: number): string {
  const names = ["follower-1", "follower-2", "follower-3", "node"];
  const withNodes = names.reduce(
    (result, name, i) => result.replaceAll(`server ${name}:6869 `, `server 127.0.0.1:${all[i].port} `),
    text,
  );
  const site = withNodes
    .replace("listen 80;", `listen 127.0.0.1:${port};`)
    .replace("/var/cache/nginx/holdfast", join(folder, "cache"));
  expect(site).not.toMatch(/6869|listen 80|\/var\/cache/);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${join(folder, name)};`)
    .join("\n");
  // By default, processes of root work as another user, who cannot use the folder.
  return `${process.getuid?.() === 0 ? "user root root;" : ""}
daemon off;
worker_processes 1;
pid ${join(folder, "nginx.pid")};
error_log stderr;
events {}
http {
access_log off;
${temporary}
${site}}
`;
}

beforeAll(async () => {
  if (!canRun) return;
  folder = temporaryFolder("balancer");
  mkdirSync(join(folder, "cache"));
  for (const one of all) await one.start();
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  const file = join(folder, "nginx.conf");
  writeFileSync(file, adapt(readFileSync(configuration, "utf8"), port));
  const check = spawnSync("nginx", ["-e", "stderr", "-t", "-c", file], { encoding: "utf8" });
  expect(`${check.status} ${check.stderr}`).toMatch(/^0 /);
  nginx = spawn("nginx", ["-e", "stderr", "-c", file], { stdio: "ignore" });
  const isListening = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => {
        socket.destroy();
        resolve(true);
      }).on("error", () => resolve(false));
    });
  await until("nginx listens", async () => (await isListening()) || undefined, 60);
});

afterAll(async () => {
  if (!canRun) return;
  const ended = once(nginx, "exit");
  nginx.kill("SIGTERM");
  await ended;
  for (const one of all) await one.stop();
  removeFolder(folder);
});

beforeEach(() => {
  for (const one of all) {
    one.received.length = 0;
    one.status = 200;
  }
});

const counts = (): number[] => all.map(({ received }) => received.length);
const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const answer = await fetch(url + path, init);
  await answer.text();
  return answer;
}

// Debian's package `nginx` has it.
describe.skipIf(!canRun)("nginx with balancer.conf", () => {
  test("spreads reads over the followers, and passes positions on", async () => {
    for (let i = 0; i < 9; i++)
      expect((await ask("/blocks/height")).headers.get("x-chain")).toMatch(/^7\.0\./);
    expect(counts()).toEqual([3, 3, 3, 0]);
    const [{ headers }] = followers[0].received;
    expect(headers["x-forwarded-for"]).toBe("127.0.0.1");
  });

  test("stores only answers that cannot change", async () => {
    for (let i = 0; i < 5; i++) expect((await ask("/blocks/at/1")).status).toBe(200);
    expect(sum(counts())).toBe(1);
    for (let i = 0; i < 5; i++) await ask("/blocks/last");
    expect(sum(counts())).toBe(6);
  });

  test.each([
    ["the header", "/blocks/at/1", { "x-chain-at-least": "9.0.x" }],
    ["the query", "/blocks/at/1?atLeast=9.0.x", {}],
    ["a key", "/blocks/at/1", { "x-api-key": "secret" }],
  ])("passes requests with %s on, although it has the answer", async (_, path, headers) => {
    await ask("/blocks/at/1");
    const before = sum(counts());
    for (let i = 0; i < 2; i++) await ask(path, { headers });
    expect(sum(counts())).toBe(before + 2);
  });

  test("keeps followers in service that have not reached a position yet", async () => {
    for (const one of all) one.status = 503;
    for (let i = 0; i < 4; i++)
      expect((await ask("/blocks/height", { headers: { "x-chain-at-least": "9.0.x" } })).status).toBe(503);
    // At most four attempts each.
    expect(sum(counts())).toBeLessThanOrEqual(16);
    for (const one of all) {
      one.received.length = 0;
      one.status = 200;
    }
    for (let i = 0; i < 9; i++) expect((await ask("/blocks/height")).status).toBe(200);
    expect(counts()).toEqual([3, 3, 3, 0]);
  });

  test("does not send a write twice", async () => {
    for (const one of all) one.status = 503;
    const answer = await ask("/hash", { method: "POST", body: "{}" });
    expect(answer.status).toBe(503);
    expect(sum(counts())).toBe(1);
  });

  // These change the state of nginx, so they come last.
  test("asks another follower if one refuses a read because it is stale", async () => {
    followers[0].status = 503;
    for (let i = 0; i < 9; i++) expect((await ask("/blocks/height")).status).toBe(200);
    expect(followers[0].received.length).toBeGreaterThan(0);
    expect(node.received.length).toBe(0);
  });

  test("asks the others while one is away, and the node if all are", async () => {
    await followers[1].stop();
    for (let i = 0; i < 9; i++) expect((await ask("/blocks/height")).status).toBe(200);
    expect(node.received.length).toBe(0);
    await followers[0].stop();
    await followers[2].stop();
    for (let i = 0; i < 3; i++) expect((await ask("/blocks/height")).status).toBe(200);
    expect(node.received.length).toBe(3);
    expect((await ask("/blocks/height", { headers: { "x-chain-at-least": "9.0.x" } })).status).toBe(200);
    expect(node.received.length).toBe(4);
  });
});
