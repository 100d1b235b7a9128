/** Named API keys: scopes, expiry, rotation and the audit log. */
import { afterAll, describe, expect, it } from "vitest";
import { encodeUtf8 } from "../../bytes/utf8.ts";
import { secureHash } from "../../crypto/hashes.ts";
import { DELAYED_ANSWERS_TIMER } from "../../http/access/key-guesses.ts";
import type { NamedKey, Scope } from "../../http/access/named-keys.ts";
import { SCOPES } from "../../http/access/named-keys.ts";
import { type Route, scopeOf } from "../route.ts";
import { routes } from "../routes/all.ts";
import { API_KEY, type MemoryLog, memoryLog, NOW, testServer } from "../testing/server.ts";

function key(name: string, scopes: readonly Scope[], expiresAt?: number): NamedKey {
  return { name, scopes, hash: secureHash(encodeUtf8(`key of ${name}`)), expiresAt };
}

const wrongKey = { error: 2, message: "Provided API key is not correct" };
const lacks = (scope: Scope) => ({
  error: 403,
  message: `the API key does not have the scope ${scope}`,
});

const namedKeys: { current: readonly NamedKey[] | undefined } = { current: undefined };
const log: MemoryLog = memoryLog();
const opened = testServer({ namedKeys, log });
afterAll(async () => (await opened).close());

async function ask(
  headers: Record<string, string>,
  url = "/debug/minerInfo",
  method: "GET" | "POST" = "GET",
) {
  const answer = await (await opened).inject({ method, url, headers });
  return { status: answer.statusCode, body: answer.json<unknown>() };
}

const with_ = (name: string) => ({ "x-api-key": `key of ${name}` });

describe("a named key", () => {
  it("opens the routes of its scopes, and no others", async () => {
    namedKeys.current = SCOPES.map((scope) => key(scope, [scope]));
    const guarded = (routes as readonly Route[]).flatMap((route) => {
      const scope = scopeOf(route);
      return scope === undefined || route.access?.startsWith("key-in-handler") ? [] : [{ route, scope }];
    });
    expect(new Set(guarded.map(({ scope }) => scope))).toEqual(new Set(SCOPES));
    for (const { route, scope } of guarded) {
      const url = route.path.replace(/:(howMany|height)/, "1").replace(/:\w+/g, "x");
      for (const other of SCOPES.filter((one) => one !== scope)) {
        const server = await opened;
        const answer = await server.inject({ method: route.method, url, headers: with_(other) });
        expect([url, answer.statusCode, answer.json()]).toEqual([url, 403, lacks(scope)]);
      }
    }
    expect((await ask(with_("read"))).status).toBe(200);
    expect((await ask(with_("wallet"))).body).toEqual(lacks("read"));
  });

  it("with the wrong scope is refused by routes that check the key in their handler", async () => {
    namedKeys.current = [key("reader", ["read"]), key("signer", ["wallet"])];
    const url = "/debug/configInfo?full=true";
    expect((await ask(with_("signer"), url)).body).toEqual(lacks("read"));
    expect((await ask(with_("reader"), url)).status).toBe(200);
    expect((await ask(with_("reader"), "/wallet/sign/x", "POST")).body).toEqual(lacks("wallet"));
  });

  it("works as a bearer token, and next to another key that is wrong or lacks the scope", async () => {
    namedKeys.current = [key("reader", ["read"]), key("signer", ["wallet"])];
    expect((await ask({ authorization: `Bearer ${"x".repeat(20)}`, ...with_("reader") })).status).toBe(200);
    namedKeys.current = [
      { name: "token", scopes: ["wallet"], hash: secureHash(encodeUtf8("tok")) },
      key("reader", ["read"]),
    ];
    expect((await ask({ authorization: "Bearer tok" })).body).toEqual(lacks("read"));
    expect((await ask({ authorization: "Bearer tok", ...with_("reader") })).status).toBe(200);
  });

  it("is refused by name from its expiry on", async () => {
    namedKeys.current = [key("old", SCOPES, NOW), key("valid", SCOPES, NOW + 1)];
    expect((await ask(with_("valid"))).status).toBe(200);
    const body = { error: 403, message: "the API key old has expired" };
    expect(await ask(with_("old"))).toEqual({ status: 403, body });
  });

  it("is a wrong key if it is unknown, and none is a wrong key too", async () => {
    namedKeys.current = [key("old", SCOPES, NOW)];
    expect(await ask(with_("nobody"))).toEqual({ status: 403, body: wrongKey });
    expect(await ask({})).toEqual({ status: 403, body: wrongKey });
  });

  it("is revoked for the next request", async () => {
    namedKeys.current = [key("reader", ["read"])];
    expect((await ask(with_("reader"))).status).toBe(200);
    namedKeys.current = [];
    expect(await ask(with_("reader"))).toEqual({ status: 403, body: wrongKey });
  });

  it("leaves the protocol's key all rights", async () => {
    namedKeys.current = [];
    expect((await ask({ "x-api-key": API_KEY })).status).toBe(200);
    expect((await ask({ "x-api-key": API_KEY }, "/peers/clearblacklist", "POST")).status).toBe(200);
  });

  it("closes the routes of a development node to requests without a key", async () => {
    const info = { apiKeyHash: undefined, hasOpenKeyRoutes: true };
    const server = await testServer({ info, namedKeys: { current: [] } });
    const request = { url: "/debug/minerInfo", headers: { host: "localhost" } };
    expect((await server.inject(request)).json()).toEqual(wrongKey);
    expect((await server.inject("/node/health")).json()).toMatchObject({ keyRoutes: "key" });
    await server.close();
  });
});

describe("the audit log", () => {
  it("is a log area of its own, so that its level can be set", async () => {
    const areas: string[] = [];
    const server = await testServer({
      log: {
        ...log,
        area(name) {
          areas.push(name);
          return log;
        },
      },
    });
    await server.close();
    expect(areas).toEqual(["audit"]);
  });

  it("has the key's name, the route's pattern and the status of each use, and nothing else", async () => {
    namedKeys.current = [key("reader", ["read"])];
    log.lines.length = 0;
    await ask(with_("reader"), "/debug/blocks/1?secret=1");
    await ask(with_("reader"), "/wallet/sign/3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt", "POST");
    await ask({ "x-api-key": API_KEY });
    expect(log.lines.filter((line) => line.startsWith("API key used"))).toEqual([
      'API key used {"key":"reader","method":"GET","route":"/debug/blocks/:howMany","status":200}',
      'API key used {"key":"reader","method":"POST","route":"/wallet/sign/:address","status":403}',
      'API key used {"key":"api-key","method":"GET","route":"/debug/minerInfo","status":200}',
    ]);
  });

  it("has the reason of each refusal, never the key, and no line for a route that needs none", async () => {
    namedKeys.current = [key("old", SCOPES, NOW)];
    log.lines.length = 0;
    await ask({ "x-api-key": "my-secret" });
    await ask(with_("old"), "/wallet/sign/3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt", "POST");
    await ask({});
    await ask({ "x-api-key": API_KEY, "sec-fetch-site": "cross-site" });
    await ask(with_("old"), "/blocks/height");
    await ask({}, "/debug/configInfo");
    const route = '"method":"GET","route":"/debug/minerInfo"';
    expect(log.lines).toEqual([
      `API key refused {"reason":"wrong key",${route},"status":403}`,
      'API key refused {"reason":"the API key old has expired","method":"POST","route":"/wallet/sign/:address","status":403}',
      `API key refused {"reason":"no key",${route},"status":403}`,
      `API key refused {"reason":"origin is another host",${route},"status":403}`,
    ]);
  });

  it("is not filled by a flood of wrong or missing keys, and still has each use of a valid one", async () => {
    let now = 0;
    const flooded = memoryLog();
    const server = await testServer({
      namedKeys: { current: [] },
      log: flooded,
      clock: {
        now: () => NOW,
        system: () => NOW,
        monotonic: () => now,
        // Answers to wrong keys are not delayed.
        after: (_ms, task, name) => {
          if (name === DELAYED_ANSWERS_TIMER) task();
          return () => {};
        },
      },
    });
    const get = (headers: Record<string, string>) => server.inject({ url: "/debug/minerInfo", headers });
    for (let i = 0; i < 40; i++) {
      await get({ "x-api-key": `wrong ${i}` });
      await get({});
    }
    const count = (text: string) => flooded.lines.filter((line) => line.includes(text)).length;
    expect([count("wrong key"), count("no key"), flooded.lines.length]).toEqual([30, 30, 60]);
    for (let i = 0; i < 5; i++) await get({ "x-api-key": API_KEY });
    expect(count('"key":"api-key"')).toBe(5);
    now = 10_000;
    await get({ "x-api-key": "wrong" });
    expect(flooded.lines.at(-1)).toMatch(/^API key refused .*"omittedBefore":10/);
    await server.close();
  });
});
