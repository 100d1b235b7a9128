/** The HTTP layer: paths, methods, bodies, headers, faults. Page 06 §2, §4; page 00, part B. */

import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dev } from "../../profiles/index.ts";
import { API_KEY, memoryLog, testServer } from "../testing/server.ts";
import { emptyBlock, fakeChain } from "../testing/snapshot.ts";

const key = { "x-api-key": API_KEY };
const notFound = { error: 404, message: "not found" };
const log = memoryLog();

let server: FastifyInstance;
beforeAll(async () => {
  server = await testServer({
    log,
    chain: {
      ...fakeChain([emptyBlock(1), emptyBlock(2)]),
      accounts: {
        info: () => {
          throw new Error("a fault of the node with a secret inside");
        },
      },
    },
  });
});
afterAll(() => server.close());

describe("paths and methods", () => {
  it.each([
    "/nothing/here",
    "/blocks",
    "/blocks/",
    "/blocks/Height",
    "//blocks/height",
    "/blocks/height%2F",
    "/blocks/height;a=b",
    "/blocks/height/",
    "/blocks/at/+1",
    "/blocks/at/1x",
    "/blocks/at/2147483648",
    "/blocks/at/1/",
    "/blocks/%ff",
    "/index/blocks/height",
    "/index/nothing",
  ])("%s is not found", async (url) => {
    const answer = await server.inject({ url });
    expect(answer.statusCode).toBe(404);
    expect(answer.json()).toEqual(notFound);
    expect(answer.headers["content-type"]).toBe("application/json");
  });

  it.each([
    ["/blocks/./height", 2],
    ["/api-docs/../blocks/height", 2],
    ["/blocks/%68eight", 2],
    ["/blocks/height?x=1", 2],
  ])("accepts %s as a height", async (url, height) => {
    const answer = await server.inject({ url });
    expect(answer.body).toBe(`{"height":${height}}`);
  });

  it.each([
    ["POST", "/blocks/height", "GET"],
    ["DELETE", "/blocks/height", "GET"],
    ["PATCH", "/transactions/broadcast", "POST"],
    ["QUERY", "/blocks/height", "GET"],
    ["PUT", "/hash", "POST"],
    ["GET", "/index/hash", "POST"],
    ["HEAD", "/blocks/height", "GET"],
    ["PUT", "/wallet/addresses", "GET, POST"],
    ["POST", "/blocks/at/1", "GET"],
  ])("%s %s is a method that is not allowed", async (method, url, allowed) => {
    const answer = await server.inject({ method: method as "GET", url });
    expect(answer.statusCode).toBe(405);
    expect(answer.headers.allow).toBe(allowed);
    if (method !== "HEAD") expect(answer.json()).toEqual({ error: 405, message: "method not allowed" });
  });

  it("checks integers of a path before method and key", async () => {
    expect((await server.inject({ method: "POST", url: "/blocks/at/x" })).statusCode).toBe(404);
    expect((await server.inject({ url: "/debug/blocks/x" })).statusCode).toBe(404);
  });

  it("answers HEAD on routes of the indexer", async () => {
    const url = `/trust/${"1".repeat(26)}`;
    const answer = await server.inject({ method: "HEAD", url });
    expect(answer.statusCode).toBe(400);
    expect(answer.body).toBe("");
    const { "content-length": length } = (await server.inject({ url })).headers;
    expect(Number(answer.headers["content-length"])).toBe(Number(length));
  });

  it.each([
    ["/blocks/%zz", 400],
    [`/blocks/${"a".repeat(2041)}`, 414],
    [`/blocks/${"a".repeat(2040)}`, 404],
    [`/blocks/height?${"a".repeat(2034)}`, 414],
    [`/addresses/validate/${"a".repeat(2049)}`, 414],
    ["/addresses/validate/%zz", 400],
    ["/blocks/height?a=%2", 400],
    ["/blocks/height?a|b", 400],
  ])("checks the request target %.30s", async (url, status) => {
    const answer = await server.inject({ url });
    expect(answer.statusCode).toBe(status);
    expect(answer.json().error).toBe(status);
  });

  it("does not check it for the indexer", async () => {
    const url = `/trust/${"1".repeat(26)}?a|b=%zz${"a".repeat(2048)}`;
    expect((await server.inject({ url })).json()).toEqual({ error: "invalid address" });
  });

  it("answers a preflight request on any path", async () => {
    const answer = await server.inject({ method: "OPTIONS", url: "/blocks/height" });
    expect(answer.statusCode).toBe(200);
    expect(answer.body).toBe("OK");
    expect(answer.headers).toMatchObject({
      "content-type": "text/plain; charset=UTF-8",
      "access-control-allow-origin": "*",
      "access-control-allow-credentials": "true",
      "access-control-allow-headers": "Authorization, Content-Type, X-Requested-With, Timestamp, Signature",
      "access-control-allow-methods": "OPTIONS, POST, PUT, GET, DELETE",
    });
  });
});

describe("Accept", () => {
  it.each([
    [undefined, 200],
    ["application/json", 200],
    ["*/*", 200],
    ["application/*", 200],
    ["text/html, application/json;q=0.5", 200],
    ["text/html,application/xhtml+xml,*/*;q=0.8", 200],
    ["garbage", 200],
    ["application/json; charset=utf-8", 200],
    ['application/json ; Charset = "UTF-8" ;q=0.5', 200],
    ["text/html;level=1, application/json;charset=iso-8859-1", 200],
    // A malformed header is ignored.
    ["application/json;", 200],
    ["application/json;;q=1", 200],
    ["application/json;charset", 200],
    ["application/json;q=abc", 200],
    ["*/json", 200],
    ["text/html;", 200],
    ["application/json;charset=utf-8;q=0", 404],
    ["application/json;charset=utf-8;level=1", 404],
    ['application/json;profile="a, */*;q=1"', 404],
    ["*/*;charset=utf-8", 404],
    ["text/plain", 404],
    ["application/json;q=0", 404],
    ["application/json;q=0, */*", 404],
    ["application/json;large-significand-format=string", 404],
    ["application/vnd.api+json", 404],
  ])("%s", async (accept, status) => {
    const headers = accept === undefined ? {} : { accept };
    const answer = await server.inject({ url: "/blocks/height", headers });
    expect(answer.statusCode).toBe(status);
  });

  it("applies to answers, not to errors", async () => {
    const answer = await server.inject({ url: "/blocks/at/9", headers: { accept: "text/html" } });
    expect(answer.json()).toEqual({ error: 301, message: "block does not exist" });
  });

  it("must allow UTF-8", async () => {
    const headers = { "accept-charset": "utf-8;q=0, iso-8859-1" };
    expect((await server.inject({ url: "/blocks/height", headers })).statusCode).toBe(404);
  });
});

describe("bodies", () => {
  it.each([
    ["utf-16", [0xfe, 0xff, 0x20, 0xac], "\u20ac"],
    ["UTF-16", [0xff, 0xfe, 0xac, 0x20], "\u20ac"],
    ["utf-16", [0x20, 0xac], "\u20ac"],
    ["utf-16be", [0x20, 0xac], "\u20ac"],
    ["utf-16le", [0xac, 0x20], "\u20ac"],
    ["windows-1252", [0x80, 0x92, 0x9f, 0xe9, 0x41], "\u20ac\u2019\u0178\u00e9A"],
    ["cp1252", [0x81, 0x8d, 0x8f, 0x90, 0x9d], "\ufffd".repeat(5)],
    ["iso-8859-1", [0x80, 0xe9], "\u0080\u00e9"],
  ])("are decoded in the charset of the header: %s %j", async (charset, bytes, message) => {
    const headers = { "content-type": `text/plain; charset=${charset}` };
    const payload = Buffer.from(bytes);
    const answer = await server.inject({ method: "POST", url: "/utils/hash/fast", headers, payload });
    expect(answer.json().message).toBe(message);
  });

  const print = { method: "POST", url: "/debug/print" } as const;

  it.each(["application/json", "application/x-www-form-urlencoded", "text/plain", "nonsense", "a/b; c=d"])(
    "are read as JSON whatever the type says: %s",
    async (type) => {
      const answer = await server.inject({
        ...print,
        headers: { ...key, "content-type": type },
        payload: '{"message":"x"}',
      });
      expect(answer.statusCode).toBe(200);
    },
  );

  it("are read without a type", async () => {
    const answer = await server.inject({ ...print, headers: key, payload: Buffer.from('{"message":1}') });
    expect(answer.json()).toEqual({
      error: 1,
      message: "failed to parse json message",
      cause: null,
      validationErrors: { "obj.message": [{ msg: ["error.expected.jsstring"], args: [] }] },
    });
  });

  it.each([
    ["", 404],
    ["   ", 400],
    ["{", 400],
    ['{"message":"a"} {', 200],
    ['{"message":"a"} 5 x', 200],
    ['{"message":"a"} ]', 400],
    ['{"message":"a"} x', 400],
    ['{"message":"\t"}', 400],
    ['{"message":01}', 400],
    ["\ufeff{}", 400],
    [`${"[".repeat(65)}${"]".repeat(65)}`, 400],
    [`{"message":"a","x":${"[".repeat(60)}${"]".repeat(60)}}`, 200],
  ])("%j", async (payload, status) => {
    const answer = await server.inject({ ...print, headers: key, payload });
    expect(answer.statusCode).toBe(status);
    if (status === 400) {
      expect(answer.json()).toMatchObject({ error: 1, validationErrors: {} });
      expect(answer.body).not.toMatch(/\bat \S+:\d+/);
    }
  });

  it("replace invalid UTF-8 by U+FFFD", async () => {
    const payload = Buffer.concat([Buffer.from('{"message":"'), Buffer.of(0xff), Buffer.from('"}')]);
    expect((await server.inject({ ...print, headers: key, payload })).statusCode).toBe(200);
    expect(log.lines).toContain("\ufffd undefined");
  });

  it.each([
    [1_048_576, 200],
    [1_048_577, 413],
    [5_000_000, 413],
  ])("of %d bytes", async (size, status) => {
    const answer = await server.inject({
      method: "POST",
      url: "/utils/hash/fast",
      payload: "a".repeat(size),
    });
    expect(answer.statusCode).toBe(status);
    if (status === 413) expect(answer.json()).toEqual({ error: 413, message: "body too large" });
  });

  it("are discarded at any size if the route reads none", async () => {
    const payload = "a".repeat(2_000_000);
    const answer = await server.inject({ method: "POST", url: "/wallet/addresses", headers: key, payload });
    expect(answer.json()).toMatchObject({ error: 116 });
    expect((await server.inject({ method: "POST", url: "/nothing", payload })).statusCode).toBe(404);
  });

  it("are refused with a content encoding", async () => {
    const headers = { "content-encoding": "gzip" };
    const answer = await server.inject({ method: "POST", url: "/utils/hash/fast", headers, payload: "a" });
    expect(answer.statusCode).toBe(415);
    expect(answer.json()).toEqual({ error: 415, message: "unsupported content encoding" });
  });

  it.each([
    ["text/plain", "é", "é"],
    ["text/plain; charset=iso-8859-1", Buffer.of(0xe9), "é"],
    ["text/plain; charset=us-ascii", Buffer.of(0xe9), "\ufffd"],
    ["application/json; charset=iso-8859-1", Buffer.of(0xe9), "\ufffd"],
    ["text/plain; charset=utf-16be", Buffer.of(0, 0x61), "a"],
  ])("of type %s are decoded", async (type, payload, message) => {
    const answer = await server.inject({
      method: "POST",
      url: "/utils/hash/fast",
      headers: { "content-type": type },
      payload,
    });
    expect(answer.json().message).toBe(message);
  });
});

describe("faults", () => {
  it("of the node are logged with the route, and hidden from the client", async () => {
    const address = "3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt";
    const answer = await server.inject({ url: `/addresses/balance/${address}` });
    expect(answer.statusCode).toBe(500);
    expect(answer.json()).toEqual({ error: 0, message: "Error is unknown" });
    const line = log.lines.find((text) => text.includes("a fault of the node"));
    expect(line).toContain("/addresses/balance/:address");
    expect(line).not.toContain(address);
  });

  it.each([
    ["FOO / HTTP/1.1\r\nHost: x\r\n\r\n", 501],
    ["GET / FTP/1.0\r\n\r\n", 400],
    ['GET /blocks/a"b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 400],
    ["GET /blocks/{x} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 400],
    [`GET / HTTP/1.1\r\nHost: x\r\nX: ${"1".repeat(20_000)}\r\n\r\n`, 431],
    ["GET /blocks/height HTTP/1.1\r\n\r\n", 400],
    ["GET /blocks/height HTTP/1.1\r\nHost: x\r\nhost: y\r\n\r\n", 400],
    ["GET /blocks/height HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n", 400],
    ["GET /nothing HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n", 400],
  ])("of the connection are answered: %j", async (text, status) => {
    const answer = await sent(text);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toContain(`{"error":${status},`);
  });
});

/** Everything that the server sends until it closes the connection. */
async function sent(text: string): Promise<string> {
  const own = await testServer();
  await own.listen({ host: "127.0.0.1", port: 0 });
  const { port } = own.server.address() as AddressInfo;
  const answer = await new Promise<string>((resolve, reject) => {
    let received = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    socket.on("data", (data) => {
      received += data;
    });
    socket.on("close", () => resolve(received));
    socket.on("error", reject);
  });
  await own.close();
  return answer;
}

describe("several API keys in one request", () => {
  it.each([
    ["right, then wrong", [API_KEY, "wrong"], 200],
    ["wrong, then right", ["wrong", API_KEY], 403],
    ["one with a comma", [`${API_KEY}, wrong`], 403],
  ])("%s: only the first counts", async (_, keys, status) => {
    const lines = keys.map((one, i) => `${i === 0 ? "X-API-Key" : "x-api-key"}: ${one}\r\n`).join("");
    const answer = await sent(
      `GET /debug/minerInfo HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${lines}\r\n`,
    );
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });
});

describe("connections", () => {
  it("close after a request to upgrade", async () => {
    const upgrade =
      "GET /blocks/height HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
    const answer = await sent(upgrade);
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
    expect(answer.toLowerCase()).toContain("\r\nconnection: close\r\n");
  });

  it("may omit the host in HTTP/1.0", async () => {
    expect(await sent("GET /blocks/height HTTP/1.0\r\n\r\n")).toMatch(/^HTTP\/1.1 200 /);
  });
});

describe("limits by address", () => {
  it("answer 429 with Retry-After, but never to this machine", async () => {
    const limited = await testServer({ info: { rateLimit: { requests: 2, windowMs: 60_000 } } });
    const ask = (remoteAddress: string, url = "/blocks/height") => limited.inject({ url, remoteAddress });
    for (const url of ["/blocks/height", "/nothing"]) await ask("192.0.2.1", url);
    const refused = await ask("192.0.2.1");
    expect(refused.statusCode).toBe(429);
    expect(refused.json()).toEqual({ error: 429, message: "too many requests" });
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    expect((await ask("192.0.2.2")).statusCode).toBe(200);
    for (const own of ["127.0.0.1", "::1", "::ffff:127.0.0.1"]) {
      for (let i = 0; i < 4; i++) expect((await ask(own)).statusCode).toBe(200);
    }
    await limited.close();
  });
});

describe("documentation", () => {
  it.each(["/", "/swagger", "/api-docs", "/api-docs/"])("%s redirects to it with any method", async (url) => {
    for (const method of ["GET", "POST", "DELETE", "OPTIONS", "HEAD"] as const) {
      const answer = await server.inject({ method, url });
      expect(answer.statusCode).toBe(308);
      expect(answer.headers.location).toBe("/api-docs/index.html");
    }
  });

  it("is Swagger UI, without external resources", async () => {
    const page = await server.inject({ url: "/api-docs/index.html" });
    expect(page.statusCode).toBe(200);
    expect(page.headers["content-type"]).toMatch(/^text\/html/);
    const files = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]);
    expect(files.length).toBeGreaterThan(5);
    for (const file of files) {
      expect((await server.inject({ url: `/api-docs/${file.replace("./", "")}` })).statusCode).toBe(200);
    }
    expect((await server.inject({ url: "/api-docs/swagger-initializer.js" })).body).toContain("swagger.json");
    expect((await server.inject({ url: "/api-docs/nothing.html" })).json()).toEqual(notFound);
    expect((await server.inject({ url: "/api-docs/..%2fpackage.json" })).statusCode).toBe(404);
  });

  it("names the network", async () => {
    const { info } = (await server.inject({ url: "/api-docs/swagger.json" })).json();
    expect(info).toMatchObject({ title: `${dev.networkName} node`, version: "1.2.3" });
  });
});
