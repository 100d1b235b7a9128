import { request } from "node:http";
import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testServer } from "../../api/testing/server.ts";
import { emptyBlock, fakeChain } from "../../api/testing/snapshot.ts";
import { addressOf, addressText } from "../../crypto/addresses.ts";
import { dev } from "../../profiles/index.ts";
import { prefixRemover } from "./prefix.ts";

describe("a prefix", () => {
  const taken = prefixRemover("/index/v1");

  it.each([
    ["/index/v1/hash/ab?x=/index/v1", "/hash/ab?x=/index/v1"],
    ["/index/v1", "/"],
    ["/index/v1/", "/"],
    ["/index/v1?a=b", "/?a=b"],
    ["/index/v1/index/hash/ab", "/index/hash/ab"],
    ["/index/v12/hash", "//index/v12/hash"],
    ["/hash/ab", "//hash/ab"],
    ["/", "//"],
    ["*", "*"],
  ])("of %s is removed: %s", (url, rest) => {
    expect(taken(url)).toBe(rest);
  });

  let server: FastifyInstance;
  beforeAll(async () => {
    server = await testServer({
      chain: fakeChain([emptyBlock(1), emptyBlock(2)]),
      info: { prefix: "/lto/node" },
    });
  });
  afterAll(() => server.close());

  it.each([
    ["/lto/node/blocks/height", 200],
    ["/lto/node/HASH/ab", 404],
    ["/lto/node/api-docs/index.html", 200],
    ["/lto/node/api-docs/swagger.json", 200],
    ["/lto/node/api-docs/swagger-ui.css", 200],
    ["/lto/node/nothing", 404],
    ["/blocks/height", 404],
    ["/lto/nodes/blocks/height", 404],
    ["/api-docs/index.html", 404],
    ["/", 404],
    ["//", 404],
    ["/lto/node//blocks/height", 404],
    ["/lto/node/../node/blocks/height", 200],
    ["/x/../lto/node/blocks/height", 200],
    ["/lto/node/../../blocks/height", 404],
    ["/lto/node/blocks/%zz", 400],
    ["/blocks/%zz", 400],
  ])("is required on all paths: %s", async (url, status) => {
    expect((await server.inject({ url })).statusCode).toBe(status);
  });

  it.each([
    ["http://node.example:80/lto/node/blocks/height", 200],
    ["HTTP://node.example/lto/node/./blocks/height?x=1", 200],
    ["http://node.example/blocks/height", 404],
    ["http://node.example/lto/node/../../blocks/height", 404],
    ["https://node.example", 404],
    ["http://node.example?x=/lto/node/", 404],
    ["http://lto/node/blocks/height", 404],
  ])("is required in absolute URLs: %s", async (target, status) => {
    if (server.server.address() === null) await server.listen({ host: "127.0.0.1", port: 0 });
    // The server listens on an IP address, never on a pipe.
    const { port } = server.server.address() as AddressInfo;
    const answered = new Promise<number | undefined>((resolve, reject) => {
      const asked = request({ host: "127.0.0.1", port, path: target, agent: false }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      asked.on("error", reject).end();
    });
    expect(await answered).toBe(status);
  });

  it("is in redirects and in the API documentation", async () => {
    const locationOf = async (url: string): Promise<unknown> => {
      const answer = await server.inject({ url });
      const { location } = answer.headers;
      if (location !== undefined) expect(answer.body).toContain(`href="${location}"`);
      return location;
    };
    for (const url of ["/lto/node", "/lto/node/", "/lto/node/swagger", "/lto/node/api-docs"])
      expect(await locationOf(url)).toBe("/lto/node/api-docs/index.html");
    expect(await locationOf("/lto/node/addresses")).toBe("/lto/node/wallet/addresses");
    const address = addressText(addressOf(new Uint8Array(32), dev.chainId));
    expect(await locationOf(`/lto/node/transactions/address/${address}/limit/5`)).toBe(
      `/lto/node/transactions/address/${address}?limit=5`,
    );
    const where = "/lto/node/api-docs/swagger.json";
    const { servers } = (await server.inject({ url: where })).json();
    // Clients resolve it against the document's URL, without the trailing slash.
    expect(new URL(servers[0].url, `http://node${where}`).pathname).toBe("/lto/node/");
  });

  it("selects the preflight answer of the index only with the prefix", async () => {
    const status = async (url: string) => (await server.inject({ method: "OPTIONS", url })).statusCode;
    expect(await status("/lto/node/hash/ab")).toBe(204);
    expect(await status("/hash/ab")).toBe(200);
  });
});
