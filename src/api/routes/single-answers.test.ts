/** Details of single answers. */
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { encodeUtf8 } from "../../bytes/utf8.ts";
import { addressOf, addressText } from "../../crypto/addresses.ts";
import { keyPairFromSeed } from "../../crypto/seeds.ts";
import { dev } from "../../profiles/index.ts";
import { pathsOf } from "../route.ts";
import { fakeControl } from "../testing/control.ts";
import { API_KEY, testServer } from "../testing/server.ts";
import { emptyBlock, fakeChain, noIdentities } from "../testing/snapshot.ts";
import { routes } from "./all.ts";

const root = keyPairFromSeed(encodeUtf8("root"));
const address = addressText(addressOf(root.publicKey, dev.chainId));
const headers = { "x-api-key": API_KEY };

let server: FastifyInstance;
beforeAll(async () => {
  server = await testServer({
    control: fakeControl([root], dev.chainId),
    chain: { ...fakeChain([emptyBlock(1), emptyBlock(2)]), identities: noIdentities },
  });
});
afterAll(() => server.close());

const post = (url: string, payload?: string, more: Record<string, string> = {}) =>
  server.inject({ method: "POST", url, headers: { ...headers, ...more }, ...(payload && { payload }) });

/** The answer of error 1. */
const cause = (text: string | null, validationErrors: object = {}) => ({
  error: 1,
  message: "failed to parse json message",
  cause: text,
  validationErrors,
});

test.each([
  ['{"a":1e400}', '{"a":1E+400}'],
  ['{"a":[1.50,-0,100000000000000000000]}', '{"a":[1.5,0,1E+20]}'],
  ['{"a\\ud800":"\\udc00b\\ud83d\\ude00"}', '{"a?":"?b😀"}'],
])("quotes a request without a type like the reference: %s", async (body, quoted) => {
  const answer = await post("/transactions/sign", body);
  const text = `'type' is undefined on object: ${quoted}`;
  expect(answer.json()).toEqual(cause(null, { obj: [{ msg: [text], args: [] }] }));
});

test.each([
  ["1e400", "MAINTAIN"],
  ["1e30", "INCREASE"],
  ["-1e30", "DECREASE"],
  ["9223372036854775808", "DECREASE"],
  ["0.9", "MAINTAIN"],
])("a vote of %s is %s", async (number, status) => {
  expect((await post("/fees/vote", `{"status":${number}}`)).json()).toEqual({ status });
});

describe("names what is missing", () => {
  const missing = [{ msg: ["error.path.missing"], args: [] }];

  it("in a vote", async () => {
    expect((await post("/fees/vote", "{}")).json()).toEqual(cause(null, { "obj.status": missing }));
  });

  it.each(["/leasing/lease", "/leasing/cancel"])("at %s", async (url) => {
    const empty = await post(url);
    expect(empty.statusCode).toBe(400);
    expect(empty.json()).toEqual(cause("the request has no body"));
    expect((await post(url, "{}")).json()).toEqual(cause(null, { "obj.sender": missing }));
  });

  it("in an account for anchors", async () => {
    const anchorAccount = async () => undefined;
    const other = await testServer({
      control: fakeControl([], dev.chainId, { anchoring: { account: anchorAccount } }),
      info: { hasOpenKeyRoutes: true },
    });
    const answer = await other.inject({
      method: "POST",
      url: "/hash",
      payload: `{"hash":"${"00".repeat(32)}"}`,
    });
    expect(answer.statusCode).toBe(503);
    expect(answer.json().message).toBe("the wallet does not hold the account");
    await other.close();
  });
});

describe("invalid JSON", () => {
  const form = "application/x-www-form-urlencoded";

  it.each(["/hash", "/index/hash/", "/hash/verify"])("is reported at %s", async (url) => {
    for (const type of [undefined, form, "text/plain", "application/json"]) {
      const answer = await post(url, ' {"hash":', type === undefined ? {} : { "content-type": type });
      expect(answer.statusCode).toBe(400);
      expect(answer.json()).toEqual(cause("JsonError: unexpected end of text at position 9"));
    }
  });

  it("is not reported for a form or an empty body", async () => {
    expect((await post("/hash", "encoding=hex", { "content-type": form })).body).toBe("no hash given");
    expect((await post("/hash", "abc")).body).toBe("invalid body given");
  });
});

describe("accepts the address prefix", () => {
  const values: Readonly<Record<string, string>> = {
    from: "1",
    to: "2",
    confirmations: "1",
    key: "a",
    limit: "1",
    secret: "2",
  };
  const withAddress = routes.filter(
    ({ path }) => /:(?:address|did)\b/.test(path) && !path.startsWith("/addresses/verify"),
  );

  it.each(withAddress.map((route) => [route.method, route.path, route] as const))(
    "%s %s",
    async (_m, _p, route) => {
      const [path = ""] = pathsOf(route);
      const ask = async (text: string) => {
        const url = path.replace(/\*$/, "").replace(/:(\w+)/g, (_all, name: string) => values[name] ?? text);
        const {
          statusCode,
          body,
          headers: sent,
        } = await server.inject({ method: route.method, url, headers });
        return { statusCode, body: body.replaceAll(`address:${address}`, address), location: sent.location };
      };
      const plain = await ask(address);
      const { location, ...prefixed } = await ask(`address:${address}`);
      expect({ ...prefixed, location: location?.toString().replace("address:", "") }).toEqual(plain);
    },
  );

  it("in bodies", async () => {
    const sign = async (prefix: string) => {
      const request = { type: 4, fee: 100_000_000, amount: 1, timestamp: 1, recipient: prefix + address };
      const members = { ...request, sender: prefix + address };
      return (await post("/transactions/sign", JSON.stringify(members))).json();
    };
    expect(await sign("address:")).toMatchObject({ sender: address, recipient: address });
    // Not next to a public key, where the text is compared.
    const given = { ...(await sign("")), sender: `address:${address}` };
    expect((await post("/transactions/broadcast", JSON.stringify(given))).json().message).toBe(
      "InvalidPublicKey(senderPublicKey doesn't match sender address)",
    );
  });
});
