import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, expectTypeOf, test } from "vitest";
import { routes } from "../api/routes/all.ts";
import { fakeControl } from "../api/testing/control.ts";
import { API_KEY, testServer } from "../api/testing/server.ts";
import { emptyBlock, fakeChain } from "../api/testing/snapshot.ts";
import { encodeUtf8 } from "../bytes/utf8.ts";
import { addressOf, addressText } from "../crypto/addresses.ts";
import { keyPairFromSeed } from "../crypto/seeds.ts";
import { dev } from "../profiles/index.ts";
import { type Client, createClient, FailedRequestError, type Fetch } from "./client.ts";
import { serverClient } from "./testing/checked-fetch.ts";
import { shapesSource } from "./testing/shapes-source.ts";
import type { Answer, RouteKey, RouteRequest } from "./types.ts";

const root = keyPairFromSeed(encodeUtf8("root"));
const address = addressText(addressOf(root.publicKey, dev.chainId));
const HUGE = 2n ** 63n - 1n;

test("the generated shapes match the routes (otherwise run npm run build)", () => {
  expect(readFileSync(new URL("./shapes.ts", import.meta.url), "utf8")).toBe(shapesSource(routes));
});

describe("types of the client", () => {
  test("follow from the routes", () => {
    expectTypeOf<Answer<"GET /blocks/height">>().toEqualTypeOf<{ readonly height: number }>();
    expectTypeOf<Answer<"GET /addresses/balance/:address">["balance"]>().toEqualTypeOf<bigint>();
    expectTypeOf<
      Answer<"GET /blocks/at/:height">["transactions"][number]["effectiveFee"]
    >().toEqualTypeOf<bigint>();
    expectTypeOf<Answer<"GET /blocks/at/:height">["height"]>().toEqualTypeOf<number>();
    expectTypeOf<Answer<"GET /certificates/:address/raw">>().toEqualTypeOf<Uint8Array>();
    expectTypeOf<Answer<"POST /debug/print">>().toEqualTypeOf<string>();
    expectTypeOf<Answer<"GET /debug/state">>().toEqualTypeOf<{ [address: string]: bigint }>();
    expectTypeOf<RouteRequest<"GET /blocks/seq/:from/:to">["params"]>().toEqualTypeOf<{
      readonly from: number;
      readonly to: number;
    }>();
    expectTypeOf<Answer<"GET /fees/status">["nodeStatus"]>().toEqualTypeOf<
      "DECREASE" | "MAINTAIN" | "INCREASE"
    >();
    // The client has no routes that only redirect.
    expectTypeOf<"GET /addresses">().not.toExtend<RouteKey>();
    expectTypeOf<"GET /blocks/first">().toExtend<RouteKey>();
  });

  test("require the parameters of a route and allow no others", () => {
    const calls = (client: Client): unknown[] => [
      // @ts-expect-error: no such route
      () => client.call("GET /blocks/hight"),
      // @ts-expect-error: its parameter is missing
      () => client.call("GET /blocks/at/:height"),
      // @ts-expect-error: a height is a number
      () => client.call("GET /blocks/at/:height", { params: { height: "1" } }),
      // @ts-expect-error: its body is missing
      () => client.call("POST /utils/hash/fast"),
      // @ts-expect-error: no such parameter of the query
      () => client.call("GET /debug/configInfo", { query: { whole: true } }),
    ];
    expect(calls).toBeTypeOf("function");
  });

  test("have bigint exactly where the shapes do", () => {
    const wrong: string[] = [];
    const walk = (schema: unknown, path: string): void => {
      if (typeof schema !== "object" || schema === null) return;
      const { format, "~kind": kind } = schema as { format?: unknown; "~kind"?: unknown };
      // `Type.Integer` infers a number; schemas of bigint have no kind that fixes their type.
      if ((format === "int64" || format === "big") && kind !== undefined) wrong.push(path);
      for (const [name, one] of Object.entries(schema)) walk(one, `${path}.${name}`);
    };
    for (const { method, path, answers } of routes) walk(answers.ok, `${method} ${path}`);
    expect(wrong).toEqual([]);
  });
});

describe("a client", () => {
  test("returns exact integers in blocks and balances", async () => {
    const chain = {
      ...fakeChain([emptyBlock(1), emptyBlock(2, { baseTarget: HUGE })]),
      accounts: { info: () => ({ balance: HUGE, leaseIn: 0n, leaseOut: 1n, unbonding: 2n }) },
    };
    const server = await testServer({ chain });
    const client = serverClient(server);
    expect(await client.call("GET /blocks/height")).toEqual({ height: 2 });
    const block = await client.call("GET /blocks/at/:height", { params: { height: 2 } });
    expect(block).toMatchObject({ height: 2, timestamp: 2_000n, "nxt-consensus": { "base-target": HUGE } });
    const details = await client.call("GET /addresses/balance/details/:address", { params: { address } });
    expect(details).toMatchObject({ regular: HUGE, leasing: 1n, available: HUGE - 3n });
    expect(await client.call("GET /blocks/seq/:from/:to", { params: { from: 1, to: 2 } })).toHaveLength(2);
    await server.close();
  });

  test("sends JSON with exact integers and text, with the API key", async () => {
    const control = fakeControl([root], dev.chainId);
    const server = await testServer({ control });
    const client = serverClient(server, API_KEY);
    const sent = await client.call("POST /transactions/submit/:type", {
      params: { type: "transfer" },
      body: { sender: address, recipient: address, amount: HUGE - 100_000_000n, fee: 100_000_000n },
    });
    expect(sent).toMatchObject({ type: 4, amount: HUGE - 100_000_000n, fee: 100_000_000n });
    const [waiting] = await client.call("GET /transactions/unconfirmed");
    expect(waiting).toEqual(sent);
    const hashed = await client.call("POST /utils/hash/fast", { body: "grüße" });
    expect(hashed.message).toBe("grüße");
    expect(await client.call("POST /debug/print", { body: { message: "hello" } })).toBe("");
    await server.close();
  });

  test("encodes path and query parameters losslessly", async () => {
    const asked: unknown[] = [];
    const server = await testServer({
      chain: {
        accounts: {
          dataEntry: (_, key) => {
            asked.push(key);
            return { key, type: "integer", value: -1n };
          },
        },
        transactions: {
          ofAddress: (_, query) => {
            asked.push(query);
            return [];
          },
        },
      },
    });
    const client = serverClient(server);
    const key = "a/b?c%20d ü";
    const entry = await client.call("GET /addresses/data/:address/:key", { params: { address, key } });
    expect(entry).toEqual({ key, type: "integer", value: -1n });
    const list = await client.call("GET /transactions/address/:address", {
      params: { address },
      query: { limit: 5, type: ["transfer", "data"] },
    });
    expect(list).toEqual([[]]);
    // One extra row tells whether there is another page.
    expect(asked).toEqual([key, { types: [4, 12], offset: 0, limit: 6 }]);
    for (const none of ["", ".", ".."]) {
      const call = client.call("GET /addresses/data/:address/:key", { params: { address, key: none } });
      await expect(call).rejects.toThrow(RangeError);
    }
    await server.close();
  });

  test("returns undefined for a 202 answer", async () => {
    const server = await testServer({ info: { gathersAnchors: true, authToken: "open" } });
    const client = serverClient(server);
    const taken = await client.call("POST /hash", {
      body: { hash: "00".repeat(32) },
      headers: { authorization: "bearer open" },
    });
    expect(taken).toBeUndefined();
    expectTypeOf(taken).toEqualTypeOf<Answer<"GET /hash/:hash"> | undefined>();
    await server.close();
  });

  test("returns bytes for binary routes", async () => {
    const der = Uint8Array.of(0x30, 0x00, 0xff);
    const server = await testServer({ chain: { accounts: { certificate: () => der } } });
    expect(
      await serverClient(server).call("GET /certificates/:address/raw", { params: { address } }),
    ).toEqual(der);
    await server.close();
  });

  test("throws status and answer of a failure", async () => {
    const server = await testServer();
    const client = serverClient(server);
    const failure = async (call: Promise<unknown>): Promise<FailedRequestError> => {
      const error = await call.catch((caught: unknown) => caught);
      if (!(error instanceof FailedRequestError)) throw new Error("did not fail");
      return error;
    };
    const missing = await failure(client.call("GET /blocks/at/:height", { params: { height: 9 } }));
    expect(missing).toMatchObject({ status: 404, answer: { error: 301, message: "block does not exist" } });
    expect(missing.message).toBe("GET /blocks/at/:height: 404 block does not exist");
    const text = await failure(
      client
        .call("POST /hash/verify", {
          body: ["00"],
          query: { encoding: "base64" },
          headers: { accept: "*/*" },
        })
        .then(() =>
          client.call("GET /hash/:hash/encoding/:encoding", { params: { hash: "0", encoding: "base58" } }),
        ),
    );
    expect(text).toMatchObject({ status: 400, answer: "invalid hash given" });
    expect((await failure(client.call("GET /debug/state"))).status).toBe(403);
    await server.close();
  });

  test("uses the given fetch, and accepts URLs with and without a trailing slash", async () => {
    const asked: string[] = [];
    const fetch: Fetch = async (url, { method, headers, body }) => {
      asked.push([method, url, JSON.stringify(headers), body ?? ""].join(" "));
      return {
        status: 200,
        headers: { get: () => "application/json" },
        text: async () => "[]",
        arrayBuffer: async () => new ArrayBuffer(0),
      };
    };
    for (const url of ["http://127.0.0.1:1", "http://127.0.0.1:1/"])
      await createClient({ url, fetch }).call("GET /wallet/addresses");
    const line = "GET http://127.0.0.1:1/wallet/addresses {} ";
    expect(asked).toEqual([line, line]);
  });
});

test("the client imports only bytes/ and client/, and uses no Node.js globals", () => {
  const folder = join(import.meta.dirname, "..");
  const seen = new Set<string>();
  const packages: string[] = [];
  const follow = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    const text = readFileSync(file, "utf8").replace(/\b(?:import|export) type\s[^;]*;/g, "");
    for (const [, name] of text.matchAll(/\bfrom "([^"]+)"/g)) {
      if (name.startsWith(".")) follow(join(dirname(file), name));
      else packages.push(name);
    }
  };
  follow(join(import.meta.dirname, "client.ts"));
  expect(packages).toEqual([]);
  const rooms = new Set([...seen].map((file) => relative(folder, file).split("/")[0]));
  expect([...rooms].sort()).toEqual(["bytes", "client"]);
  // Globals of Node.js that browsers lack.
  for (const file of seen) expect(readFileSync(file, "utf8")).not.toMatch(/\b(?:Buffer|process)\b/);
});

test("parses DID media types as JSON, for failures too", async () => {
  const answering =
    (status: number): Fetch =>
    async () => ({
      status,
      headers: { get: () => "application/did-resolution" },
      text: async () => '{"didDocument":null,"didDocumentMetadata":{"deactivated":true}}',
      arrayBuffer: async () => new ArrayBuffer(0),
    });
  const ask = (status: number) =>
    createClient({ url: "http://node", fetch: answering(status) }).call("GET /1.0/identifiers/:did", {
      params: { did: "did:lto:x" },
    });
  const expected = { didDocument: null, didDocumentMetadata: { deactivated: true } };
  expect(await ask(200)).toEqual(expected);
  await expect(ask(410)).rejects.toMatchObject({ status: 410, answer: expected });
});
