import { once } from "node:events";
import { Readable } from "node:stream";
import { gunzipSync } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { API_KEY, plainBody, testServer } from "../../api/testing/server.ts";
import { emptyBlock, fakeChain } from "../../api/testing/snapshot.ts";
import { Compression, encodingFor } from "./compression.ts";

describe("the encoding of an answer", () => {
  it.each([
    [undefined, undefined],
    ["", undefined],
    ["gzip", "gzip"],
    ["GZIP", "gzip"],
    ["x-gzip", "gzip"],
    ["br", "br"],
    ["gzip, deflate, br, zstd", "br"],
    ["gzip;q=1.0, br;q=0.5", "gzip"],
    ["gzip;q=0.5,br;q=0.8", "br"],
    ["br;q=0, gzip", "gzip"],
    ["gzip;q=0, br;q=0", undefined],
    ["*", "br"],
    ["*;q=0.3, br;q=0", "gzip"],
    ["*;q=0", undefined],
    ["identity", undefined],
    ["identity, gzip;q=0.5", undefined],
    ["identity;q=0.5, gzip", "gzip"],
    ["deflate", undefined],
    ["gzip;q=nonsense", "gzip"],
  ])("is selected by Accept-Encoding: %s", (accepted, encoding) => {
    expect(encodingFor(accepted)).toBe(encoding);
  });
});

describe("answers", () => {
  let server: FastifyInstance;
  beforeAll(async () => {
    const blocks = Array.from({ length: 300 }, (_, i) => emptyBlock(i + 1));
    server = await testServer({
      chain: fakeChain(blocks),
      info: { compressFrom: 2_000, configuration: { text: "a".repeat(5_000) } },
    });
  });
  afterAll(() => server.close());

  it.each([
    ["a short one", "/blocks/headers/seq/1/10"],
    ["a long one", "/blocks/seq/1/100"],
  ])("are the same after decompression: %s", async (_, url) => {
    const plain = await server.inject({ url });
    expect(plain.headers).not.toHaveProperty("content-encoding");
    expect(plain.headers.vary).toBe("Accept-Encoding");
    for (const encoding of ["gzip", "br"]) {
      const answer = await server.inject({ url, headers: { "accept-encoding": encoding } });
      expect(answer.headers).toMatchObject({ "content-encoding": encoding, vary: "Accept-Encoding" });
      expect(answer.rawPayload.length).toBeLessThan(plain.body.length / 4);
      expect(plainBody(answer)).toBe(plain.body);
      expect(answer.headers.etag).toBe(plain.headers.etag);
    }
  });

  it.each([
    ["short ones", { url: "/blocks/headers/at/1" }],
    ["what a key protects", { url: "/debug/configInfo?full=true", headers: { "x-api-key": API_KEY } }],
    ["those of HEAD", { method: "HEAD", url: "/hash/ab" }],
    ["files of the documentation", { url: "/api-docs/swagger-ui.css" }],
  ] as const)("are not compressed: %s", async (_, request) => {
    const headers = { "accept-encoding": "gzip", ...("headers" in request ? request.headers : {}) };
    const answer = await server.inject({ ...request, headers });
    expect(answer.headers).not.toHaveProperty("content-encoding");
  });

  it("are compressed even if they are errors", async () => {
    const wrong = Array.from({ length: 200 }, (_, i) => [`m${i}`, 1]);
    const answer = await server.inject({
      method: "POST",
      url: "/transactions/broadcast",
      headers: { "accept-encoding": "gzip" },
      payload: JSON.stringify({ type: 4, attachment: "0".repeat(5_000), ...Object.fromEntries(wrong) }),
    });
    expect(answer.statusCode).toBe(400);
    expect(JSON.parse(plainBody(answer)).error).toBe(1);
  });
});

describe("compression", () => {
  const request = { headers: { "accept-encoding": "gzip" }, method: "GET", routeOptions: { config: {} } };
  const headers = new Map<string, unknown>();
  const reply = {
    getHeader: () => "application/json",
    header: (name: string, value: unknown) => headers.set(name, value),
    removeHeader: (name: string) => headers.delete(name),
  };
  // The parts of request and reply that matter.
  const asRequest = request as unknown as FastifyRequest;
  const asReply = reply as unknown as FastifyReply;

  it("runs for a few answers at a time; others are sent uncompressed", async () => {
    const compression = new Compression(10);
    const text = Buffer.from("a text ".repeat(100));
    const shorter = Array.from(
      { length: 4 },
      () =>
        new Promise<Uint8Array>((resolve, reject) => {
          expect(compression.encodingOf(asRequest, asReply, text.length)).toBe("gzip");
          compression.compress("gzip", [text], asReply, (error, value) =>
            value instanceof Uint8Array ? resolve(value) : reject(error),
          );
        }),
    );
    expect(compression.encodingOf(asRequest, asReply, text.length)).toBeUndefined();
    for (const one of shorter) expect(gunzipSync(await one).toString()).toBe(text.toString());
    expect(compression.encodingOf(asRequest, asReply, text.length)).toBe("gzip");
  });

  it("frees its place when the client disconnects", async () => {
    const compression = new Compression(10);
    const long = Buffer.alloc(1_000_000, "a long text");
    const streams: Readable[] = [];
    for (let i = 0; i < 4; i++)
      compression.compress("gzip", [long], asReply, (_, value) => {
        if (value instanceof Readable) streams.push(value);
      });
    expect(streams).toHaveLength(4);
    expect(compression.encodingOf(asRequest, asReply, 100)).toBeUndefined();
    const closed = once(streams[0], "close");
    streams[0].destroy();
    await closed;
    expect(compression.encodingOf(asRequest, asReply, 100)).toBe("gzip");
    for (const one of streams) one.destroy();
  });
});
