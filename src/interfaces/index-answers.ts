/** What is read of the indexes: anchors, votes, roles, identities, credentials, sums by day. */
import type { JsonOut } from "../bytes/json.ts";
import type { PathStep } from "../chainpoint/merkle.ts";
import type { PublicKey } from "../crypto/key-types.ts";
import type { DataEntry } from "../transactions/data-entry.ts";
import type { ListPage } from "./chain-answers.ts";

/** Where a hash was anchored first. Page 07 §7.1. */
export interface AnchorInfo {
  readonly transactionId: Uint8Array;
  readonly height: number;
  readonly position: number;
}

/** What a hash is proved by that is a leaf of a tree of this node: the tree's root, and the way there. */
export interface LeafProof {
  readonly root: Uint8Array;
  readonly path: readonly PathStep[];
}

/** A (key, value) pair of a mapped anchor. Page 07 §7.7. */
export interface MappedAnchorInfo extends AnchorInfo {
  readonly value: Uint8Array;
  readonly sender: Uint8Array;
}

/** Voting figures of one feature. Page 06 §7.17. */
export interface FeatureInfo {
  readonly id: number;
  readonly approvalHeight?: number | undefined;
  readonly activationHeight?: number | undefined;
  /** Blocks of the current window that vote for it. */
  readonly votes: number;
}

/** Figures of fee price voting at the tip. Page 06 §7.4. */
export interface FeeVoteInfo {
  readonly price: bigint;
  readonly votes: number;
  readonly period: number;
  readonly nextPrice: bigint;
  readonly nextActivationHeight: number;
}

/** Roles of an address in the trust network. Page 07 §9.2. */
export interface TrustRoles {
  readonly roles: readonly string[];
  readonly issuesRoles: readonly { readonly type: bigint; readonly role: string }[];
  readonly issuesAuthorization: readonly string[];
}

/** A role that an account was given, by whom, and by which association type. Page 07 §9.3. */
export interface RoleGrant {
  readonly role: string;
  readonly sender: Uint8Array;
  readonly type: bigint;
}

/** An account that was given roles, and holds them still. */
export interface RoleHolder {
  readonly address: Uint8Array;
  readonly grants: readonly RoleGrant[];
}

/** Answer of DID resolution; the HTTP layer chooses between document and resolution form. Page 07 §8.8. */
export interface DidResolution {
  readonly didDocument: JsonOut;
  readonly didDocumentMetadata: JsonOut;
  readonly didResolutionMetadata: JsonOut;
  /** Status of the resolution form: 200, 400 or 404. */
  readonly status: number;
  /** The document form is answered with 200 and `didDocument`; otherwise with this error name and 404 or 400. */
  readonly documentError?: { readonly status: number; readonly error: string } | undefined;
  /** Stays as it is for as long as the chain does: nothing that is known of the identity begins or ends later. */
  readonly lasting?: true;
}

/** What the strict form is asked for. DID Resolution 1.0, sections 4 and 5. */
export interface DidRequest {
  /** An address, a DID, or a DID URL. */
  readonly did: string;
  /** DID parameters and options that came beside it, in order. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
  /** Whether a DID URL may be dereferenced; else only a DID is resolved. */
  readonly dereferences: boolean;
  /** The caller's clock, ms. */
  readonly now: number;
}

/** The versions of a DID document. */
export interface IdentityVersions {
  readonly id: string;
  readonly times: readonly bigint[];
}

/** What keeps a DID from being resolved, by the names of DID Core 1.0 and DID Resolution. */
export type DidErrorName =
  | "invalidDid"
  | "invalidDidUrl"
  | "invalidOptions"
  | "notFound"
  | "representationNotSupported"
  | "methodNotSupported"
  | "featureNotSupported";

/** Answer in the strict form. */
export interface DidAnswer {
  readonly error?: { readonly name: DidErrorName; readonly text: string } | undefined;
  /** The document or a part of it; null for none. */
  readonly content: JsonOut;
  /** Metadata of the document; empty for a part, and when there is none. */
  readonly metadata: JsonOut;
  readonly isDeactivated: boolean;
}

/**
 * The indexes beside the lists that routes of the node read. An operator may switch them (page 07 §4.2), but for `keys`
 * and `trust`.
 */
export type IndexName =
  | "transactions"
  | "anchors"
  | "associations"
  | "identities"
  | "trust"
  | "keys"
  | "credentials"
  | "statistics"
  | "generators";

/** How far an index is. */
export interface IndexProgress {
  readonly name: IndexName;
  /**
   * `ready`: it holds what the chain says; `building`: it is being made from the stored blocks; `clearing`: what it held
   * is removed, because it was switched off or has to be made anew; `off`.
   */
  readonly state: "ready" | "building" | "clearing" | "off";
  /** Whether it will be ready in the end: not when it was switched off. */
  readonly wanted: boolean;
  /** Height up to which it is made. */
  readonly height: number;
}

/** A statement about a credential. Page 07 §11. */
export interface CredentialStatementInfo {
  /** `issue`, `revoke`, `suspend`, `reinstate`, `dispute` or `acknowledge`. */
  readonly name: string;
  /** Of the transaction, ms. */
  readonly timestamp: bigint;
  /** Address. */
  readonly signer: Uint8Array;
  readonly signerKey: PublicKey;
  /** Name of the key's type in DID documents. */
  readonly methodType: string;
  readonly data: readonly DataEntry[];
  readonly height: number;
  readonly position: number;
}

/** Which statements are asked for. */
export interface CredentialQuery extends ListPage {
  /** Only those that count for this account; null: for one that nobody may speak for; undefined: all. */
  readonly issuer?: Uint8Array | null | undefined;
}

/** What is stated about a credential; the times are ms. */
export interface CredentialStatusInfo {
  /** Whether anything was ever stated about it, by whomever. */
  readonly known: boolean;
  /** How many of the statements count. */
  readonly total: number;
  /** Of these, a page, oldest first: fewer than were asked for where they are large. */
  readonly statements: readonly CredentialStatementInfo[];
  /** Whether something stands behind the page. */
  readonly goesOn: boolean;
  readonly issued?: bigint | undefined;
  readonly suspended?: bigint | undefined;
  readonly revoked?: bigint | undefined;
}

/** What the blocks of a day come to; amounts in 10^-8 tokens. Page 07 §13. */
export interface DayStatistics {
  readonly blocks: number;
  readonly operations: number;
  /** Of the group that was asked for. */
  readonly transactions: number;
  readonly leaseIn: bigint;
  readonly leaseOut: bigint;
  /** How much there was, and how much of it was lent, behind the last block up to then; 0 before the chain began. */
  readonly supply: bigint;
  readonly leased: bigint;
}

/** What an account forged within some time. */
export interface ForgerInfo {
  readonly address: Uint8Array;
  readonly blocks: number;
  /** In 10^-8 tokens. */
  readonly reward: bigint;
}
