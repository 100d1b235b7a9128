/** What the chain says about the identity of an address: the facts that a DID document is made of. Page 07 §8. */
import type { KeyType } from "../../crypto/key-types.ts";

/** A public key as it was first seen in chain order. Page 07 §8.1. */
export interface FirstSeenKey {
  readonly keyType: KeyType;
  readonly publicKey: Uint8Array;
  /** Timestamp of the transaction that showed it first, ms. */
  readonly created: bigint;
}

/**
 * A verification method given or revoked, or (`capability`) the power to deactivate. Page 07 §8.3, §8.5.
 * Relationships are the bits of §8.3; a revoke has 0, or all five for the own key.
 */
export interface MethodRecord {
  readonly capability: boolean;
  readonly relationships: number;
  readonly recipient: Uint8Array;
  /** When it takes effect, ms: the transaction's timestamp, for a delayed revoke that much later. */
  readonly timestamp: bigint;
  readonly expires?: bigint | undefined;
  /** Delay in ms that a later revoke of this capability has to wait. */
  readonly revokeDelay?: bigint | undefined;
}

/** A service of the sender's document, or its removal. Page 07 §8.6. */
export interface ServiceRecord {
  /** The id of the generated kind: `#` and the rest of the data key. */
  readonly fragment: string;
  /** Text of the JSON object, or undefined for a removal. */
  readonly json: string | undefined;
  readonly timestamp: bigint;
}

/** The deactivation of a DID: the first one that was allowed. Page 07 §8.5. */
export interface Deactivation {
  readonly sender: Uint8Array;
  readonly timestamp: bigint;
}

/** Everything about one address; lists in chain order. */
export interface IdentityFacts {
  key(address: Uint8Array): FirstSeenKey | undefined;
  methods(address: Uint8Array): readonly MethodRecord[];
  services(address: Uint8Array): readonly ServiceRecord[];
  deactivation(address: Uint8Array): Deactivation | undefined;
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

/** The bits of all relationships. */
export const allRelationships = 0x11f;

/** Whether a record is in force at a time. The expiry is inclusive. Page 07 §8.3. */
export function isActive(
  record: {
    readonly relationships: number;
    readonly timestamp: bigint;
    readonly expires?: bigint | undefined;
  },
  time: bigint,
): boolean {
  return (
    record.relationships > 0 &&
    record.timestamp <= time &&
    (record.expires === undefined || record.expires >= time)
  );
}
