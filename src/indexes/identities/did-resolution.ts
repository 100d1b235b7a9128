import { createHmac } from "node:crypto";
import { decodeBase58, encodeBase58 } from "../../bytes/base58.ts";
import { bytesEqual, concatBytes } from "../../bytes/compare.ts";
import { endOfSecond, isoSeconds, parseUtc } from "../../bytes/dates.ts";
import type { JsonOut } from "../../bytes/json.ts";
import { ADDRESS_LENGTH } from "../../crypto/addresses.ts";
import { fastHash, secureHash } from "../../crypto/hashes.ts";
import type { DidResolution } from "../../interfaces.ts";
import type { FirstSeenKey, MethodRecord } from "../../storage/values/indexes.ts";
import { didDocument } from "./did-document.ts";
import { byTimestamp } from "./did-methods.ts";
import type { IdentityFacts } from "./did-records.ts";

const contentType = "application/did+ld+json";

interface DidQuery {
  /** An address, a DID, or a DID with `:derived:<secret>`. */
  readonly did: string;
  /** The caller's clock, ms. */
  readonly now: number;
  /** Undefined or empty means `now`. */
  readonly versionTime?: string | undefined;
}

/** Resolves a DID as the index service does. Page 07 §8.8, §18.3.1, with the corrections of §15. */
export function resolveDid(facts: IdentityFacts, networkName: string, query: DidQuery): DidResolution {
  const method = networkName.toLowerCase();
  const prefix = `did:${method}:`;
  const text = query.did.startsWith(prefix) ? query.did.slice(prefix.length) : query.did;
  const time = timeOf(query);
  if (time === undefined) return failure(400, "invalidDidUrl", { status: 400, error: "invalidDidUrl" });

  const notFound = { status: 404, error: "notFound" };
  const identity = identityOf(text);
  if (identity === "invalidDid") return failure(400, "invalidDid", notFound);
  if (identity === "invalidSecret")
    return failure(400, "invalidDid", { status: 400, error: "invalid-secret" });
  const { address, secret } = identity;
  const key = facts.key(address);
  if (key === undefined) return failure(404, "notFound", notFound);

  const id = prefix + text;
  const didResolutionMetadata = {
    contentType,
    did: { didString: id, method, methodSpecificId: text },
    networkId: String.fromCharCode(address[1] as number),
  };
  const deactivation = facts.deactivation(address);
  const methods = facts.methods(address);
  const services = facts.services(address);
  const updates = [
    ...methods.filter((record) => !record.capability),
    ...services,
    ...(deactivation === undefined ? [] : [deactivation]),
  ]
    .sort(byTimestamp)
    .map((record) => record.timestamp);
  const isCacheable = isIndependentOfNow(query, [key.created, ...updates, ...methods.flatMap(changeTimes)]);
  const created = isoSeconds(key.created);
  const resolved = (
    didDocument: JsonOut,
    didDocumentMetadata: JsonOut,
    documentError?: DidResolution["documentError"],
  ): DidResolution => ({
    status: 200,
    didDocument,
    didDocumentMetadata,
    didResolutionMetadata,
    ...(documentError && { documentError }),
    ...(isCacheable && { isCacheable }),
  });
  const emptyDocument = { "@context": "https://www.w3.org/ns/did/v1", id, verificationMethod: [] };

  if (key.created > time)
    return resolved(emptyDocument, { created, deactivated: false, nextUpdate: created }, notFound);
  if (deactivation !== undefined && deactivation.timestamp <= time) {
    const updated = isoSeconds(deactivation.timestamp);
    const deactivatedBy = prefix + encodeBase58(deactivation.sender);
    return resolved(emptyDocument, { created, updated, deactivated: true, deactivatedBy }, notFound);
  }
  const alsoKnownAs = secret && prefix + encodeBase58(derivedAddress(address, key.publicKey, secret));
  const loadedFacts = { ...facts, methods: () => methods, services: () => services };
  return resolved(didDocument(loadedFacts, prefix, address, time, { id, alsoKnownAs }), {
    created,
    updated: isoOrAbsent(updates.filter((update) => update <= time).at(-1)),
    deactivated: false,
    nextUpdate: isoOrAbsent(updates.find((update) => update > time)),
    lastUpdate: isoOrAbsent(updates.at(-1)),
  });
}

function changeTimes({ timestamp, expires }: MethodRecord): bigint[] {
  return expires === undefined ? [timestamp] : [timestamp, expires];
}

function isIndependentOfNow({ versionTime, now }: DidQuery, times: readonly bigint[]): true | undefined {
  const isExplicit = versionTime !== undefined && versionTime !== "";
  return isExplicit || times.every((time) => time < BigInt(now)) || undefined;
}

function failure(
  status: number,
  error: string,
  documentError: { readonly status: number; readonly error: string },
): DidResolution {
  const empty: JsonOut = {};
  return {
    status,
    didDocument: empty,
    didDocumentMetadata: empty,
    didResolutionMetadata: { contentType, error },
    documentError,
  };
}

/** Page 07 §17. @param secret at least 1 byte */
export function derivedAddress(
  controller: Uint8Array,
  publicKey: FirstSeenKey["publicKey"],
  secret: Uint8Array,
): Uint8Array {
  const hash = createHmac("sha256", secret).update(fastHash(publicKey)).digest();
  const body = concatBytes(controller.subarray(0, 2), hash.subarray(0, 20));
  return concatBytes(body, secureHash(body).subarray(0, 4));
}

/**
 * Parses a DID's address, and the secret of a derived DID. Page 07 §18.3.1.
 * @param text the part of the DID after the method
 */
export function identityOf(
  text: string,
):
  | { readonly address: Uint8Array; readonly secret: Uint8Array | undefined }
  | "invalidDid"
  | "invalidSecret" {
  const [addressText, derived, secretText, ...moreParts] = text.split(":") as [
    string,
    ...(string | undefined)[],
  ];
  const address = parseAnyAddress(addressText);
  if (address === undefined || (derived !== undefined && derived !== "derived") || moreParts.length > 0)
    return "invalidDid";
  if (derived === undefined) return { address, secret: undefined };
  const secret = parseSecret(secretText);
  return secret === undefined ? "invalidSecret" : { address, secret };
}

const MAX_ADDRESS_TEXT_LENGTH = 36;

/** Parses an address of any network: version 1, valid checksum. Page 07 §8.8. */
function parseAnyAddress(text: string): Uint8Array | undefined {
  // Text that is not Base58 is not an address; page 07 §15, BUG-15.
  const bytes = tryBase58(text, MAX_ADDRESS_TEXT_LENGTH);
  if (bytes?.length !== ADDRESS_LENGTH || bytes[0] !== 1) return undefined;
  const checksum = secureHash(bytes.subarray(0, 22)).subarray(0, 4);
  return bytesEqual(bytes.subarray(22), checksum) ? bytes : undefined;
}

const MAX_SECRET_TEXT_LENGTH = 1024;

function parseSecret(text: string | undefined): Uint8Array | undefined {
  return text === undefined || text.length === 0 ? undefined : tryBase58(text, MAX_SECRET_TEXT_LENGTH);
}

function tryBase58(text: string, maxLength: number): Uint8Array | undefined {
  try {
    return decodeBase58(text, maxLength);
  } catch {
    return undefined;
  }
}

/** Returns `now`, or the last millisecond of a requested second; undefined for an invalid date. Page 07 §8.8. */
function timeOf(query: DidQuery): bigint | undefined {
  const text = query.versionTime;
  if (text === undefined || text === "") return BigInt(query.now);
  const parsed = parseUtc(text);
  return Number.isNaN(parsed) ? undefined : endOfSecond(parsed);
}

function isoOrAbsent(time: bigint | undefined): string | undefined {
  return time === undefined ? undefined : isoSeconds(time);
}
