/**
 * The cost of a request is linear in its length. Converting a megabyte of Base58 takes minutes, and backtracking
 * patterns take longer, so these tests end only if neither is tried.
 */
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { base58Length, decodeBase58, encodeBase58, MAX_BASE58_BYTES } from "../../bytes/base58.ts";
import { encodeUtf8 } from "../../bytes/utf8.ts";
import { addressOf, addressText } from "../../crypto/addresses.ts";
import { keyPairFromSeed } from "../../crypto/seeds.ts";
import { dev } from "../../profiles/index.ts";
import { fakeControl } from "../testing/control.ts";
import { API_KEY, testServer } from "../testing/server.ts";
import { emptyBlock, fakeChain } from "../testing/snapshot.ts";

const root = keyPairFromSeed(encodeUtf8("root"));
const address = addressText(addressOf(root.publicKey, dev.chainId));
const LONG = "z".repeat(1_000_000);
/** For requests with two texts. */
const HALF = LONG.slice(0, 500_000);
const HALF_BYTES = Math.floor((HALF.length * Math.log(58)) / Math.log(256)) + 1;

let server: FastifyInstance;
beforeAll(async () => {
  const control = fakeControl([root], dev.chainId);
  server = await testServer({ control, chain: fakeChain([emptyBlock(1), emptyBlock(2)]) });
});
afterAll(() => server.close());

async function post(url: string, payload: unknown): Promise<{ status: number; body: unknown }> {
  const headers = { "x-api-key": API_KEY, "content-type": "text/plain" };
  const text = typeof payload === "string" ? payload : JSON.stringify(payload);
  const answer = await server.inject({ method: "POST", url, headers, payload: text });
  return {
    status: answer.statusCode,
    body: answer.headers["content-type"]?.toString().includes("json") ? answer.json() : answer.body,
  };
}

describe("a megabyte of Base58", () => {
  it("is refused as message, signature or key", async () => {
    const url = `/addresses/verify/${address}`;
    const short = { message: "2", signature: "2", publickey: "2" };
    expect(await post(url, { ...short, message: LONG })).toMatchObject({ status: 400, body: { error: 110 } });
    for (const route of [url, `/addresses/verifyText/${address}`]) {
      for (const name of ["signature", "publickey"]) {
        expect(await post(route, { ...short, [name]: LONG })).toEqual({
          status: 200,
          body: { valid: false },
        });
        const wrong = { ...short, [name]: `${LONG}0` };
        expect(await post(route, wrong)).toMatchObject({ status: 400, body: { error: 110 } });
      }
    }
  });

  it("is refused as checkpoint signature, with its length", async () => {
    const { status, body } = await post("/blocks/checkpoint", {
      items: [{ height: 1, signature: HALF }],
      signature: HALF,
    });
    const problem = [{ msg: ["error.incorrect.signatureLength"], args: [String(HALF_BYTES)] }];
    expect(status).toBe(400);
    expect(body).toMatchObject({
      error: 1,
      validationErrors: { "obj.items[0].signature": problem, "obj.signature": problem },
    });
  });

  it("is not anchored", async () => {
    expect(await post("/hash", { hash: LONG, encoding: "base58" })).toEqual({
      status: 400,
      body: "invalid hash given",
    });
    expect(await post("/hash/verify?encoding=base58", [LONG])).toMatchObject({
      status: 200,
      body: { verified: false, anchors: { [LONG]: null } },
    });
    expect(await post("/hash/verify?encoding=base58", { [LONG]: null })).toMatchObject({
      status: 200,
      body: { verified: true, map: { [LONG]: null } },
    });
    expect(await post("/hash/verify", ["ab".repeat(500_000)])).toMatchObject({ status: 200 });
  });

  it("is refused in any member of a transaction", async () => {
    const common = {
      version: 3,
      fee: 100_000_000,
      timestamp: 1,
      senderPublicKey: encodeBase58(root.publicKey),
    };
    for (const more of [
      { type: 4, recipient: address, amount: 1, attachment: LONG },
      { type: 15, anchors: [LONG] },
      { type: 22, anchors: { [LONG]: "2" } },
      { type: 9, leaseId: LONG },
      { type: 4, recipient: address, amount: 1, senderPublicKey: LONG },
      { type: 4, recipient: HALF, amount: 1, proofs: [HALF] },
      { type: 4, recipient: address, amount: 1, signature: LONG },
      { type: 20, accounts: [{ keyType: "ed25519", publicKey: LONG }] },
    ]) {
      for (const url of ["/transactions/broadcast", "/transactions/submit", "/transactions/sign"]) {
        expect((await post(url, { ...common, ...more })).status).toBe(400);
      }
    }
  });

  it("is never the form of a signed message", async () => {
    const text = "m".repeat(MAX_BASE58_BYTES);
    const url = `/wallet/sign/${address}`;
    const { status, body } = await post(url, text);
    expect(status).toBe(200);
    const shown = (body as { message: string }).message;
    expect(decodeBase58(shown, base58Length(MAX_BASE58_BYTES))).toHaveLength(MAX_BASE58_BYTES);
    // What the wallet signs can be verified.
    const { message, signature, publicKey } = body as Record<string, string>;
    const asked = { message, signature, publickey: publicKey };
    expect(await post(`/addresses/verify/${address}`, asked)).toEqual({ status: 200, body: { valid: true } });
    expect(await post(url, `${text}m`)).toMatchObject({ status: 400, body: { error: 110 } });
    expect(await post(`/wallet/signText/${address}`, LONG)).toMatchObject({ status: 200 });
  });
});
