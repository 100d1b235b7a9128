/** Stored facts about DIDs. Page 07 §8. */
import type { Reader } from "../../storage/kv.ts";
import { tables } from "../../storage/tables.ts";
import type {
  Deactivation,
  FirstSeenKey,
  MethodRecord,
  ServiceRecord,
} from "../../storage/values/indexes.ts";

/** Lists are in chain order. */
export interface IdentityFacts {
  key(address: Uint8Array): FirstSeenKey | undefined;
  methods(address: Uint8Array): readonly MethodRecord[];
  services(address: Uint8Array): readonly ServiceRecord[];
  deactivation(address: Uint8Array): Deactivation | undefined;
}

/** @param rows records other than keys; without any, a DID has only its account's key */
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

/** Relationship bits. Page 07 §8.3. */
export const relationshipBits = {
  authentication: 0x101,
  assertionMethod: 0x102,
  keyAgreement: 0x104,
  capabilityInvocation: 0x108,
  capabilityDelegation: 0x110,
} as const;

export type Relationship = keyof typeof relationshipBits;

const relationshipNames = Object.keys(relationshipBits) as Relationship[];

export function relationshipsIn(bits: number): Relationship[] {
  return relationshipNames.filter((name) => (bits & relationshipBits[name]) === relationshipBits[name]);
}

export const allRelationships = 0x11f;

/**
 * Returns true if a record has relationships and is in effect at a time (ms). The expiry is inclusive. Page 07 §8.3.
 */
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
