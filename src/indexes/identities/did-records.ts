/** What the chain says about the identity of an address: the facts that a DID document is made of. Page 07 §8. */
import type { Reader } from "../../storage/kv.ts";
import { tables } from "../../storage/tables.ts";
import type {
  Deactivation,
  FirstSeenKey,
  MethodRecord,
  ServiceRecord,
} from "../../storage/values/indexes.ts";

/** Everything about one address; lists in chain order. */
export interface IdentityFacts {
  key(address: Uint8Array): FirstSeenKey | undefined;
  methods(address: Uint8Array): readonly MethodRecord[];
  services(address: Uint8Array): readonly ServiceRecord[];
  deactivation(address: Uint8Array): Deactivation | undefined;
}

/**
 * What is known of identities, for documents and resolution.
 * @param keys where the keys of accounts are read
 * @param rows where the rest is read: without the identity index a DID has the key of its account and no more
 */
export function identityFacts(keys: Reader, rows: Reader = keys): IdentityFacts {
  return {
    key: (address) => keys.get(tables.firstSeenKeys, address),
    methods: (address) =>
      Array.from(rows.range(tables.didMethods, { prefix: address }), ([, record]) => record),
    services: (address) =>
      Array.from(rows.range(tables.didServices, { prefix: address }), ([, record]) => record),
    deactivation: (address) => rows.get(tables.deactivations, address),
  };
}

/** Bits of the relationships, and all of them together. Page 07 §8.3. */
export const relationshipBits = {
  authentication: 0x101,
  assertionMethod: 0x102,
  keyAgreement: 0x104,
  capabilityInvocation: 0x108,
  capabilityDelegation: 0x110,
} as const;

/** What a verification method may be used for. */
export type Relationship = keyof typeof relationshipBits;

const relationshipNames = Object.keys(relationshipBits) as Relationship[];

/** Returns the relationships whose bits are set, in the order of documents. */
export function relationshipsIn(bits: number): Relationship[] {
  return relationshipNames.filter((name) => (bits & relationshipBits[name]) === relationshipBits[name]);
}

/** The bits of all relationships. */
export const allRelationships = 0x11f;

/** Whether a record is in force at a time. The expiry is inclusive. Page 07 §8.3. */
export function isActive(
  record: Pick<MethodRecord, "relationships" | "timestamp" | "expires">,
  time: bigint,
): boolean {
  return (
    record.relationships > 0 &&
    record.timestamp <= time &&
    (record.expires === undefined || record.expires >= time)
  );
}
