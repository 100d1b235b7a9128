/**
 * Requests of the network's web wallet and explorer, in a real browser: pages of another origin call the node with the
 * headers that those send. The browser asks the node before such a request (preflight), and hides answers and headers
 * that the node does not expose.
 */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { API_KEY } from "../src/api/testing/server.ts";
import { encodeUtf8 } from "../src/bytes/utf8.ts";
import { addressOf, addressText } from "../src/crypto/addresses.ts";
import { keyPairFromSeed } from "../src/crypto/seeds.ts";
import { defaultTrustNetwork } from "../src/indexes/trust/trust-network.ts";
import { testnet } from "../src/profiles/index.ts";
import { chromiumPath, startChromium } from "./support/chromium.ts";
import { startRecordedIndex } from "./support/recorded-index.ts";
import { hasVectors, loadVectors } from "./vectors.ts";

interface Exchanges {
  readonly exchanges: readonly {
    readonly request: { readonly path: string };
    readonly response: { readonly headers: Readonly<Record<string, string>> };
  }[];
}

/** What a page sees of an answer; undefined if the browser hides it. */
interface Seen {
  readonly status: number;
  readonly total: string | null;
  readonly body: string;
}

interface Request {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const missing = chromiumPath === undefined ? "no Chromium is found" : "there is no recording";
const title = "pages of another origin, in a browser";
const possible = chromiumPath !== undefined && hasVectors("index");

if (!possible) it.skip(`${title}: ${missing}`, () => {});

describe.runIf(possible)(title, () => {
  const address = addressText(addressOf(keyPairFromSeed(encodeUtf8("page")).publicKey, testnet.chainId));
  let url = "";
  let node: FastifyInstance;
  let site: Server;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    const root = addressOf(new Uint8Array(32), testnet.chainId);
    const started = await startRecordedIndex({
      trust: { network: defaultTrustNetwork, root },
      anchors: "all",
      associations: "all",
      authToken: "sesame",
      didResponse: "document",
      info: { apiKeyDifferentHost: true },
    });
    url = started.url;
    node = started.server;
    site = createServer((_request, answer) => answer.setHeader("content-type", "text/html").end("<p>A page"));
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    browser = await startChromium();
    page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
  });
  afterAll(async () => {
    await browser.close();
    site.close();
    await node.close();
  });

  /** Sends a request from within the page. */
  function ask(path: string, request: Request = {}): Promise<Seen | undefined> {
    return page.evaluate(
      async ([target, options]) => {
        try {
          const answer = await fetch(target, options);
          const body = await answer.text();
          return { status: answer.status, total: answer.headers.get("x-total"), body };
        } catch {
          // The page only learns that the request failed.
          return undefined;
        }
      },
      [url + path, request] as const,
    );
  }

  it.each([
    ["the wallet", { "Cache-Control": "no-cache", Accept: "application/json, text/plain, */*" }],
    ["the explorer", { "Access-Control-Expose-Headers": "*" }],
  ])("list transactions and read how many there are, as %s does", async (_, headers) => {
    const { exchanges } = loadVectors<Exchanges>("index/transactions.json");
    const recorded = exchanges.find(({ response }) => Number(response.headers["x-total"]) > 0);
    const path = recorded?.request.path ?? "";
    for (const one of [path, `/index${path}`]) {
      const seen = await ask(one, { headers });
      expect(seen?.status, one).toBe(200);
      expect(Number(seen?.total) > 0, one).toBe(true);
    }
  });

  it("send the wallet's other requests", async () => {
    for (const path of [
      "/node/version",
      "/blocks/height",
      "/blocks/headers/seq/1/5",
      "/blocks/at/2",
      `/transactions/address/${address}/limit/200`,
      `/addresses/balance/details/${address}`,
      "/transactions/unconfirmed",
      `/leasing/active/${address}`,
      `/addresses/scriptInfo/${address}`,
      "/node/status",
    ]) {
      expect((await ask(path))?.status, path).toBe(200);
    }
    const script = await ask("/utils/script/compile", { method: "POST", body: "true" });
    expect(script?.status).toBe(200);
  });

  it("send the client library's requests, including the API key", async () => {
    const headers = { "X-API-Key": API_KEY, "content-type": "application/json" };
    const broadcast = await ask("/transactions/broadcast", { method: "POST", headers, body: '{"type":4}' });
    expect(broadcast?.status).toBe(400);
    expect(broadcast?.body.slice(0, 10)).toBe('{"error":1');
    expect((await ask("/wallet/addresses", { headers }))?.status).toBe(200);
  });

  it("anchor with a token and find the hash", async () => {
    const body = JSON.stringify({ hash: "ab".repeat(32) });
    const headers = { authorization: "bearer sesame", "content-type": "application/json" };
    expect((await ask("/index/hash", { method: "POST", headers, body }))?.status).toBe(200);
    expect((await ask("/index/hash", { method: "POST", body }))?.status).toBe(401);
    const found = await ask(`/hash/${"ab".repeat(32)}`, { headers: { "Cache-Control": "no-cache" } });
    expect(found?.status).toBe(200);
  });

  it("read rejections", async () => {
    expect(await ask("/nothing/here")).toMatchObject({ status: 404, body: expect.stringContaining("404") });
    expect((await ask("/index/nothing", { headers: { "Cache-Control": "no-cache" } }))?.status).toBe(404);
    expect((await ask("/blocks/height", { method: "DELETE" }))?.status).toBe(405);
    expect((await ask("/blocks/%zz"))?.status).toBe(400);
    expect((await ask(`/blocks/${"a".repeat(3_000)}`))?.status).toBe(414);
    expect((await ask("/addresses/balance/x"))?.status).toBe(400);
    expect((await ask("/debug/info"))?.status).toBe(403);
  });

  it("cannot send disallowed headers to the node's own routes", async () => {
    expect(await ask("/blocks/height", { headers: { "Cache-Control": "no-cache" } })).toBeUndefined();
  });
});
