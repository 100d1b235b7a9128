/** DID documents as in DID Core 1.0: Multikey keys with a multicodec prefix, and only valid services. */
import { encodeBase58 } from "../../bytes/base58.ts";
import { concatBytes } from "../../bytes/compare.ts";
import { isoSeconds, LAST_ISO_TIME } from "../../bytes/dates.ts";
import type { JsonObject, JsonOut, JsonValue } from "../../bytes/json.ts";
import { type KeyType, keyTypeInfo } from "../../crypto/key-types.ts";
import { x25519Of } from "../../crypto/x25519.ts";
import { DEACTIVATE_ONLY, servicesAt } from "./did-document.ts";
import { methodsAt } from "./did-methods.ts";
import { type IdentityFacts, type Relationship, relationshipsIn } from "./did-records.ts";
import { isUri } from "./did-url.ts";

const contexts = ["https://www.w3.org/ns/did/v1", "https://w3id.org/security/multikey/v1"];

/** Multicodecs of public keys, as unsigned varints. Documents omit keys of other types. */
const multicodecs: Partial<Record<KeyType, readonly number[]>> = {
  ed25519: [0xed, 0x01],
  secp256k1: [0xe7, 0x01],
  secp256r1: [0x80, 0x24],
};
const X25519_CODEC = [0xec, 0x01];

interface Multikey {
  readonly [member: string]: string;
  readonly id: string;
}

export interface CoreDocument {
  readonly "@context": readonly string[];
  readonly id: string;
  readonly alsoKnownAs?: readonly string[];
  readonly verificationMethod?: readonly Multikey[];
  readonly service?: readonly JsonObject[];
  /** Methods that occur only in relationships. */
  readonly embedded: readonly Multikey[];
  /** Methods by relationship. */
  readonly lists: Partial<Record<Relationship, readonly (string | Multikey)[]>>;
}

/** Returns the document at a time (ms). */
export function coreDocument(
  facts: IdentityFacts,
  prefix: string,
  address: Uint8Array,
  time: bigint,
  names: { readonly id: string; readonly alsoKnownAs?: string | undefined },
): CoreDocument {
  const verificationMethod: Multikey[] = [];
  const embedded: Multikey[] = [];
  const lists: Partial<Record<Relationship, (string | Multikey)[]>> = {};
  const add = (name: Relationship, reference: string | Multikey): void => {
    if (typeof reference !== "string") embedded.push(reference);
    lists[name] = [...(lists[name] ?? []), reference];
  };
  for (const { recipient, relationships, expires } of methodsAt(address, facts.methods(address), time)) {
    const key = facts.key(recipient);
    const codec = key && multicodecs[key.keyType];
    if (key === undefined || codec === undefined) continue;
    if (key.publicKey.length !== keyTypeInfo(key.keyType).publicKeyLength) continue;
    const controller = prefix + encodeBase58(recipient);
    const multikey = (fragment: string, codecBytes: readonly number[], bytes: Uint8Array): Multikey => ({
      id: `${controller}#${fragment}`,
      type: "Multikey",
      controller,
      ...(expires !== undefined && expires <= LAST_ISO_TIME && { expires: isoSeconds(expires) }),
      publicKeyMultibase: `z${encodeBase58(concatBytes(Uint8Array.from(codecBytes), bytes))}`,
    });
    const sign = multikey("sign", codec, key.publicKey);
    if (relationships === DEACTIVATE_ONLY) {
      add("capabilityInvocation", sign);
      continue;
    }
    verificationMethod.push(sign);
    for (const name of relationshipsIn(relationships)) {
      if (name !== "keyAgreement" || key.keyType !== "ed25519") add(name, sign.id);
      else {
        const exchangeKey = x25519Of(key.publicKey);
        if (exchangeKey !== undefined) add(name, multikey("encrypt", X25519_CODEC, exchangeKey));
      }
    }
  }
  const did = `${prefix}${encodeBase58(address)}`;
  const methodIds = new Set([...verificationMethod, ...embedded].map(({ id }) => id));
  const service = servicesAt(facts.services(address), did, time).flatMap((members) => {
    const valid = coreService(members, did);
    return valid === undefined || methodIds.has(String(valid.get("id"))) ? [] : [valid];
  });
  return {
    "@context": contexts,
    id: names.id,
    ...(names.alsoKnownAs !== undefined && { alsoKnownAs: [names.alsoKnownAs] }),
    ...(verificationMethod.length > 0 && { verificationMethod }),
    ...(service.length > 0 && { service }),
    embedded,
    lists,
  };
}

export function printableDocument(document: CoreDocument, services = document.service): JsonOut {
  const { "@context": context, id, alsoKnownAs, verificationMethod, lists } = document;
  const service = services === undefined || services.length === 0 ? undefined : services;
  return { "@context": context, id, alsoKnownAs, verificationMethod, ...lists, service };
}

/** Returns undefined for an invalid service. DID Core 1.0, section 5.4. */
function coreService(members: ReadonlyMap<string, JsonValue>, did: string): JsonObject | undefined {
  const writtenId = members.get("id");
  if (typeof writtenId !== "string") return undefined;
  const id = writtenId.startsWith("#") ? did + writtenId : writtenId;
  const type = members.get("type");
  const endpoint = members.get("serviceEndpoint");
  if (!isUri(id) || !isType(type) || !isEndpoint(endpoint)) return undefined;
  const service = withoutKeywords(new Map(members)) as JsonObject; // The result for a map is a map.
  return service.set("id", id);
}

function isType(value: JsonValue | undefined): boolean {
  if (!Array.isArray(value)) return typeof value === "string" && value !== "";
  const texts = value.filter((text) => typeof text === "string" && text !== "");
  return texts.length > 0 && texts.length === value.length && new Set(texts).size === texts.length;
}

function isEndpoint(value: JsonValue | undefined): boolean {
  const isSingle = (endpoint: JsonValue | undefined): boolean =>
    endpoint instanceof Map || (typeof endpoint === "string" && isUri(endpoint));
  return Array.isArray(value) ? value.length > 0 && value.every(isSingle) : isSingle(value);
}

/** Removes JSON-LD keywords, which could redefine the document's terms. */
function withoutKeywords(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutKeywords);
  if (!(value instanceof Map)) return value;
  const kept = [...value].filter(([name]) => !name.startsWith("@"));
  return new Map(kept.map(([name, member]) => [name, withoutKeywords(member)]));
}
