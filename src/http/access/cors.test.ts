import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testServer } from "../../api/testing/server.ts";
import { emptyBlock, fakeChain } from "../../api/testing/snapshot.ts";

let server: FastifyInstance;
let closed: FastifyInstance;
beforeAll(async () => {
  const chain = fakeChain([emptyBlock(1), emptyBlock(2)]);
  server = await testServer({ chain, info: { rateLimit: { requests: 1_000, windowMs: 60_000 } } });
  closed = await testServer({ chain, info: { cors: false } });
});
afterAll(async () => {
  await server.close();
  await closed.close();
});

describe("a preflight request", () => {
  const asked = {
    "access-control-request-method": "GET",
    "access-control-request-headers": "cache-control,x-a",
  };

  it.each([
    "/hash/abc",
    "/HASH/abc",
    "/index/hash/abc",
    "/hash",
    "/transactions/addresses/3Nx?type=anchor",
    "/index/transactions/addresses/3Nx",
    "/trust/3Nx/",
    "/index/nothing/here",
    "/index",
  ])("of %s is answered as the index does", async (url) => {
    const answer = await server.inject({ method: "OPTIONS", url, headers: asked });
    expect(answer.statusCode).toBe(204);
    expect(answer.body).toBe("");
    expect(answer.headers).toMatchObject({
      "access-control-allow-origin": "*",
      "access-control-allow-methods": "GET,HEAD,PUT,PATCH,POST,DELETE",
      "access-control-allow-headers": "cache-control,x-a",
      "access-control-expose-headers": "X-Total",
      vary: "Access-Control-Request-Headers",
    });
  });

  it.each([
    "/blocks/height",
    "/transactions/info/3Nx",
    "/nothing/here",
    "/indexes",
    "/associations/status/3Nx",
  ])("of %s is answered as the node does", async (url) => {
    const answer = await server.inject({ method: "OPTIONS", url, headers: asked });
    expect(answer.statusCode).toBe(200);
    expect(answer.body).toBe("OK");
    expect(answer.headers["access-control-allow-headers"]).toBe(
      "Authorization, Content-Type, X-Requested-With, Timestamp, Signature",
    );
  });

  it("without requested headers allows none", async () => {
    const answer = await server.inject({ method: "OPTIONS", url: "/hash" });
    expect(answer.headers).not.toHaveProperty("access-control-allow-headers");
  });
});

describe("every answer", () => {
  it.each([
    ["GET", "/blocks/height", 200],
    ["GET", "/blocks/at/9", 404],
    ["GET", "/nothing", 404],
    ["GET", "/blocks/%ff", 404],
    ["GET", "/blocks/%zz", 400],
    ["DELETE", "/blocks/height", 405],
    ["GET", `/blocks/${"a".repeat(3_000)}`, 414],
    ["GET", "/", 308],
    ["GET", "/addresses", 308],
    ["GET", "/debug/info", 403],
    ["GET", "/hash/x", 404],
    ["GET", "/api-docs/swagger.json", 200],
    ["GET", "/api-docs/index.html", 200],
  ] as const)("may be read by any origin: %s %s", async (method, url, status) => {
    const answer = await server.inject({ method, url });
    expect(answer.statusCode).toEqual(status);
    expect(answer.headers["access-control-allow-origin"]).toBe("*");
    const hidden = await closed.inject({ method, url });
    expect(hidden.statusCode).toEqual(status);
    expect(hidden.headers["access-control-allow-origin"]).toBe(undefined);
  });

  it("allows any origin with status 429 too", async () => {
    const limited = await testServer({ info: { rateLimit: { requests: 0, windowMs: 60_000 } } });
    const answer = await limited.inject({ url: "/blocks/height", remoteAddress: "192.0.2.1" });
    expect(answer.statusCode).toBe(429);
    expect(answer.headers["access-control-allow-origin"]).toBe("*");
    await limited.close();
  });
});
