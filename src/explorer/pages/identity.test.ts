import { beforeEach, describe, expect, test } from "vitest";
import { decodeBase58, encodeBase58 } from "../../bytes/base58.ts";
import { encodeHex } from "../../bytes/hex.ts";
import type { Problem } from "../page.ts";
import { renderPage, testContext } from "../testing/page-context.ts";
import { ScriptedNode } from "../testing/scripted-node.ts";
import { identityPage } from "./identity.tsx";

const ADDRESS = "3QJHT5Q4LSmjQk1VeNRo6UMib4bBf3Wa4XR";
const OTHER = "3QEHji9fpe4jrrhihLmYPR7ze7XzMRNGcCM";
const ENDER = "3QTHpfsiZDTve8YWvQWK2V1eUn2CF3xBA6m";
const DID = `did:lto:${ADDRESS}`;
const CREDENTIAL = "AD4GzfYsibXxC4TnwgATJKKCvVpV8r5WCoYFQBgY13KD";
const VERSIONS = [1_772_366_401_000, 1_772_366_427_025, 1_772_366_433_281];

const key = (account: string, text: string, more = {}) => ({
  id: `did:lto:${account}#sign`,
  type: "Multikey",
  controller: `did:lto:${account}`,
  publicKeyMultibase: text,
  ...more,
});
const own = key(ADDRESS, "z6MkrYJ1aN741WgS63Jnr6gVRM4gefvXy2WZfmN8rWTHBw3X");
const foreign = key(OTHER, "zDnaexTupoyrFLZb7i33wA45YiZibPXAYciFBnw5Cu5AJLu8r", {
  expires: "2026-03-01T13:00:27Z",
});
const document = {
  "@context": ["https://www.w3.org/ns/did/v1"],
  id: DID,
  verificationMethod: [own, foreign],
  authentication: [own.id, foreign.id],
  assertionMethod: [own.id],
  keyAgreement: [
    { ...key(ADDRESS, "z6LSjfnPHmCsXCB4Yr4fTYF2LMWv3r6vZbQMTXEnPnjR3HMa"), id: `${DID}#encrypt` },
  ],
  capabilityInvocation: [own.id, key(ENDER, "zQ3shVn2Qnb4xUeAeiBzC7AjabJyjnE3A8YoyN7pkAJB5kK37")],
  service: [
    {
      id: `${DID}#web`,
      type: "LinkedDomains",
      serviceEndpoint: ["https://alice.example/", "javascript:x()"],
    },
    { id: `${DID}#bad`, type: "<b>\u202e", serviceEndpoint: { uri: "data:text/html,<script>" }, note: "n" },
  ],
};
const metadata = { created: "2026-03-01T12:00:01Z", updated: "2026-03-01T12:00:33Z", deactivated: false };

const resolved = (didDocument: unknown, didDocumentMetadata: object) => ({
  didDocument,
  didResolutionMetadata: { contentType: "application/did" },
  didDocumentMetadata,
});

let node: ScriptedNode;

const path = (did: string, more: string): string => `${encodeURIComponent(did)}${more}`;

beforeEach(() => {
  node = new ScriptedNode();
  node.answers.set("/blocks/headers/at/1", { json: { generator: ADDRESS } });
  setVersions(DID, VERSIONS);
  for (const time of VERSIONS)
    node.answers.set(`/identifiers/${path(DID, `?versionId=${time}`)}`, {
      json: resolved(document, metadata),
    });
});

function setVersions(did: string, times: readonly number[], total = times.length): void {
  const versions = [...times].reverse().map((timestamp) => ({ versionId: String(timestamp), timestamp }));
  node.answers.set(`/identities/${path(did, "/versions?limit=1000")}`, {
    json: { id: did, total, versions },
  });
}

async function page(did = DID, query: Readonly<Record<string, string>> = {}) {
  const context = await testContext(node.fetch);
  return renderPage(identityPage, { did }, context, new URLSearchParams(query));
}

const problemOf = async (did: string): Promise<string> => {
  try {
    await page(did);
  } catch (error) {
    const { kind, message } = error as Problem;
    return `${kind}: ${message}`;
  }
  throw new Error("the page loaded");
};

describe("the document", () => {
  test("shows the capabilities, the owner and the expiry of each key", async () => {
    const { text, html } = await page();
    expect(text).toContain(
      "Own key May authenticate as this identity sign statements and credentials use capabilities granted",
    );
    expect(text).toContain("Own key, for encryption May decrypt messages to this identity");
    expect(text).toContain("Key of another account May deactivate this identity, and nothing else");
    expect(html).toContain('<time datetime="2026-03-01T13:00:27.000Z"');
    for (const kind of ["ed25519", "NIST P-256", "secp256k1", "X25519"]) expect(text).toContain(kind);
    expect(html).toContain(`href="identity/did:lto:${OTHER}"`);
  });

  test("shows services as text, and links only to https URLs", async () => {
    const { html, text } = await page();
    expect(html).toMatch(/<a [^>]*href="https:\/\/alice.example\/"[^>]*rel="noopener noreferrer nofollow"/);
    expect([...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href).join()).not.toMatch(
      /javascript|data:/,
    );
    expect(text).toContain("javascript:x()");
    expect(text).toContain("<b>⟨U+202E⟩");
    expect(html).not.toMatch(/<script|<b>/);
  });

  test("truncates long lists and texts, and shows their size", async () => {
    const many = <T>(make: (i: number) => T): T[] => Array.from({ length: 3_000 }, (_, i) => make(i));
    const web = `https://alice.example/${"a".repeat(30_000)}`;
    const hugeDocument = {
      ...document,
      alsoKnownAs: many((i) => `did:lto:${i}`),
      verificationMethod: many((i) => ({ ...foreign, id: `${foreign.id}${i}` })),
      service: many((i) => ({
        id: `#${i}`,
        type: "t",
        serviceEndpoint: i === 0 ? many(String) : i === 1 ? web : "x",
      })),
    };
    node.answers.set(`/identifiers/${path(DID, `?versionId=${VERSIONS[2]}`)}`, {
      json: resolved(hugeDocument, metadata),
    });
    const { html, text } = await page();
    expect(text).toContain("Show all 3,000");
    expect(text).toContain("Show all 30,022 characters");
    expect(html.length).toBeLessThan(150_000);
  });

  test("of a deactivated identity is replaced by the time of deactivation and the account", async () => {
    const end = { ...metadata, updated: "2026-03-01T12:00:45Z", deactivated: true };
    node.answers.set(`/identifiers/${path(DID, `?versionId=${VERSIONS[2]}`)}`, {
      status: 410,
      json: resolved(null, end),
    });
    node.answers.set(`/identifiers/${path(DID, "")}`, {
      json: {
        "@context": "x",
        didDocument: {},
        didDocumentMetadata: { deactivated: true, deactivatedBy: `did:lto:${OTHER}` },
        didResolutionMetadata: {},
      },
    });
    const { text } = await page();
    expect(text).toMatch(/This identity was deactivated on .* by did:lto:3QEHji/);
    expect(text).toContain("Earlier versions show the former documents.");
    expect(text).not.toContain("Own key");
    const past = await page(DID, { time: new Date(VERSIONS[1]).toISOString() });
    expect(past.text).toContain("Own key");
  });

  test("of a derived identity links to its account", async () => {
    const derived = `${DID}:derived:2ecUjVz`;
    setVersions(derived, VERSIONS.slice(0, 1));
    node.answers.set(`/identifiers/${path(derived, `?versionId=${VERSIONS[0]}`)}`, {
      json: resolved({ ...document, id: derived, alsoKnownAs: [`did:lto:${OTHER}`] }, metadata),
    });
    const { text } = await page(derived);
    expect(text).toContain(`A derived identity of ${DID}`);
    expect(text).toContain("Also known as");
    expect(text).not.toContain("Secret (Base58)");
  });
});

describe("the history", () => {
  test("shows the newest version by default", async () => {
    const { text, html } = await page();
    expect(text).toContain("Version 3 of 3, newest");
    expect(html).toMatch(/<input type="range" min="0" max="2" step="1" value="2"/);
    expect(html).toContain('aria-valuetext="Version 3 of 3, newest, from');
  });

  test.each([
    ["2026-03-01T12:00:27.025Z", "Version 2 of 3"],
    ["2026-03-01T12:00:30Z", "Version 2 of 3"],
    ["2026-03-01T12:00:27.024Z", "Version 1 of 3, first"],
    ["2030-01-01", "Version 3 of 3, newest"],
    ["nonsense", "Version 3 of 3, newest"],
  ])("at %s shows '%s'", async (time, words) => {
    expect((await page(DID, { time })).text).toContain(words);
  });

  test("shows the first version for a time before it", async () => {
    const { text } = await page(DID, { time: "2020-01-01" });
    expect(text).toContain("This identity did not exist at that time.");
    expect(text).toContain("Version 1 of 3");
  });

  test("numbers the newest of too many versions correctly", async () => {
    setVersions(DID, VERSIONS, 1_500);
    const { text } = await page();
    expect(text).toContain("Version 1,500 of 1,500, newest");
    expect(text).toContain("The slider covers the newest 3 versions.");
  });

  test("shows a version older than the listed ones", async () => {
    setVersions(DID, VERSIONS, 1_500);
    const time = "2026-01-01T00:00:00.000Z";
    const asked = `/identifiers/${path(DID, `?versionTime=${encodeURIComponent(time)}`)}`;
    const [from, to] = [VERSIONS[0] - 9_000_000, VERSIONS[0] - 8_000_000];
    const olderMetadata = { ...metadata, versionId: String(from), nextVersionId: String(to) };
    node.answers.set(asked, { json: resolved({ ...document, alsoKnownAs: ["did:then"] }, olderMetadata) });
    const { text, html } = await page(DID, { time });
    expect(text).toContain("A version before the newest 3: from");
    expect(text).toContain("did:then");
    expect(text).not.toContain("This identity did not exist");
    for (const at of [from, to]) expect(html).toContain(`datetime="${new Date(at).toISOString()}"`);
    expect(html).toMatch(/<input type="range" min="-1" max="2" step="1" value="-1"/);
    // No version at that time.
    node.answers.set(asked, { status: 404, json: resolved(null, {}) });
    const before = await page(DID, { time });
    expect(before.text).toContain(
      "This identity did not exist at that time. The page shows the oldest listed version.",
    );
    expect(before.text).toContain("Version 1,498 of 1,500");
  });
});

describe("a credential", () => {
  const signer = { id: `did:lto:${OTHER}#sign`, type: "x", publicKeyMultibase: "z" };
  const statement = (type: string, more = {}) => ({
    type,
    timestamp: "2026-03-01T12:00:33Z",
    signer,
    ...more,
  });
  const asked = `/credential-status/${CREDENTIAL}?issuer=${encodeURIComponent(DID)}&limit=1000`;
  const shown = (status: object) => {
    node.answers.set(asked, { json: { id: CREDENTIAL, issuer: DID, statements: [], ...status } });
    return page(DID, { credential: CREDENTIAL });
  };

  test("shows statements and the resulting status", async () => {
    const statements = [statement("issue"), statement("dispute", { why: "<i>wrong</i>" })];
    const { text, html } = await shown({ statements, issued: "2026-03-01T12:00:33Z" });
    expect(text).toMatch(/Issued on .*, neither suspended nor revoked/);
    expect(text).toContain("why: <i>wrong</i>");
    expect(html).not.toContain("<i>");
    expect((await shown({ statements, suspended: "2026-03-01T12:00:33Z" })).text).toContain(
      "Suspended since",
    );
    expect((await shown({ statements, revoked: "2026-03-01T12:00:33Z" })).text).toContain("Revoked on");
    expect((await shown({})).text).toContain("This identity has not issued this credential.");
  });

  test("accepts hex, Base58 and URNs, and focuses the status", async () => {
    node.answers.set(asked, {
      json: { id: CREDENTIAL, issuer: DID, statements: [], issued: "x", revoked: "2026-03-01T12:00:33Z" },
    });
    const hex = encodeHex(decodeBase58(CREDENTIAL, 44));
    for (const text of [
      CREDENTIAL,
      hex,
      hex.toUpperCase(),
      `0x${hex}`,
      `urn:sha256:${hex}`,
      `urn:a:b:${CREDENTIAL}`,
    ]) {
      const { text: words, html } = await page(DID, { credential: text });
      expect(words, text).toContain("Revoked on");
      expect(words).toContain(CREDENTIAL);
      expect(html).toMatch(/data-scroll-target[^>]*>(?:(?!<\/section>).)*Revoked on/s);
      expect(html).toContain(`value="${text}"`);
    }
    expect((await page()).html).not.toContain("data-scroll-target");
  });

  test("reads an id as hex even if it is valid Base58", async () => {
    const hex = "1a".repeat(32);
    const id = encodeBase58(new Uint8Array(32).fill(0x1a));
    node.answers.set(asked.replace(CREDENTIAL, id), {
      json: { id, issuer: DID, statements: [], revoked: "2026-03-01T12:00:33Z" },
    });
    expect((await page(DID, { credential: hex })).text).toContain("Revoked on");
  });

  test.each([
    ["AD4GzfYsibXxC4TnwgAT", "No block, transaction, address, DID or hash matches this text."],
    [`${"1a".repeat(31)}`, "Hex text of 31 bytes"],
    [ADDRESS, "This is not the id of a credential."],
    ["12345", "This is not the id of a credential."],
    [
      "urn:uuid:6ba7b810-9dad-11d1-80b4-00c04fd430c8",
      "No block, transaction, address, DID or hash matches this text.",
    ],
  ])("rejects the id '%s' without a request", async (text, message) => {
    const { text: words } = await page(DID, { credential: text });
    expect(words).toContain(message);
    expect(words).toContain("Enter the SHA-256 of the credential in hex or Base58");
    expect(words).not.toContain("has not issued this credential");
    expect(words).toContain("Own key");
  });

  test("shows a failed request without losing the rest of the page", async () => {
    node.answers.set(asked, { status: 503, json: {} });
    const { text } = await page(DID, { credential: CREDENTIAL });
    expect(text).toContain("The node is overloaded or starting.");
    expect(text).toContain("Own key");
  });
});

describe("an invalid identity", () => {
  test.each(["", "x", "did:web:example.com", `${DID}:derived:`, `${DID}0`])(
    "'%s' is rejected",
    async (did) => {
      expect(await problemOf(did)).toMatch(/^malformed: This is not a DID/);
    },
  );

  test("differs from one that is not on the chain", async () => {
    const versions = `/identities/${path(DID, "/versions?limit=1000")}`;
    node.answers.set(versions, { status: 404, json: { error: "notFound" } });
    expect(await problemOf(DID)).toBe("unknown: The chain has no such identity.");
    node.answers.set(versions, { status: 400, json: { error: "invalidDid" } });
    expect(await problemOf(`${DID}#sign`)).toBe("malformed: This is not a DID of this network.");
  });
});
