/** Access to routes: API key, token of `POST /hash`, guard of open routes. Page 06 §3; 07 §3.5; 00, part B, 5. */
import type { FastifyInstance, InjectOptions } from "fastify";
import { afterAll, describe, expect, it } from "vitest";
import { encodeHex } from "../../bytes/hex.ts";
import { encodeUtf8 } from "../../bytes/utf8.ts";
import { secureHash, sha256 } from "../../crypto/hashes.ts";
import { keyPairFromSeed } from "../../crypto/seeds.ts";
import { dev } from "../../profiles/index.ts";
import type { ApiInfo } from "../info.ts";
import { isKeyRoute, type Route } from "../route.ts";
import { routes } from "../routes/all.ts";
import { fakeControl } from "../testing/control.ts";
import { API_KEY, testServer } from "../testing/server.ts";

const wallet = [keyPairFromSeed(encodeUtf8("root"))];
const hash = encodeHex(sha256(encodeUtf8("a file")));
const wrongKey = { error: 2, message: "Provided API key is not correct" };

const servers = new Map<Partial<ApiInfo>, Promise<FastifyInstance>>();
afterAll(async () => {
  for (const server of servers.values()) await (await server).close();
});

/** Sends a request to a node with `info`; the same object selects the same node. */
async function ask(
  info: Partial<ApiInfo>,
  request: InjectOptions,
): Promise<{ status: number; body: unknown }> {
  const server = servers.get(info) ?? testServer({ info, control: fakeControl(wallet, dev.chainId) });
  servers.set(info, server);
  const answer = await (await server).inject(request);
  return { status: answer.statusCode, body: answer.json() };
}

const withKey: Partial<ApiInfo> = {};

const anchorRequest = (headers: Record<string, string> = {}, url = "/hash"): InjectOptions => ({
  method: "POST",
  url,
  headers: { "content-type": "application/json", ...headers },
  payload: { hash },
});

describe("the API key", () => {
  it.each<[string, Record<string, string>, number]>([
    ["X-API-Key", { "x-api-key": API_KEY }, 200],
    ["blanks around it", { "x-api-key": ` ${API_KEY} ` }, 200],
    ["Bearer", { authorization: `Bearer ${API_KEY}` }, 200],
    ["bearer without a blank", { authorization: `bearer${API_KEY}` }, 200],
    ["a tab between", { authorization: `Bearer\t${API_KEY}` }, 200],
    ["something behind", { authorization: `Bearer ${API_KEY} x` }, 403],
    ["another scheme", { authorization: "Basic b3Blbjo=" }, 403],
    ["wrong Bearer, right header", { authorization: "Bearer x", "x-api-key": API_KEY }, 200],
    ["capitals", { "x-api-key": API_KEY.toUpperCase() }, 403],
    ["nothing", {}, 403],
    ["an empty header", { "x-api-key": "" }, 403],
    ["an older header", { api_key: API_KEY }, 403],
  ])("%s", async (_, headers, status) => {
    const answer = await ask(withKey, { url: "/debug/minerInfo", headers });
    expect(answer.status).toBe(status);
    if (status === 403) expect(answer.body).toEqual(wrongKey);
  });

  it("may have any characters in its own header", async () => {
    const info = { apiKeyHash: secureHash(encodeUtf8("ridé the lto!")) };
    const header = Buffer.from("ridé the lto!").toString("latin1");
    expect((await ask(info, { url: "/debug/minerInfo", headers: { "x-api-key": header } })).status).toBe(200);
  });

  it("closes all key routes when none is configured", async () => {
    const info = { apiKeyHash: undefined, hasOpenKeyRoutes: false };
    for (const headers of [{}, { "x-api-key": "" }, { authorization: "Bearer " }, { "x-api-key": API_KEY }]) {
      expect(await ask(info, { url: "/debug/minerInfo", headers })).toEqual({ status: 403, body: wrongKey });
    }
  });

  it("is checked on every key route, before the body", async () => {
    const server = await testServer();
    const guarded = (routes as readonly Route[]).filter(isKeyRoute);
    expect(guarded.length).toBeGreaterThan(15);
    for (const route of guarded) {
      const url = route.path.replace(/:(howMany|height)/, "1").replace(/:\w+/g, "x");
      const answer = await server.inject({ method: route.method, url: `${url}?full=true`, payload: "{" });
      expect(answer.statusCode, route.path).toBe(403);
      expect(answer.json(), route.path).toEqual(wrongKey);
    }
    await server.close();
  });
});

describe("the API key sent by a web page", () => {
  const host = "node.example:6869";
  const foreign: Record<string, string>[] = [
    { host, origin: "http://evil.example" },
    { host, origin: "http://node.example:80" },
    { host, origin: "http://node.example.evil.example:6869" },
    { host, origin: "null" },
    { host, origin: "" },
    { host, "sec-fetch-site": "cross-site" },
    { host, "sec-fetch-site": "same-site" },
    { host, "sec-fetch-site": "cross-site", origin: `http://${host}` },
  ];
  const own: Record<string, string>[] = [
    { host },
    { host, origin: `http://${host}` },
    { host, origin: `HTTP://${host.toUpperCase()}` },
    { host, "sec-fetch-site": "none" },
    { host, "sec-fetch-site": "same-origin" },
    // A TLS proxy may name another host.
    { host, origin: `https://${host}` },
    { host: "127.0.0.1:6869", origin: "https://node.example", "sec-fetch-site": "same-origin" },
  ];
  const keys: Record<string, string>[] = [
    { "x-api-key": API_KEY },
    { authorization: `Bearer ${API_KEY}` },
    { "x-api-key": "wrong" },
  ];
  const requests = (headers: Record<string, string>): InjectOptions[] => [
    { url: "/debug/minerInfo", headers },
    { method: "POST", url: "/wallet/signText/x", headers, payload: "a" },
  ];

  it.each(foreign)("is refused, right or wrong: %j", async (headers) => {
    for (const key of keys)
      for (const request of requests({ ...headers, ...key }))
        expect(await ask(withKey, request)).toEqual({
          status: 403,
          body: { error: 403, message: "origin is another host" },
        });
  });

  it.each(own)("is accepted from the node's own pages and from programs: %j", async (headers) => {
    for (const key of keys.slice(0, 2))
      for (const request of requests({ ...headers, ...key }))
        expect((await ask(withKey, request)).status).not.toBe(403);
  });

  const different = { apiKeyDifferentHost: true };
  it.each(foreign)("is accepted from any page if the operator allows it: %j", async (headers) => {
    const statuses = [];
    for (const key of keys.slice(0, 2))
      for (const request of requests({ ...headers, ...key }))
        statuses.push((await ask(different, request)).status);
    expect(statuses).not.toContain(403);
  });
});

describe("open key routes", () => {
  const info = { apiKeyHash: undefined, hasOpenKeyRoutes: true };

  it.each<[Record<string, string>, number, string?]>([
    [{ host: "127.0.0.1:6869" }, 200],
    [{ host: "localhost:6869" }, 200],
    [{ host: "LOCALHOST" }, 200],
    [{ host: "[::1]:6869" }, 200],
    [{ host: "127.0.0.1:6869", origin: "http://127.0.0.1:6869" }, 200],
    [{ host: "localhost:6869", origin: "http://localhost:6869" }, 200],
    [{ host: "127.0.0.1:6869", "sec-fetch-site": "none" }, 200],
    [{ host: "127.0.0.1:6869", "sec-fetch-site": "same-origin", origin: "http://127.0.0.1:6869" }, 200],
    [{ host: "127.0.0.1:6869", "sec-fetch-site": "cross-site" }, 403, "origin is another host"],
    [{ host: "localhost:6869", "sec-fetch-site": "same-site" }, 403, "origin is another host"],
    [{ host: "evil.example" }, 403, "host is not a loopback name"],
    [{ host: "evil.example:6869", origin: "http://evil.example:6869" }, 403, "host is not a loopback name"],
    [{ host: "localhost.evil.example" }, 403, "host is not a loopback name"],
    [{ host: "127.0.0.1.evil.example" }, 403, "host is not a loopback name"],
    [{ host: "0.0.0.0:6869" }, 403, "host is not a loopback name"],
    [{ host: "192.168.1.5:6869" }, 403, "host is not a loopback name"],
    [{ host: " " }, 403, "host is not a loopback name"],
    [{ host: "127.0.0.1:6869", origin: "http://evil.example" }, 403, "origin is another host"],
    [{ host: "127.0.0.1:6869", origin: "http://127.0.0.1.evil.example:6869" }, 403, "origin is another host"],
    [{ host: "127.0.0.1:6869", origin: "https://127.0.0.1:6869" }, 403, "origin is another host"],
    [{ host: "127.0.0.1:6869", origin: "http://127.0.0.1:3000" }, 403, "origin is another host"],
    [{ host: "127.0.0.1:6869", origin: "null" }, 403, "origin is another host"],
    [{ host: "127.0.0.1:6869", origin: "" }, 403, "origin is another host"],
  ])("%j", async (headers, status, message) => {
    for (const request of [
      { url: "/debug/minerInfo", headers },
      { method: "POST", url: "/wallet/signText/x", headers, payload: "a" },
      anchorRequest(headers),
      anchorRequest(headers, "/index/hash"),
    ] as const) {
      const answer = await ask(info, request);
      if (status === 403) expect(answer).toEqual({ status, body: { error: 403, message } });
      else expect(answer.status).not.toBe(403);
    }
  });

  it("do not restrict open routes", async () => {
    const headers = { host: "evil.example", origin: "http://evil.example" };
    expect((await ask(info, { url: "/blocks/height", headers })).status).toBe(200);
  });

  it("are closed by a key", async () => {
    const request = { url: "/debug/minerInfo", headers: { host: "127.0.0.1" } };
    expect((await ask({ hasOpenKeyRoutes: true }, request)).status).toBe(403);
  });
});

describe("POST /hash", () => {
  const info = { authToken: "sesame" };
  const unauthorized = { message: "Unauthorized", statusCode: 401 };

  it.each<[string, Record<string, string>, number]>([
    ["Bearer", { authorization: "Bearer sesame" }, 200],
    ["lower case", { authorization: "bearer sesame" }, 200],
    [
      "from another host",
      { authorization: "bearer sesame", host: "node.example", origin: "http://x.example" },
      200,
    ],
    ["nothing", {}, 401],
    ["a wrong token", { authorization: "Bearer Sesame" }, 401],
    ["two blanks", { authorization: "Bearer  sesame" }, 401],
    ["a third part", { authorization: "Bearer sesame x" }, 401],
    ["another scheme", { authorization: "Basic sesame" }, 401],
    ["the API key", { "x-api-key": API_KEY }, 401],
  ])("with a token: %s", async (_, headers, status) => {
    const answer = await ask(info, anchorRequest(headers));
    expect(answer.status).toBe(status);
    if (status === 401) expect(answer.body).toEqual(unauthorized);
  });

  it("accepts the token in body or query, but in one place only", async () => {
    const inBody = { ...anchorRequest(), payload: { hash, access_token: "sesame" } };
    expect((await ask(info, inBody)).status).toBe(200);
    expect((await ask(info, anchorRequest({}, "/hash?access_token=sesame"))).status).toBe(200);
    const twice = anchorRequest({ authorization: "Bearer sesame" }, "/hash?access_token=sesame");
    expect(await ask(info, twice)).toEqual({ status: 401, body: unauthorized });
  });

  it("checks the token after the JSON and before the hash", async () => {
    expect((await ask(info, { ...anchorRequest(), payload: { hash: "zz" } })).status).toBe(401);
    expect((await ask(info, { ...anchorRequest(), payload: "{" })).status).toBe(400);
  });
});
