/** Requests through proxies: rate limits and closed routes. */
import type { FastifyInstance, InjectOptions } from "fastify";
import { afterAll, describe, expect, it } from "vitest";
import type { ApiInfo } from "../../api/info.ts";
import { fakeControl } from "../../api/testing/control.ts";
import { API_KEY, testServer } from "../../api/testing/server.ts";
import { ipNetwork } from "../../bytes/ip.ts";
import { encodeUtf8 } from "../../bytes/utf8.ts";
import { keyPairFromSeed } from "../../crypto/seeds.ts";
import { dev } from "../../profiles/index.ts";

const opened: FastifyInstance[] = [];
afterAll(async () => {
  for (const server of opened) await server.close();
});

async function serverWith(proxies: readonly string[], info: Partial<ApiInfo> = {}): Promise<FastifyInstance> {
  const trustedProxies = proxies.map((text) => {
    const network = ipNetwork(text);
    if (network === undefined) throw new Error(text);
    return network;
  });
  const control = fakeControl([keyPairFromSeed(encodeUtf8("root"))], dev.chainId);
  const server = await testServer({ info: { ...info, trustedProxies }, control });
  opened.push(server);
  return server;
}

describe("the rate limit", () => {
  const rateLimit = { requests: 1, windowMs: 60_000 };

  /** Returns true if the second of two requests is refused. */
  async function areOneSender(
    proxies: readonly string[],
    one: readonly [peer: string, forwarded?: string],
    other: readonly [peer: string, forwarded?: string],
  ): Promise<boolean> {
    const server = await serverWith(proxies, { rateLimit });
    const statuses: number[] = [];
    for (const [peer, forwarded] of [one, other]) {
      const headers = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
      const answer = await server.inject({ url: "/blocks/height", remoteAddress: peer, headers });
      statuses.push(answer.statusCode);
    }
    expect(statuses[0]).toBe(200);
    return statuses[1] === 429;
  }

  it.each<[string, readonly string[], readonly [string, string?], readonly [string, string?], boolean]>([
    [
      "nobody is believed unless trusted",
      [],
      ["192.0.2.1", "198.51.100.1"],
      ["192.0.2.1", "198.51.100.2"],
      true,
    ],
    [
      "a trusted proxy is",
      ["192.0.2.1"],
      ["192.0.2.1", "198.51.100.1"],
      ["192.0.2.1", "198.51.100.2"],
      false,
    ],
    [
      "so is a network",
      ["192.0.2.0/24"],
      ["192.0.2.1", "198.51.100.1"],
      ["192.0.2.9", "198.51.100.1:4711"],
      true,
    ],
    [
      "IPv4 in IPv6 is IPv4",
      ["10.0.0.0/8"],
      ["::ffff:10.0.0.1", "198.51.100.1"],
      ["10.0.0.2", "198.51.100.1"],
      true,
    ],
    [
      "what the client wrote before does not count",
      ["192.0.2.1"],
      ["192.0.2.1", "9.9.9.9, 198.51.100.1"],
      ["192.0.2.1", "8.8.8.8, 198.51.100.1"],
      true,
    ],
    [
      "proxies behind proxies are passed over",
      ["192.0.2.0/24"],
      ["192.0.2.1", "198.51.100.1, 192.0.2.7"],
      ["192.0.2.1", "198.51.100.2, 192.0.2.7"],
      false,
    ],
    [
      "what is no address ends it",
      ["192.0.2.1"],
      ["192.0.2.1", "198.51.100.1, unknown"],
      ["192.0.2.1", "198.51.100.2, unknown"],
      true,
    ],
    [
      "IPv6 clients are counted by network",
      ["::1"],
      ["::1", "[2001:db8::1]:99"],
      ["::1", "2001:db8::2"],
      true,
    ],
    [
      "a client called loopback is counted",
      ["127.0.0.1"],
      ["127.0.0.1", "127.0.0.1"],
      ["127.0.0.1", "127.0.0.1"],
      true,
    ],
    ["so is a proxy that says nothing", ["127.0.0.1"], ["127.0.0.1"], ["127.0.0.1"], true],
    [
      "programs on this machine are not",
      [],
      ["127.0.0.1", "198.51.100.1"],
      ["127.0.0.1", "198.51.100.1"],
      false,
    ],
  ])("%s", async (_, proxies, one, other, same) => {
    expect(await areOneSender(proxies, one, other)).toBe(same);
  });

  it("bounds the addresses it reads", async () => {
    const list = (first: string) => [first, ...Array(30).fill("192.0.2.1")].join(", ");
    expect(
      await areOneSender(
        ["192.0.2.1"],
        ["192.0.2.1", list("198.51.100.1")],
        ["192.0.2.1", list("198.51.100.2")],
      ),
    ).toBe(true);
  });
});

describe("a route open to local programs", () => {
  const open = { apiKeyHash: undefined, hasOpenKeyRoutes: true };
  const host = "127.0.0.1:6869";
  const requests: readonly InjectOptions[] = [
    { url: "/debug/minerInfo" },
    { method: "POST", url: "/wallet/addresses" },
    { method: "POST", url: "/hash", payload: { hash: "ab".repeat(32) } },
  ];

  it.each([
    ["x-forwarded-for", "127.0.0.1"],
    ["x-forwarded-host", "127.0.0.1:6869"],
    ["x-forwarded-proto", "http"],
    ["x-real-ip", "127.0.0.1"],
    ["forwarded", "for=127.0.0.1"],
    ["via", "1.1 proxy"],
  ])("is closed to a proxy that adds its header: %s: %s", async (name, value) => {
    for (const proxies of [[], ["127.0.0.1"]]) {
      const server = await serverWith(proxies, open);
      for (const request of requests) {
        const answer = await server.inject({ ...request, headers: { host, [name]: value } });
        expect(answer.statusCode).toBe(403);
        expect(answer.json()).toEqual({ error: 403, message: "request came through a proxy" });
      }
    }
  });

  it("is closed to a trusted proxy without a header, and open otherwise", async () => {
    for (const [proxies, isOpen] of [
      [["127.0.0.0/8"], false],
      [["::1"], true],
      [[], true],
    ] as const) {
      const server = await serverWith(proxies, open);
      for (const request of requests) {
        const answer = await server.inject({ ...request, headers: { host } });
        expect(answer.statusCode === 403).toBe(!isOpen);
      }
    }
  });

  it("is usable through a proxy with key and token", async () => {
    const server = await serverWith(["127.0.0.1"], { authToken: "sesame" });
    const headers = {
      "x-forwarded-for": "198.51.100.1",
      "x-api-key": API_KEY,
      authorization: "bearer sesame",
    };
    for (const request of requests) {
      const answer = await server.inject({ ...request, headers });
      expect([401, 403]).not.toContain(answer.statusCode);
    }
  });
});
