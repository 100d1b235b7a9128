/** Documents of random chains in the strict form: they follow DID Core and agree with the form of the index. */
import { describe, expect, it } from "vitest";
import { documentFaults, metadataFaults } from "../../../test/support/did-core.ts";
import { decodeBase58 } from "../../bytes/base58.ts";
import { encodeHex } from "../../bytes/hex.ts";
import { printJson } from "../../bytes/json.ts";
import { addressText } from "../../crypto/addresses.ts";
import type { DidAnswer } from "../../interfaces.ts";
import { SeededRandom } from "../../testing/seeded-random.ts";
import { addresses, type IndexChain, randomIndexChain, timeOf } from "../testing/index-chain.ts";
import { answerDid, identityVersions } from "./did-core.ts";
import type { IdentityFacts } from "./did-records.ts";
import { identityFacts } from "./did-records.ts";
import { resolveDid } from "./did-resolution.ts";
import { identityIndex, keyIndex } from "./write.ts";

const CHAINS = 15;
const UNITS = 40;
const HOUR = 3_600_000;

interface Method {
  readonly id: string;
  readonly type: string;
  readonly publicKeyMultibase: string;
}
interface Document {
  readonly [relationship: string]: readonly (string | Method)[] | undefined;
}
interface Metadata {
  readonly created: string;
  readonly updated?: string;
  readonly nextUpdate?: string;
  readonly versionId: string;
  readonly nextVersionId?: string;
  readonly deactivated: boolean;
}

function randomChain(seed: number): IndexChain {
  return randomIndexChain(new SeededRandom(seed), [keyIndex(), identityIndex()], UNITS);
}

function parsed<T>(value: DidAnswer["content"]): T {
  return JSON.parse(printJson(value)) as T;
}

/** Fragments and raw keys of the methods in a relationship. */
function keysOf(document: Document, name: string, prefixed: boolean): string[] {
  return (document[name] ?? []).map((one) => {
    if (typeof one === "string") return one;
    const bytes = decodeBase58(one.publicKeyMultibase.slice(1), 100);
    return `${one.id} ${encodeHex(prefixed ? bytes.subarray(2) : bytes)}`;
  });
}

const LISTS = [
  "verificationMethod",
  "authentication",
  "assertionMethod",
  "keyAgreement",
  "capabilityInvocation",
  "capabilityDelegation",
];

/** Compares both forms for one address at one time. */
function compare(facts: IdentityFacts, address: Uint8Array, now: number): "found" | "deactivated" | "none" {
  const did = `did:lto:${addressText(address)}`;
  const ask = (parameters: [string, string][] = [], time = now) =>
    answerDid(facts, "LTO", { did, parameters, allowsUrl: true, now: time });
  const answer = ask();
  const index = resolveDid(facts, "LTO", { did, now });
  expect(answer.error === undefined && !answer.isDeactivated).toBe(index.documentError === undefined);
  if (answer.error !== undefined) {
    expect(answer.error.name).toBe("notFound");
    return "none";
  }
  const metadata = parsed<Metadata>(answer.metadata);
  expect(metadataFaults(metadata)).toEqual([]);
  expect(metadata.deactivated).toBe(answer.isDeactivated);
  expect(Number(metadata.versionId)).toBeLessThanOrEqual(now);
  expect(Date.parse(metadata.created)).toBeLessThanOrEqual(Number(metadata.versionId));
  // The version id finds the same version later.
  const later = ask([["versionId", metadata.versionId]], now + HOUR);
  expect(later.content).toEqual(answer.content);
  expect(later.isDeactivated).toBe(answer.isDeactivated);
  if (answer.isDeactivated) return "deactivated";
  const document = parsed<Document>(answer.content);
  expect(documentFaults(document, did)).toEqual([]);
  const other = parsed<Document>(index.didDocument);
  for (const name of LISTS) expect(keysOf(document, name, true)).toEqual(keysOf(other, name, false));
  // Until the next version, the document stays the same.
  const { nextVersionId } = parsed<Metadata>(later.metadata);
  if (nextVersionId !== undefined) {
    expect(Number(nextVersionId)).toBeGreaterThan(now);
    expect(ask([], Number(nextVersionId) - 1).content).toEqual(answer.content);
  }
  return "found";
}

describe("documents of random chains", () => {
  it("conform to DID Core at any time, after any undoing", () => {
    const seen = { found: 0, deactivated: 0, none: 0 };
    let services = 0;
    for (let seed = 1; seed <= CHAINS; seed++) {
      const chain = randomChain(seed);
      const facts = identityFacts(chain.store);
      const random = new SeededRandom(seed);
      const end = Number(timeOf(chain.height)) + 2 * HOUR;
      const start = Number(timeOf(0)) - HOUR;
      for (const address of addresses) {
        for (let n = 0; n < 6; n++) seen[compare(facts, address, start + random.below(end - start))]++;
        const did = addressText(address);
        const { content } = answerDid(facts, "LTO", { did, parameters: [], allowsUrl: false, now: end });
        services += (content === null ? {} : parsed<Document>(content)).service?.length ?? 0;
      }
    }
    expect(seen.found).toBeGreaterThan(5 * CHAINS);
    expect(seen.deactivated).toBeGreaterThan(CHAINS);
    expect(services).toBeGreaterThan(CHAINS / 3);
  });

  it("list every time at which they changed", () => {
    for (let seed = 1; seed <= CHAINS / 4; seed++) {
      const chain = randomChain(seed);
      const facts = identityFacts(chain.store);
      const end = Number(timeOf(chain.height)) + 2 * HOUR;
      for (const address of addresses) {
        const ask = (now: number) =>
          answerDid(facts, "LTO", { did: addressText(address), parameters: [], allowsUrl: false, now });
        for (let now = Number(timeOf(0)), before = ask(now); now < end; now += HOUR / 4) {
          const answer = ask(now);
          const same = parsed<Metadata>(answer.metadata).versionId;
          if (same === parsed<Metadata>(before.metadata).versionId)
            expect(answer.content).toEqual(before.content);
          before = answer;
        }
      }
    }
  });
});

it("versions match the chain of next versions in the metadata", () => {
  let seen = 0;
  for (let seed = 1; seed <= CHAINS; seed++) {
    const facts = identityFacts(randomChain(seed).store);
    const now = Number(timeOf(UNITS)) + HOUR;
    for (const address of addresses) {
      const text = addressText(address);
      const listed = identityVersions(facts, "LTO", text, now);
      if (typeof listed === "string") {
        expect(facts.key(address)).toBeUndefined();
        continue;
      }
      expect(listed).toEqual(identityVersions(facts, "LTO", listed.id, now));
      const walked: string[] = [];
      for (let next: string | undefined = String(listed.times[0]); next !== undefined; ) {
        const parameters = [["versionId", next]] as const;
        const answer = answerDid(facts, "LTO", { did: text, parameters, allowsUrl: false, now });
        walked.push(next);
        next = parsed<Metadata>(answer.metadata).nextVersionId;
      }
      expect(walked).toEqual(listed.times.map(String));
      seen += walked.length;
    }
  }
  expect(seen).toBeGreaterThan(2 * CHAINS);
  expect(identityVersions(identityFacts(randomChain(1).store), "LTO", "x", 0)).toBe("invalidDid");
});
