/** Any input gets an answer of the protocol, never a fault of the node. Page 06 §4, "Bad input". */
import fc from "fast-check";
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { encodeUtf8 } from "../../bytes/utf8.ts";
import { addressOf, addressText } from "../../crypto/addresses.ts";
import { keyPairFromSeed } from "../../crypto/seeds.ts";
import { dev } from "../../profiles/index.ts";
import type { Route } from "../route.ts";
import { routes } from "../routes/all.ts";
import { EVENT_STREAM, UNIT_STREAM } from "../schemas/common.ts";
import { fakeControl } from "../testing/control.ts";
import { API_KEY, memoryLog, testServer } from "../testing/server.ts";
import { emptyBlock, fakeChain, noIdentities } from "../testing/snapshot.ts";

const root = keyPairFromSeed(encodeUtf8("root"));
const address = addressText(addressOf(root.publicKey, dev.chainId));
const log = memoryLog();

let server: FastifyInstance;
beforeAll(async () => {
  server = await testServer({
    log,
    control: fakeControl([root], dev.chainId),
    chain: { ...fakeChain([emptyBlock(1), emptyBlock(2)]), identities: noIdentities },
  });
});
afterAll(() => server.close());

/** Invalid values for paths and members. */
const text = fc.oneof(
  fc.constantFrom(
    "",
    "0",
    "-1",
    "1",
    "11",
    "2147483648",
    "99999999999999999999",
    "1e9",
    "null",
    "__proto__",
    "constructor",
    "address:",
    address,
    `address:${address}`,
    `${address}1`,
    "3Mr31XDsqdktAdNQCdSd8ieQuYoJfsnLVFg",
    "did:lto:",
    "hex",
    "transfer",
    "\u0000",
    "%",
    "é".repeat(50),
    "1".repeat(2_000),
  ),
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.base64String({ maxLength: 90 }),
);

const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    text,
    fc.integer(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(text, tie("value"), { maxKeys: 4 }),
  ),
})).value;

/** Known member names with random values get far before they are refused. */
const members = [
  "type",
  "version",
  "timestamp",
  "fee",
  "sender",
  "senderPublicKey",
  "senderKeyType",
  "sponsor",
  "sponsorPublicKey",
  "recipient",
  "amount",
  "attachment",
  "transfers",
  "data",
  "anchors",
  "leaseId",
  "script",
  "associationType",
  "subject",
  "expires",
  "accounts",
  "statementType",
  "certificate",
  "proofs",
  "signature",
  "hash",
  "encoding",
  "message",
  "publickey",
  "status",
  "items",
  "height",
  "rollbackTo",
  "returnTransactionsToUtx",
];
const member = fc.tuple(
  fc.constantFrom(...members),
  fc.oneof(value, fc.constantFrom(1, 2, 3, 4, 8, 9, 11, 12, 15, 16, 22, 24, address, 100_000_000)),
);
const body = fc.oneof(
  fc.array(member, { maxLength: 12 }).map((list) => JSON.stringify(Object.fromEntries(list))),
  value.map((one) => JSON.stringify(one) ?? ""),
  fc.string({ unit: "binary", maxLength: 80 }),
  fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes)),
);

const request = fc.record({
  // Streams never end.
  route: fc.constantFrom(
    ...routes.filter(({ answers: { type } }) => type !== EVENT_STREAM && type !== UNIT_STREAM),
  ),
  params: fc.array(text, { minLength: 4, maxLength: 4 }),
  query: fc.dictionary(fc.constantFrom("limit", "offset", "type", "versionTime", "encoding", "full"), text),
  headers: fc.record(
    {
      accept: fc.constantFrom("*/*", "application/json", "text/html", ";;", "application/json;q=x"),
      "content-type": fc.constantFrom("application/json", "text/plain", "x", "text/plain; charset=nope"),
    },
    { requiredKeys: [] },
  ),
  body,
});

/** No URL can carry lone surrogates. */
function wellFormed(one: string): string {
  return Buffer.from(one).toString("utf8");
}

/** Answers of status 500 by the protocol (page 06 §4.1, §4.2), and of status 503 because the test's chain is old. */
function isKnownFault(route: Route, answer: string): boolean {
  return (
    (route.path === "/health/ready" && answer.includes('"code":"late"')) ||
    (route.path.startsWith("/blocks/delay/") && answer === '{"error":0,"message":"Error is unknown"}') ||
    answer === '{"error":"Invalid certificate"}'
  );
}

describe("any input", () => {
  it("gets an answer of the protocol", async () => {
    await fc.assert(
      fc.asyncProperty(request, async ({ route, params, query, headers, body: payload }) => {
        let next = 0;
        const path = route.path.replace(/:\w+/g, () => encodeURIComponent(wellFormed(params[next++])));
        const answer = await server.inject({
          method: route.method,
          url: path,
          query: Object.fromEntries(Object.entries(query).map(([name, one]) => [name, wellFormed(one)])),
          headers: { "x-api-key": API_KEY, ...headers },
          ...(route.request?.body === undefined ? {} : { payload }),
        });
        if (!isKnownFault(route, answer.body)) expect(answer.statusCode).toBeLessThan(500);
        expect(answer.body).not.toMatch(/\n\s+at /);
        const type = String(answer.headers["content-type"]);
        if (type.includes("json") && answer.body !== "") JSON.parse(answer.body);
      }),
      { numRuns: 4_000, seed: 3 },
    );
    expect(log.lines.filter((line) => line.includes("Cannot answer a request"))).toEqual([]);
  });
});
