/** A real node behind nginx and Caddy, with the configurations in `deploy/`. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { type IncomingHttpHeaders, type IncomingMessage, request as plainRequest } from "node:http";
import { type RequestOptions, request } from "node:https";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "./support/free-port.ts";
import {
  cleanEnvironment,
  type NodeProcess,
  removeFolder,
  startNodeProcess,
  temporaryFolder,
  until,
} from "./support/node-process.ts";

const deploy = join(import.meta.dirname, "..", "deploy");
const HOST = "node.example.org";
const TOKEN = "correct-horse-battery-staple";
/** Requests per minute and client. */
const RATE_LIMIT = 60;
const MAX_BODY_BYTES = 1024 * 1024;

const succeeds = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0;
// Other systems have only one loopback address: all clients would be one.
const canRun = process.platform === "linux" && succeeds("openssl", "version");

interface Setup {
  readonly folder: string;
  readonly nodePort: number;
  readonly httpsPort: number;
  readonly httpPort: number;
}

interface Proxy {
  readonly name: string;
  readonly file: string;
  readonly isInstalled: boolean;
  /** Changes ports and certificate of the file in `deploy/`, and nothing else. */
  readonly adapt: (text: string, setup: Setup) => string;
  readonly checks: (file: string) => readonly [string, ...string[]];
  readonly runs: (file: string) => readonly [string, ...string[]];
}

/** Replaces a text that must occur exactly once. */
function replaceOnce(text: string, from: string, to: string): string {
  expect(text.split(from), from).toHaveLength(2);
  return text.replace(from, () => to);
}

const proxies: readonly Proxy[] = [
  {
    name: "nginx",
    file: "nginx/holdfast.conf",
    isInstalled: succeeds("nginx", "-v"),
    adapt: (text, { folder, nodePort, httpPort, httpsPort }) => {
      const changes: readonly (readonly [string, string])[] = [
        ["server 127.0.0.1:6869;", `server 127.0.0.1:${nodePort};`],
        ["listen 80;", `listen 127.0.0.1:${httpPort};`],
        ["listen 443 ssl http2;", `listen 127.0.0.1:${httpsPort} ssl http2;`],
        [`/etc/letsencrypt/live/${HOST}/fullchain.pem`, join(folder, "certificate.pem")],
        [`/etc/letsencrypt/live/${HOST}/privkey.pem`, join(folder, "key.pem")],
      ];
      const site = changes.reduce((all, [from, to]) => replaceOnce(all, from, to), text);
      const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map((name) => `${name}_temp_path ${join(folder, name)};`)
        .join("\n");
      // By default, processes of root work as another user, who cannot use the folder.
      return `${process.getuid?.() === 0 ? "user root root;" : ""}
daemon off;
pid ${join(folder, "nginx.pid")};
error_log stderr;
events {}
http {
access_log off;
${temporary}
${site}}
`;
    },
    checks: (file) => ["nginx", "-e", "stderr", "-t", "-c", file],
    runs: (file) => ["nginx", "-e", "stderr", "-c", file],
  },
  {
    name: "caddy",
    file: "caddy/Caddyfile",
    isInstalled: succeeds("caddy", "version"),
    adapt: (text, { folder, nodePort, httpPort, httpsPort }) => {
      const options = `admin off\n\thttp_port ${httpPort}\n\thttps_port ${httpsPort}\n\tservers {\n\t\tprotocols h1 h2`;
      const site = `${HOST} {\n\tbind 127.0.0.1\n\ttls ${join(folder, "certificate.pem")} ${join(folder, "key.pem")}`;
      const withOptions = replaceOnce(text, "servers {", options);
      const withSite = replaceOnce(withOptions, `${HOST} {`, site);
      return replaceOnce(withSite, "127.0.0.1:6869", `127.0.0.1:${nodePort}`);
    },
    checks: (file) => ["caddy", "validate", "--adapter", "caddyfile", "--config", file],
    runs: (file) => ["caddy", "run", "--adapter", "caddyfile", "--config", file],
  },
];

/** Creates `certificate.pem` and `key.pem`. */
function createCertificate(folder: string): void {
  const { status, stderr } = spawnSync(
    "openssl",
    `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=${HOST} -addext subjectAltName=DNS:${HOST} -keyout key.pem -out certificate.pem`.split(
      " ",
    ),
    { cwd: folder, encoding: "utf8" },
  );
  if (status !== 0) throw new Error(stderr);
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return {
    status: response.statusCode,
    headers: response.headers,
    text: Buffer.concat(chunks).toString("utf8"),
  };
}

let folder: string;
let node: NodeProcess;

beforeAll(async () => {
  if (!canRun) return;
  folder = temporaryFolder("proxies");
  createCertificate(folder);
  const flags = `--api-prefix /node --trusted-proxies 127.0.0.1 --admin-port 0 --rate-limit ${RATE_LIMIT}`;
  node = await startNodeProcess({
    dataDir: join(folder, "node"),
    args: [...flags.split(" "), "--auth-token", TOKEN],
  });
});

afterAll(async () => {
  await node?.stop();
  if (folder !== undefined) removeFolder(folder);
});

describe.each(proxies)("behind $name, a node", ({ name, file, isInstalled, adapt, checks, runs }) => {
  let setup: Setup;
  let child: ChildProcess | undefined;
  let output = "";

  /** Opens a request as a client of the given loopback address. */
  async function open(
    path: string,
    options: RequestOptions = {},
    body?: string | Buffer,
  ): Promise<IncomingMessage> {
    const sent = request({
      host: "127.0.0.1",
      port: setup.httpsPort,
      servername: HOST,
      ca: readFileSync(join(folder, "certificate.pem")),
      path,
      agent: false,
      ...options,
      headers: { host: HOST, ...options.headers },
    });
    // A proxy may refuse a long body before it has read all of it.
    sent.on("error", () => undefined);
    const response = once(sent, "response");
    sent.end(body);
    return ((await response) as [IncomingMessage])[0];
  }

  const ask = async (...args: Parameters<typeof open>): Promise<Answer> => readAnswer(await open(...args));

  const skipped = !canRun || !isInstalled;

  beforeAll(async () => {
    if (skipped) return;
    setup = {
      folder,
      nodePort: Number(new URL(node.url).port),
      httpsPort: await freePort(),
      httpPort: await freePort(),
    };
    const path = join(folder, `${name}.conf`);
    writeFileSync(path, adapt(readFileSync(join(deploy, file), "utf8"), setup));
    const [checker, ...checkArguments] = checks(path);
    const env = { ...cleanEnvironment(), HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
    const check = spawnSync(checker, checkArguments, { encoding: "utf8", env });
    expect(check.status, check.stderr).toBe(0);
    const [program, ...args] = runs(path);
    child = spawn(program, args, { env, stdio: ["ignore", "pipe", "pipe"] });
    const collect = (chunk: Buffer) => {
      output += chunk;
    };
    child.stdout?.on("data", collect);
    child.stderr?.on("data", collect);
    const started = child;
    await until(`${name} answers`, async () => {
      if (started.exitCode !== null) throw new Error(`${name} ended: ${output}`);
      return ask("/").catch(() => undefined);
    });
  });

  afterAll(async () => {
    if (child === undefined || child.exitCode !== null) return;
    const ended = once(child, "close");
    child.kill("SIGTERM");
    await ended;
  });

  test.skipIf(skipped)("answers below its prefix only, over TLS", async () => {
    const height = await ask("/node/blocks/height");
    expect(height).toMatchObject({ status: 200, text: expect.stringMatching(/^\{"height":\d+\}$/) });
    expect((await ask("/blocks/height")).status).toBe(404);
    const url = `https://${HOST}/node/api-docs/swagger.json`;
    const document = JSON.parse((await ask("/node/api-docs/swagger.json")).text);
    expect(new URL(document.servers[0].url, url).href).toBe(`https://${HOST}/node/`);
    const { location } = (await ask("/node/api-docs")).headers;
    expect(new URL(location ?? "", `https://${HOST}/node/api-docs`).href).toMatch(
      /^https:\/\/node\.example\.org\/node\/api-docs\//,
    );
    const sent = plainRequest({
      host: "127.0.0.1",
      port: setup.httpPort,
      path: "/node/blocks/height",
      headers: { host: HOST },
      agent: false,
    });
    const response = once(sent, "response");
    sent.end();
    const upgrade = await readAnswer(((await response) as [IncomingMessage])[0]);
    expect(upgrade.status).toBeGreaterThanOrEqual(301);
    expect(upgrade.status).toBeLessThanOrEqual(308);
    expect(upgrade.headers.location).toMatch(/^https:\/\/node\.example\.org.*\/node\/blocks\/height$/);
  });

  test.skipIf(skipped)("serves the explorer with its files", async () => {
    const page = await ask("/node/explorer/");
    expect(page).toMatchObject({
      status: 200,
      headers: { "content-type": expect.stringContaining("text/html") },
    });
    const [, script] = /<script[^>]* src="([^"]+)"/.exec(page.text) ?? [];
    expect(script).toBeDefined();
    expect((await ask(new URL(script, `https://${HOST}/node/explorer/`).pathname)).status).toBe(200);
  });

  test.skipIf(skipped)("sends each event at once", async () => {
    const stream = await open("/node/events?events=pool,block&since=0");
    expect(stream.headers["content-type"]).toContain("text/event-stream");
    let text = "";
    let posted = false;
    for await (const chunk of stream) {
      text += String(chunk);
      // The stream is open, and the first event has arrived. The next one exists only now.
      if (!posted && text.includes("event: block")) {
        posted = true;
        const answer = await ask(
          "/node/hash",
          {
            method: "POST",
            headers: { authorization: `bearer ${TOKEN}`, "content-type": "application/json" },
          },
          JSON.stringify({ hash: "00".repeat(31) + (name === "nginx" ? "01" : "02") }),
        );
        expect(answer.status, answer.text).toBe(200);
      }
      if (text.includes("event: pool")) break;
    }
    expect(text).toContain("event: pool");
  });

  test.skipIf(skipped)("closes key routes and the routes that spend", async () => {
    expect((await ask("/node/debug/info")).status).toBe(404);
    const headers = { "content-type": "application/json" };
    const hash = await ask(
      "/node/hash",
      { method: "POST", headers },
      JSON.stringify({ hash: "00".repeat(32) }),
    );
    expect(hash.status).toBe(401);
  });

  test.skipIf(skipped)("accepts bodies up to the node's limit", async () => {
    const post = { method: "POST", headers: { "content-type": "text/plain" } };
    const largest = await ask("/node/utils/hash/fast", post, Buffer.alloc(MAX_BODY_BYTES, "a"));
    expect(largest.status).toBe(200);
    const larger = await ask("/node/utils/hash/fast", post, Buffer.alloc(MAX_BODY_BYTES + 1, "a"));
    expect(larger.status).toBe(413);
  });

  test.skipIf(skipped)("counts the requests of each client, whatever the client claims to be", async () => {
    const [hurried, other] = name === "nginx" ? ["127.0.0.2", "127.0.0.3"] : ["127.0.0.4", "127.0.0.5"];
    const statuses: (number | undefined)[] = [];
    for (let round = 0; round < 3 * RATE_LIMIT; round += 20)
      statuses.push(
        ...(await Promise.all(
          Array.from({ length: 20 }, async (_, index) => {
            const headers = { "x-forwarded-for": `198.51.100.${round + index}` };
            const answer = await ask("/node/blocks/height", { localAddress: hurried, headers });
            return answer.status;
          }),
        )),
      );
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    expect((await ask("/node/blocks/height", { localAddress: other })).status).toBe(200);
    // Programs on this machine that do not use the proxy have no limit.
    expect((await fetch(`${node.url}/node/blocks/height`)).status).toBe(200);
  });
});
