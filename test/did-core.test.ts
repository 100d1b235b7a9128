/**
 * The strict form of identities over HTTP, checked against DID Core 1.0 and DID Resolution; and clients of the index.
 */
import { AccountResolver } from "@ltonetwork/lto/identities";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type JsonOut, type JsonValue, parseJson, printJson } from "../src/bytes/json.ts";
import { defaultTrustNetwork } from "../src/indexes/trust/trust-network.ts";
import { documentFaults, metadataFaults, resolutionFaults } from "./support/did-core.ts";
import { ScenarioIndex } from "./support/scenario-index.ts";
import { hasVectors, loadVectors } from "./vectors.ts";

const RESOLUTION = "application/did-resolution";
const DEREFERENCING = "application/did-url-dereferencing";
const CORE = "application/did+ld+json";
const CORE_PROFILE = `${CORE};profile="https://www.w3.org/ns/did/v1"`;
const settings = { trust: { network: defaultTrustNetwork, root: undefined } };
/** Later than every transaction of the scenarios. */
const AFTER_ALL = Date.UTC(2040, 0, 1);

interface Scenario {
  readonly name: string;
  readonly area: string;
  readonly given?: {
    readonly blocks: readonly { readonly height: number; readonly transactions: object[] }[];
  };
}
interface Vectors {
  readonly accounts: Readonly<Record<string, { readonly address: string }>>;
  readonly scenarios: readonly Scenario[];
}
interface Result {
  readonly didDocument: { readonly id: string } | null;
  readonly didResolutionMetadata: {
    readonly contentType?: string;
    readonly error?: string;
    readonly problemDetails?: { readonly type: string; readonly detail: string };
  };
  readonly didDocumentMetadata: Readonly<Record<string, unknown>>;
}

function asJson(value: unknown): JsonValue {
  return parseJson(JSON.stringify(value));
}

function timesOf(json: string): readonly number[] {
  const times = [...json.matchAll(/"(?:timestamp|expires)":\s*(\d+)/g)].map(([, ms]) => Number(ms));
  return [...new Set(times)];
}

describe.skipIf(!hasVectors("index-routes.json"))("documents of all scenarios", () => {
  const { accounts, scenarios } = hasVectors("index-routes.json")
    ? loadVectors<Vectors>("index-routes.json")
    : { accounts: {}, scenarios: [] };

  it("conform to DID Core at every time", () => {
    let documents = 0;
    for (const { name, area, given } of scenarios) {
      if (area !== "did" || given === undefined) continue;
      const index = new ScenarioIndex(settings);
      for (const { height, transactions } of given.blocks) index.apply(height, transactions.map(asJson));
      for (const { address } of Object.values(accounts)) {
        const did = `did:lto:${address}`;
        for (const time of [AFTER_ALL, ...timesOf(JSON.stringify(given))]) {
          const parameters = [["versionTime", new Date(time).toISOString()]] as const;
          const answer = index
            .reader()
            .read((chain) => chain.identities.answer({ did, parameters, allowsUrl: false, now: AFTER_ALL }));
          const where = `${name} ${did} ${time}`;
          expect(answer.error?.name ?? "notFound", where).toBe("notFound");
          const asked = (value: JsonOut): unknown => JSON.parse(printJson(value));
          expect(metadataFaults(asked(answer.metadata)), where).toEqual([]);
          if (answer.content === null) continue;
          expect(documentFaults(asked(answer.content), did), where).toEqual([]);
          documents++;
        }
      }
    }
    expect(documents).toBeGreaterThan(100);
  });
});

describe("the strict form of an identity", () => {
  const KEYS = {
    ed25519: ["3N6mZMgGqYn9EVAR2Vbf637iej4fFipECq8", "6wx5nshSAkF7GEgxZRet86XnqSog3k3DzkyCaBKStiUd"],
    secp256k1: ["3MskqE3nhit189H4Cp9xNsEVwHQWoBDKXud", "jesTu2BpszP8DKSoi1R5G6ggjHrsrVnboLdx6V47vkoR"],
    secp256r1: ["3N48BPdGqCdJRkdZjL75qrvcSfMZTLumx4o", "21tzoXVq7aGx61bNRTPDVn9hJhszdDA4CPcp9LYZL8ffT"],
  } as const;
  const [ED, ED_KEY] = KEYS.ed25519;
  const GONE = KEYS.secp256r1[0];
  const UNKNOWN = "3MuzV329Fzfk7qNJBzLyhSMcd813kuH32c3";
  const START = Date.UTC(2023, 0, 1);
  const DAY = 86_400_000;
  const services = {
    "did:service:files": { type: "LinkedDomains", serviceEndpoint: "https://example.com/" },
    "did:service:agent": {
      "@context": { authentication: "https://example.com/other" },
      type: ["DIDCommMessaging"],
      serviceEndpoint: [{ "@id": "x", uri: "https://example.com/agent" }],
    },
    "did:service:broken": { type: "T", serviceEndpoint: 5 },
  };
  let index: ScenarioIndex;
  let at: Awaited<ReturnType<ScenarioIndex["serve"]>>;
  let position = 0;

  function transaction(type: number, keyType: keyof typeof KEYS, day: number, members: object): JsonValue {
    const [sender, senderPublicKey] = KEYS[keyType];
    const [version, fee] = [type === 16 ? 4 : 3, 100_000_000];
    const timestamp = START + day * DAY;
    const id = `tx${position++}`;
    const from = { sender, senderKeyType: keyType, senderPublicKey, proofs: ["proof"] };
    return asJson({ type, version, id, fee, timestamp, ...from, ...members });
  }

  beforeAll(async () => {
    index = new ScenarioIndex(settings);
    const transfer = { recipient: UNKNOWN, amount: 1 };
    const data = Object.entries(services).map(([key, value]) => {
      return { key, type: "string", value: JSON.stringify(value) };
    });
    const authentication = [{ key: "authentication", type: "boolean", value: true }];
    index.apply(2, [
      transaction(4, "ed25519", 0, transfer),
      transaction(4, "secp256k1", 0, transfer),
      transaction(4, "secp256r1", 0, transfer),
      transaction(12, "ed25519", 1, { data }),
      transaction(16, "ed25519", 2, {
        associationType: 256,
        recipient: KEYS.secp256k1[0],
        expires: START + 9 * DAY,
        data: authentication,
      }),
      transaction(23, "secp256r1", 3, { statementType: 288 }),
    ]);
    at = await index.serve(START + 5 * DAY);
  });
  afterAll(() => at.server.close());

  const ask = (path: string, accept: string) => at.server.inject({ url: path, headers: { accept } });
  const errorOf = (result: Result) => result.didResolutionMetadata.error;

  it.each([
    ["did:lto:x", 400, "invalidDid"],
    ["did:lto:", 400, "invalidDid"],
    ["DID:lto:x", 400, "invalidDid"],
    ["garbage", 400, "invalidDid"],
    [`did:LTO:${ED}`, 400, "invalidDid"],
    [`did:lto:${ED}:derived:0`, 400, "invalidDid"],
    [`did:lto:${ED}%23sign`, 400, "invalidDid"],
    ["did:web:example.com", 501, "methodNotSupported"],
    [`did:lto:${UNKNOWN}`, 404, "notFound"],
    [`did:lto:${ED}?versionTime=2022-12-31T00:00:00Z`, 404, "notFound"],
    [`did:lto:${ED}?versionTime=2023-01-01`, 400, "invalidDidUrl"],
    [`did:lto:${ED}?versionTime=2023-02-30T00:00:00Z`, 400, "invalidDidUrl"],
    [`did:lto:${ED}?versionTime=2023-01-01T00:00:00`, 400, "invalidDidUrl"],
    [`did:lto:${ED}?versionTime=`, 400, "invalidDidUrl"],
    [`did:lto:${ED}?versionId=1&versionId=1`, 400, "invalidDidUrl"],
    [`did:lto:${ED}?versionId=1&versionTime=2023-01-02T00:00:00Z`, 400, "invalidDidUrl"],
    [`did:lto:${ED}?versionId=1`, 404, "notFound"],
    [`did:lto:${ED}?expandRelativeUrls=x`, 400, "invalidOptions"],
    [`did:lto:${ED}?hl=x`, 501, "featureNotSupported"],
    [`did:lto:${ED}?service=files`, 501, "featureNotSupported"],
  ])("says why it cannot resolve %s", async (text, status, error) => {
    const answer = await ask(`/identifiers/${text}`, RESOLUTION);
    const result = answer.json<Result>();
    expect(answer.statusCode).toEqual(status);
    expect(errorOf(result)).toEqual(error);
    expect(resolutionFaults(result, answer.statusCode, "")).toEqual([]);
    // A client that requests only the document gets the same error, unless the URL can be dereferenced.
    const other = await ask(`/identifiers/${text}`, "application/did");
    if (!/%23|service/.test(text)) expect(other.json()).toEqual(result);
  });

  it("rejects other representations", async () => {
    for (const accept of ["application/did+cbor", "application/did;profile=x, application/did+cbor;q=0.3"]) {
      const answer = await ask(`/identifiers/did:lto:${ED}`, accept);
      expect(answer.statusCode).toBe(406);
      expect(errorOf(answer.json<Result>())).toBe("representationNotSupported");
    }
  });

  it("is returned only for its media types, in the preferred one", async () => {
    const typeOf = async (accept: string) =>
      (await ask(`/identifiers/did:lto:${ED}`, accept)).headers["content-type"];
    const json = "application/json; charset=utf-8";
    expect(await typeOf("application/did")).toBe("application/did");
    expect(await typeOf("Application/DID, */*;q=0.1")).toBe("application/did");
    expect(await typeOf("*/*, application/did")).toBe("application/did");
    expect(await typeOf(CORE_PROFILE)).toBe(CORE);
    expect(await typeOf(CORE_PROFILE.replace("+ld", ""))).toBe("application/did+json");
    expect(await typeOf(`text/html;q=0.2, ${RESOLUTION};q=0.5`)).toBe(RESOLUTION);
    expect(await typeOf("application/did+cbor, application/did;q=0.1")).toBe("application/did");
    for (const accept of [
      CORE,
      "application/did+json",
      "application/did;q=0",
      "application/json, application/did;q=0.5",
      "application/did+cbor, */*",
      "application/didactic",
      "application/did;;",
    ])
      expect(await typeOf(accept), accept).toBe(json);
    const { headers } = await ask(`/identifiers/did:lto:${ED}`, "*/*");
    expect(headers.vary).toBe("Accept");
  });

  it("lists versions and returns each of them", async () => {
    const resolve = async (query: string) =>
      (await ask(`/identifiers/did:lto:${ED}${query}`, RESOLUTION)).json<Result>();
    const newest = await resolve("");
    const version = (day: number) => String(START + day * DAY);
    expect(newest.didDocumentMetadata).toEqual({
      created: "2023-01-01T00:00:00Z",
      updated: "2023-01-03T00:00:00Z",
      deactivated: false,
      versionId: version(2),
    });
    const second = await resolve(`?versionId=${version(1)}`);
    expect(second.didDocumentMetadata).toMatchObject({
      updated: "2023-01-02T00:00:00Z",
      nextUpdate: "2023-01-03T00:00:00Z",
      nextVersionId: version(2),
    });
    expect(await resolve("?versionTime=2023-01-02T23:59:59Z")).toEqual(second);
    expect(await resolve("?versionTime=2023-01-03T00:59:59.9%2B01:00&expandRelativeUrls=true")).toEqual(
      second,
    );
    const first = await resolve("?versionTime=2023-01-01T00:00:00Z");
    expect(first.didDocumentMetadata).not.toHaveProperty("updated");
    expect(first.didDocument).not.toHaveProperty("service");
    // An expiry creates a version.
    const later = await resolve("?versionTime=2023-01-10T00:00:00Z");
    expect(later.didDocumentMetadata.versionId).toBe(String(START + 9 * DAY + 1));
  });

  it("states how long a key is valid", async () => {
    const answer = await ask(`/identifiers/did:lto:${ED}`, "application/did");
    expect(documentFaults(answer.json(), `did:lto:${ED}`)).toEqual([]);
    const other = `did:lto:${KEYS.secp256k1[0]}#sign`;
    expect(answer.json()).toMatchObject({
      verificationMethod: [
        { id: `did:lto:${ED}#sign`, type: "Multikey" },
        { id: other, type: "Multikey", expires: "2023-01-10T00:00:00Z" },
      ],
      authentication: [`did:lto:${ED}#sign`, other],
    });
    const at = await ask(`/identifiers/did:lto:${ED}?versionTime=2023-01-10T00:00:00Z`, "application/did");
    expect(at.body).not.toContain(other);
  });

  it("answers 410 for a deactivated DID, except for its past versions", async () => {
    for (const accept of [RESOLUTION, "application/did"]) {
      const answer = await ask(`/identities/did:lto:${GONE}`, accept);
      expect(answer.statusCode).toBe(410);
      expect(answer.headers["content-type"]).toEqual(RESOLUTION);
      expect(answer.json<Result>()).toEqual({
        didDocument: null,
        didResolutionMetadata: {},
        didDocumentMetadata: {
          created: "2023-01-01T00:00:00Z",
          updated: "2023-01-04T00:00:00Z",
          deactivated: true,
          versionId: String(START + 3 * DAY),
        },
      });
      const before = await ask(`/identities/did:lto:${GONE}?versionTime=2023-01-03T00:00:00Z`, accept);
      expect(before.statusCode).toBe(200);
    }
  });

  it("dereferences the parts of a document", async () => {
    const did = `did:lto:${ED}`;
    const sign = await ask(`/identifiers/${did}%23sign`, "application/did");
    expect(sign.json()).toMatchObject({ id: `${did}#sign`, type: "Multikey" });
    const encrypt = await ask(`/identifiers/${did}%23encrypt`, DEREFERENCING);
    expect(encrypt.headers["content-type"]).toBe(DEREFERENCING);
    expect(encrypt.json()).toMatchObject({
      content: { id: `${did}#encrypt` },
      dereferencingMetadata: { contentType: "application/did" },
      contentMetadata: {},
    });
    const agent = { id: `${did}#agent`, type: ["DIDCommMessaging"] };
    const endpoint = { serviceEndpoint: [{ uri: "https://example.com/agent" }] };
    for (const text of [
      `${did}?service=agent`,
      `${did}%3FserviceType=DIDCommMessaging`,
      `${did}?service=%23agent`,
    ])
      expect((await ask(`/identifiers/${text}`, "application/did")).json()).toMatchObject({
        id: did,
        service: [{ ...agent, ...endpoint }],
      });
    expect((await ask(`/identifiers/${did}%23agent`, "application/did")).json()).toEqual({
      ...agent,
      ...endpoint,
    });
    for (const text of [`${did}%23none`, `${did}%2Fpath`]) {
      const answer = await ask(`/identifiers/${text}`, DEREFERENCING);
      expect(answer.statusCode).toBe(404);
      expect(answer.json().content).toBe(null);
    }
    const bad = await ask(`/identifiers/${did}%23%5B`, DEREFERENCING);
    expect(bad.statusCode).toBe(400);
    expect(bad.json().dereferencingMetadata.error).toBe("invalidDidUrl");
  });

  it("resolves derived identities", async () => {
    const answer = await ask(`/identities/${ED}/derived/62K`, RESOLUTION);
    const did = `did:lto:${ED}:derived:62K`;
    expect(resolutionFaults(answer.json(), answer.statusCode, did)).toEqual([]);
    expect(answer.json()).toMatchObject({
      didDocument: { id: did, alsoKnownAs: [expect.stringMatching(/^did:lto:3/)] },
    });
    const wrong = await ask(`/identities/${ED}/derived/a:b`, RESOLUTION);
    expect(wrong.statusCode).toBe(400);
    expect(errorOf(wrong.json<Result>())).toBe("invalidDid");
  });

  it("is the default of a resolver's own path", async () => {
    const path = `/1.0/identifiers/did:lto:${ED}`;
    const asked = await ask(`/identifiers/did:lto:${ED}`, RESOLUTION);
    for (const accept of ["*/*", "application/json", "text/html", RESOLUTION]) {
      const answer = await ask(path, accept);
      expect(answer.headers["content-type"]).toEqual(RESOLUTION);
      expect(answer.body).toEqual(asked.body);
    }
    for (const type of [CORE, "application/did+json", "application/did"]) {
      const answer = await ask(path, type);
      expect(answer.headers["content-type"]).toBe(type);
      expect(answer.json()).toEqual(asked.json<Result>().didDocument);
    }
    expect((await ask("/1.0/identifiers/garbage", "*/*")).statusCode).toBe(400);
    expect((await ask(path, "application/did+cbor")).statusCode).toBe(406);
  });

  it("does not affect the account resolver of the network's own library", async () => {
    const resolver = new AccountResolver("T", `${at.url}/identities`);
    for (const [keyType, [address, publicKey]] of Object.entries(KEYS)) {
      if (address === GONE) continue;
      const account = await resolver.resolve(address);
      expect({ keyType: account.keyType, address: account.address, publicKey: account.publicKey }).toEqual({
        keyType,
        address,
        publicKey,
      });
    }
    expect(ED_KEY).toBe((await resolver.resolve(`did:lto:${ED}`)).publicKey);
    for (const address of [GONE, UNKNOWN])
      await expect(resolver.resolve(address)).rejects.toThrow(`Public key of ${address} is unknown`);
  });
});
