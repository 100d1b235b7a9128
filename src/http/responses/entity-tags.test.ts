/** Entity tags, and what caches may keep. Page 07 §3.4. */
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testServer } from "../../api/testing/server.ts";
import { emptyBlock, fakeChain } from "../../api/testing/snapshot.ts";
import { encodeBase58 } from "../../bytes/base58.ts";
import { entityTag, matchesEntityTag } from "./entity-tags.ts";
import { ChunkedBody } from "./reply.ts";

describe("an entity tag", () => {
  it("is that of the index's framework", () => {
    expect(entityTag("Hello World")).toBe('W/"b-Ck1VqNd45QIvq3AZd8XYQLvEhtA"');
    expect(entityTag("")).toBe('W/"0-2jmj7l5rSw0yVb/vlWAYkK/YBwk"');
    expect(entityTag(Buffer.from('{"a":1}'))).toBe(entityTag('{"a":1}'));
    expect(entityTag(new ChunkedBody([Buffer.from('{"a"'), Buffer.from(":1}")]))).toBe(entityTag('{"a":1}'));
    expect(entityTag("é")).toMatch(/^W\/"2-/);
  });

  it("is omitted for long answers", () => {
    expect(entityTag("a".repeat(2 ** 20))).toBeDefined();
    expect(entityTag(new ChunkedBody([Buffer.alloc(2 ** 20), Buffer.alloc(1)]))).toBeUndefined();
  });

  it.each([
    ['W/"7-a"', true],
    ['"7-a"', true],
    ['"x", W/"7-a"', true],
    ["*", true],
    ['W/"7-b"', false],
    ["7-a", false],
    ["", false],
  ])("matches %s: %s", (known, yes) => {
    expect(matchesEntityTag(known, 'W/"7-a"')).toBe(yes);
  });
});

describe("an answer about blocks", () => {
  let server: FastifyInstance;
  const id = (height: number): string => encodeBase58(emptyBlock(height).id);
  beforeAll(async () => {
    const blocks = Array.from({ length: 100 }, (_, i) => emptyBlock(i + 1));
    server = await testServer({ chain: fakeChain(blocks), info: { rollbackDepth: 50 } });
  });
  afterAll(() => server.close());

  it.each([
    ["/blocks/first", true],
    ["/blocks/at/49", true],
    ["/blocks/at/50", false],
    ["/blocks/headers/at/49", true],
    ["/blocks/headers/at/100", false],
    [`/blocks/signature/${id(49)}`, true],
    [`/blocks/signature/${id(99)}`, false],
    [`/blocks/child/${id(48)}`, true],
    [`/blocks/child/${id(49)}`, false],
    ["/blocks/seq/1/49", true],
    ["/blocks/seq/1/50", false],
    ["/blocks/seq/90/120", false],
    ["/blocks/headers/seq/1/5", true],
    ["/blocks/headers/seq/1/90", false],
    ["/blocks/last", false],
    ["/blocks/headers/last", false],
  ])("%s is immutable: %s", async (url, lasts) => {
    const answer = await server.inject({ url });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers["cache-control"]).toBe(lasts ? "public, max-age=86400, immutable" : undefined);
    const { etag } = answer.headers;
    expect(etag).toMatch(/^W\/"[0-9a-f]+-.{27}"$/);
    const again = await server.inject({ url, headers: { "if-none-match": String(etag) } });
    expect(again.statusCode).toBe(304);
    expect(again.body).toBe("");
    expect(again.headers).toMatchObject({
      etag,
      "access-control-allow-origin": "*",
      vary: "Accept-Encoding",
    });
    expect(again.headers["cache-control"]).toBe(answer.headers["cache-control"]);
    const other = await server.inject({ url, headers: { "if-none-match": 'W/"1-x"' } });
    expect(other.statusCode).toBe(200);
    expect(other.body).toEqual(answer.body);
  });

  it("is not immutable if it is an error or changes with each block", async () => {
    for (const url of ["/blocks/at/101", "/blocks/height", "/node/status", "/nothing"]) {
      const { headers } = await server.inject({ url });
      expect(headers.etag, url).toBe(undefined);
      expect(headers["cache-control"], url).toBe(undefined);
    }
  });

  it("of the index has a tag, for HEAD too, and not for what is posted", async () => {
    const url = `/trust/${"1".repeat(26)}`;
    expect((await server.inject({ url })).headers).not.toHaveProperty("etag");
    const address = "3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt";
    const { headers } = await server.inject({ url: `/transactions/addresses/${address}?type=all` });
    const { etag } = headers;
    expect(etag).toMatch(/^W\//);
    const head = await server.inject({ method: "HEAD", url: `/transactions/addresses/${address}?type=all` });
    expect(head.headers.etag).toBe(etag);
    const known = { "if-none-match": String(etag) };
    expect(
      (await server.inject({ url: `/index/transactions/addresses/${address}?type=all`, headers: known }))
        .statusCode,
    ).toBe(304);
    const posted = await server.inject({
      method: "POST",
      url: "/hash/verify",
      headers: { "if-none-match": "*" },
      payload: { hashes: {} },
    });
    expect(posted.statusCode).toBe(200);
  });
});
