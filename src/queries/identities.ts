/** Identities of accounts: DIDs and their documents. Page 07 §8. */
import type { JsonOut } from "../bytes/json.ts";

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
  readonly isCacheable?: true;
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

export interface IdentityQueries {
  /**
   * Resolves an address or `did:<method>:<address>[:derived:<secret>]` at a time in ms. Page 07 §8.
   * @param options `versionTime`: now (as given by the caller's clock in `now`) by default
   */
  resolve(
    did: string,
    options: { readonly now: number; readonly versionTime?: string | undefined },
  ): DidResolution;
  /** Resolves a DID, or dereferences a DID URL, in the strict form. */
  answer(request: DidRequest): DidAnswer;
  /**
   * When each version of the document of a DID or address began, ms, ascending, up to a time; or why there are none.
   * @param now the caller's clock, ms
   */
  versions(did: string, now: number): IdentityVersions | "invalidDid" | "notFound";
  /** Number of statements about methods and services of what a DID or address names, counted up to `enough`. */
  countRecords(did: string, enough: number): number;
}
