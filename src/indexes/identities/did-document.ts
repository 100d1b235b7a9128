import { encodeBase58 } from "../../bytes/base58.ts";
import { JsonNumber, type JsonOut, type JsonValue, parseJson } from "../../bytes/json.ts";
import type { KeyType, PublicKey } from "../../crypto/key-types.ts";
import { x25519Of } from "../../crypto/x25519.ts";
import type { FirstSeenKey, ServiceRecord } from "../../storage/values/indexes.ts";
import { byTimestamp, methodsAt } from "./did-methods.ts";
import { type IdentityFacts, type Relationship, relationshipsIn } from "./did-records.ts";

const contexts = [
  "https://www.w3.org/ns/did/v1",
  "https://w3id.org/security/suites/ed25519-2020/v1",
  "https://w3id.org/security/suites/secp256k1-2019/v1",
];

/** Types of verification methods. DID documents omit keys of other types (page 07 §15, BUG-12). */
export const methodTypes: Partial<Record<KeyType, string>> = {
  ed25519: "Ed25519VerificationKey2020",
  secp256k1: "EcdsaSecp256k1VerificationKey2019",
  secp256r1: "EcdsaSecp256r1VerificationKey2019",
};

export function methodTypeOf({ keyType }: PublicKey): string {
  return methodTypes[keyType] ?? "";
}

/** Relationship bits of a capability that can only deactivate. Page 07 §8.7, step 3. */
export const DEACTIVATE_ONLY = 0x1108;

/**
 * Returns the DID document at a time (ms). Page 07 §8.7.
 * @param prefix such as `did:lto:`
 * @param names id and alias to show
 */
export function didDocument(
  facts: IdentityFacts,
  prefix: string,
  address: Uint8Array,
  time: bigint,
  names: { readonly id: string; readonly alsoKnownAs?: string | undefined },
): JsonOut {
  const verificationMethod: JsonOut[] = [];
  const lists: Record<Relationship, JsonOut[]> = {
    authentication: [],
    assertionMethod: [],
    keyAgreement: [],
    capabilityInvocation: [],
    capabilityDelegation: [],
  };
  for (const method of methodsAt(address, facts.methods(address), time)) {
    const key = facts.key(method.recipient);
    const type = key && methodTypes[key.keyType];
    if (key === undefined || type === undefined) continue;
    const controller = prefix + encodeBase58(method.recipient);
    const id = `${controller}#sign`;
    const entry = { id, type, controller, publicKeyMultibase: multibase(key.publicKey) };
    if (method.relationships === DEACTIVATE_ONLY) {
      lists.capabilityInvocation.push(entry);
      continue;
    }
    verificationMethod.push(entry);
    for (const name of relationshipsIn(method.relationships)) {
      const reference = name === "keyAgreement" ? keyAgreementOf(key, controller, id) : id;
      if (reference !== undefined) lists[name].push(reference);
    }
  }
  return {
    "@context": contexts,
    id: names.id,
    alsoKnownAs: names.alsoKnownAs === undefined ? undefined : [names.alsoKnownAs],
    verificationMethod,
    ...lists,
    service: servicesAt(facts.services(address), `${prefix}${encodeBase58(address)}`, time),
  };
}

/** Page 07 §8.7. */
function multibase(publicKey: Uint8Array): string {
  return `z${encodeBase58(publicKey)}`;
}

function keyAgreementOf(key: FirstSeenKey, controller: string, signId: string): JsonOut | undefined {
  if (key.keyType !== "ed25519") return signId;
  const exchangeKey = x25519Of(key.publicKey);
  return (
    exchangeKey && {
      id: `${controller}#encrypt`,
      type: "X25519KeyAgreementKey2019",
      controller,
      publicKeyMultibase: multibase(exchangeKey),
    }
  );
}

/** Returns the services at a time (ms), in the order in which their ids first appeared. Page 07 §8.6. */
export function servicesAt(
  records: readonly ServiceRecord[],
  did: string,
  time: bigint,
): ReadonlyMap<string, JsonValue>[] {
  const services = new Map<string, ReadonlyMap<string, JsonValue>>();
  for (const record of [...records].sort(byTimestamp)) {
    if (record.timestamp > time) continue;
    const generatedId = did + record.fragment;
    const service = new Map<string, JsonValue>([["id", generatedId]]);
    const members = record.json === undefined ? undefined : parseServiceJson(record.json);
    for (const [name, value] of members ?? []) service.set(name, value);
    // The reference node overwrites and hides this member.
    service.delete("timestamp");
    const id = members?.get("id");
    const fullId = typeof id === "string" ? id : generatedId;
    services.set(fullId.startsWith(`${did}#`) ? fullId.slice(did.length) : fullId, service);
  }
  return [...services.values()].filter(hasType);
}

/** Returns undefined if the text is not a JSON object, or its `id` is not a string. */
export function parseServiceJson(text: string): ReadonlyMap<string, JsonValue> | undefined {
  let value: JsonValue;
  try {
    value = parseJson(text);
  } catch {
    // Accounts can write any text; invalid JSON is not a service (page 07 §15, BUG-2).
    return undefined;
  }
  if (!(value instanceof Map)) return undefined;
  const id = value.get("id");
  return id === undefined || typeof id === "string" ? value : undefined;
}

/** A service without a truthy `type` counts as removed. Page 07 §8.6. */
function hasType(service: ReadonlyMap<string, JsonValue>): boolean {
  const type = service.get("type");
  if (type instanceof JsonNumber) return type.toNumber() !== 0;
  return type !== undefined && type !== null && type !== false && type !== "";
}
