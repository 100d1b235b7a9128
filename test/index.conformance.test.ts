import { describe, expect, it } from "vitest";
import { decodeHash, encodeHash, encodingOf, encodings } from "../src/api/routes/anchors/hash-text.ts";
import { encodeHex } from "../src/bytes/hex.ts";
import { type JsonValue, printJson } from "../src/bytes/json.ts";
import { parseAddress } from "../src/crypto/addresses.ts";
import type { IndexSettings } from "../src/indexes/all.ts";
import { defaultTrustNetwork, parseTrustNetwork } from "../src/indexes/trust/trust-network.ts";
import { testnet } from "../src/profiles/index.ts";
import { type ExactRequest, exchange } from "./replay/http-exchange.ts";
import { ownAnswer } from "./replay/index-differences.ts";
import { compare, jsonOf, type RecordedAnswer } from "./replay/recording.ts";
import { type JsonObject, list, modeOf, number, object, ROOT } from "./support/index-vectors.ts";
import { ScenarioIndex } from "./support/scenario-index.ts";
import { expectKnown, hasVectors, loadVectors, loadVectorsJson } from "./vectors.ts";

const areas = ["did", "trust", "associations", "anchor", "transactions", "credential-status", "stats"];

/**
 * Scenarios that show a fault of the original, where this node's answer differs. `proposed` holds the correct answer.
 */
const faults: ReadonlyMap<string, readonly string[]> = new Map([
  // BUG-18
  [
    "did-deactivated-twice",
    [
      "GET /identifiers/did:lto:3N6mZMgGqYn9EVAR2Vbf637iej4fFipECq8",
      "GET /identifiers/did:lto:3N6mZMgGqYn9EVAR2Vbf637iej4fFipECq8?versionTime=2023-02-15T00:00:00Z",
    ],
  ],
  // BUG-12
  ["did-bls-key-labelled-ed25519", ["GET /identifiers/3NAKETSxmSvuMxFSeH7DGcZK429KWDBbQGC"]],
  // BUG-19
  ["trust-role-by-two-types", ["GET /trust/3Mv7ajrPLKewkBNqfxwRZoRwW6fziehp7dQ"]],
  // BUG-21
  [
    "credential-issuer-unknown",
    [
      "GET /credential-status/3yMApqCuCjXDWPrbjfR5mjCPTHqFG8Pux1TxQrEM35jj?issuer=did:lto:3Mv7ajrPLKewkBNqfxwRZoRwW6fziehp7dQ",
    ],
  ],
  // BUG-22
  ["stats-counts", ["GET /stats/transactions/all/x/2022-09-28", "GET /stats/lease/2022-09-26/x"]],
  // BUG-17
  ["anchor-mapped-pair-first-wins", ["POST /hash/verify?encoding=base58"]],
]);

const SCENARIO_MEMBERS = [
  "name",
  "area",
  "source",
  "description",
  "config",
  "given",
  "requests",
  "steps",
  "sideEffects",
  "referenceQuirk",
];
const REQUEST_MEMBERS = ["method", "path", "accept", "requestBody", "expect", "note"];

/** Later than every transaction and expiry of the scenarios. */
const AFTER_ALL = Date.UTC(2040, 0, 1);

function settingsOf(scenario: JsonObject): IndexSettings {
  const config = object(scenario.get("config") ?? new Map());
  // `sponsors`: side effects (page 07 §18.5) with their own tests: `src/node/control/role-sponsoring.test.ts`.
  expectKnown(
    config.keys(),
    [
      "nodeWallet",
      "trust_network",
      "association",
      "anchor",
      "credential_status",
      "credential_disputes",
      "sponsors",
    ],
    "config",
  );
  const network = config.get("trust_network");
  return {
    trust: {
      network: network === undefined ? defaultTrustNetwork : parseTrustNetwork(printJson(network)),
      root: parseAddress(String(config.get("nodeWallet") ?? ROOT), testnet.chainId),
    },
    anchors: modeOf(config.get("anchor")),
    associations: modeOf(config.get("association")),
    credentials: modeOf(config.get("credential_status")),
    disputes: modeOf(config.get("credential_disputes")),
  };
}

function requestOf(step: JsonObject): ExactRequest {
  expectKnown(step.keys(), REQUEST_MEMBERS, String(step.get("path")));
  const accept = step.get("accept");
  const body = step.get("requestBody");
  return {
    method: String(step.get("method")),
    path: String(step.get("path")),
    headers: {
      ...(accept === undefined ? {} : { Accept: String(accept) }),
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
    },
    body: body === undefined ? undefined : Buffer.from(typeof body === "string" ? body : printJson(body)),
  };
}

function expectationOf(step: JsonObject): RecordedAnswer {
  const expected = object(step.get("expect"));
  expectKnown(expected.keys(), ["status", "contentType", "body", "xTotal"], String(step.get("path")));
  const total = expected.get("xTotal");
  const headers = new Map([["content-type", String(expected.get("contentType"))]]);
  if (total !== undefined) headers.set("x-total", String(total));
  return { status: number(expected.get("status")), headers, body: expected.get("body"), bodyHex: undefined };
}

/** The transactions of an answer, reduced to the members in the scenario. Page 07 §12.2. */
function likeRecorded(actual: JsonValue, expected: JsonValue | undefined): JsonValue {
  if (!Array.isArray(actual) || !Array.isArray(expected)) return actual;
  return actual.map((one, i) => {
    const names = expected[i] instanceof Map ? [...expected[i].keys()] : [];
    return one instanceof Map
      ? new Map(names.flatMap((name) => (one.has(name) ? [[name, one.get(name) as JsonValue]] : [])))
      : one;
  });
}

async function ask(index: ScenarioIndex, url: string, step: JsonObject): Promise<string[]> {
  const request = requestOf(step);
  const recorded = expectationOf(step);
  const body = recorded.body === undefined ? undefined : index.named(recorded.body);
  const expected = await ownAnswer({ url, request, expected: { ...recorded, body } });
  let actual = await exchange(url, request);
  const json = jsonOf(actual);
  if (Array.isArray(json)) {
    actual = { ...actual, body: Buffer.from(printJson(likeRecorded(json, expected.body))) };
  }
  return compare(expected, actual, {}).map((text) => `${request.method} ${request.path}: ${text}`);
}

/** Runs one scenario. @returns the differences */
async function run(scenario: JsonObject): Promise<string[]> {
  const name = String(scenario.get("name"));
  expectKnown(scenario.keys(), SCENARIO_MEMBERS, name);
  const index = new ScenarioIndex(settingsOf(scenario));
  const { url, server } = await index.serve(AFTER_ALL);
  const found: string[] = [];
  let asked = 0;
  try {
    for (const step of stepsOf(scenario)) {
      expectKnown(step.keys(), ["apply", "unconfirmed", "rollbackTo", "requests"], name);
      for (const block of list(step.get("apply") ?? [])) {
        const { height, transactions, timestamp } = blockOf(object(block));
        index.apply(height, transactions, timestamp);
      }
      index.wait(list(step.get("unconfirmed") ?? []));
      if (step.has("rollbackTo")) index.rollBackTo(number(step.get("rollbackTo")));
      for (const request of list(step.get("requests") ?? [])) {
        asked++;
        found.push(...(await ask(index, url, object(request))));
      }
    }
  } finally {
    await server.close();
  }
  expect(asked, "requests").toBeGreaterThan(0);
  return found;
}

function blockOf(block: JsonObject): {
  readonly height: number;
  readonly transactions: readonly JsonValue[];
  readonly timestamp: bigint | undefined;
} {
  // Burned fees and the number of transactions follow from the transactions.
  expectKnown(
    block.keys(),
    ["height", "timestamp", "transactionCount", "burnedFees", "transactions"],
    "block",
  );
  const timestamp = block.get("timestamp");
  return {
    height: number(block.get("height")),
    timestamp: timestamp === undefined ? undefined : BigInt(number(timestamp)),
    transactions: list(block.get("transactions")),
  };
}

function stepsOf(scenario: JsonObject): readonly JsonObject[] {
  const steps = scenario.get("steps");
  if (steps !== undefined) return list(steps).map(object);
  const given = object(scenario.get("given"));
  expectKnown(given.keys(), ["blocks", "unconfirmed"], "given");
  return [
    new Map<string, JsonValue>([
      ["apply", given.get("blocks") ?? []],
      ["unconfirmed", given.get("unconfirmed") ?? []],
      ["requests", scenario.get("requests") ?? []],
    ]),
  ];
}

describe.skipIf(!hasVectors("index-routes.json"))("scenarios of the indexer", () => {
  const file = hasVectors("index-routes.json")
    ? object(loadVectorsJson("index-routes.json"))
    : new Map<string, JsonValue>();

  it("has only sections that tests use", () => {
    expectKnown(
      file.keys(),
      [
        "title",
        "companionOf",
        "reference",
        "notes",
        "accounts",
        "conventions",
        "proposed",
        "scenarios",
        // In this file and in src/indexes:
        "hashDecodingVectors",
        "transactionGroups",
        "relationshipBits",
        "verificationKeyTypes",
        "associationTypes",
        "derivedAddressVectors",
        "keyAgreementVectors",
        "addressVectors",
        // Descriptions of the scenarios' and recordings' requests:
        "routes",
        "legacyRoutes",
        // In src/profiles/locked-supply.test.ts and src/indexes/credential-status.test.ts:
        "statementTypes",
        "lockedSupply",
        "supplyVectors",
      ],
      "index-routes.json",
    );
    expectKnown(object(file.get("proposed")).keys(), ["routes", "scenarios"], "proposed");
  });

  const recorded = list(file.get("scenarios") ?? []).map(object);
  const proposed = list(object(file.get("proposed") ?? new Map()).get("scenarios") ?? []).map(object);
  it("exist", () => {
    expect(recorded.length).toBeGreaterThan(0);
    expect(proposed.length).toBeGreaterThan(0);
  });
  for (const scenario of [...recorded, ...proposed]) {
    const name = String(scenario.get("name"));
    const area = String(scenario.get("area"));
    const fault = faults.get(name);
    if (fault !== undefined)
      it(`${name}, except for the known fault`, async () => {
        const found = await run(scenario);
        expect([...new Set(found.map((text) => text.replace(/: .*/, "")))]).toEqual(fault);
      });
    else
      it(name, async () => {
        expectKnown([area], areas, "area");
        expect(await run(scenario)).toEqual([]);
      });
  }

  it("decodes hashes as the original does", () => {
    interface Case {
      readonly text: string;
      readonly encoding: string;
      readonly acceptedByPost: boolean;
      readonly [name: string]: unknown;
    }
    const cases = loadVectors<{ hashDecodingVectors: readonly Case[] }>(
      "index-routes.json",
    ).hashDecodingVectors;
    expect(cases.length).toBeGreaterThan(0);
    for (const { text, encoding: name, ...expected } of cases) {
      const encoding = encodingOf(name);
      if (encoding === undefined) throw new Error(`unknown encoding ${name}`);
      expectKnown(Object.keys(expected), ["bytesHex", "length", "acceptedByPost", ...encodings], text);
      const bytes = decodeHash(text, encoding);
      if (bytes === undefined) throw new Error(`${text} is not decoded`);
      expect({
        bytesHex: encodeHex(bytes),
        length: bytes.length,
        // `POST /hash` checks lengths; recordings cover it.
        acceptedByPost: expected.acceptedByPost,
        ...Object.fromEntries(encodings.map((one) => [one, encodeHash(bytes, one)])),
      }).toEqual({ ...expected });
    }
  });
});
