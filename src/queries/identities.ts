/** DIDs and their documents. Page 07 §8. */
import type { JsonOut } from "../bytes/json.ts";

/** Result of resolving a DID. The HTTP layer chooses between its document and its resolution form. Page 07 §8.8. */
export interface DidResolution {
  readonly didDocument: JsonOut;
  readonly didDocumentMetadata: JsonOut;
  readonly didResolutionMetadata: JsonOut;
  /** HTTP status of the resolution form: 200, 400 or 404. */
  readonly status: number;
  /**
   * Error of the document form, with status 400 or 404. If it is undefined, the document form is `didDocument` with
   * status 200.
   */
  readonly documentError?: { readonly status: number; readonly error: string } | undefined;
  /** True if the result depends only on the chain, because no part of it begins or expires at a later time. */
  readonly isCacheable?: true;
}

/** A request in the strict form, which follows DID Resolution 1.0, sections 4 and 5. */
export interface DidRequest {
  /** An address, a DID, or a DID URL. */
  readonly did: string;
  /** Other DID parameters and options, in order. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
  /** True to also dereference DID URLs. Otherwise only DIDs are resolved. */
  readonly dereferences: boolean;
  /** Time on the caller's clock, in milliseconds since 1970. */
  readonly now: number;
}

/** Versions of a DID document. */
export interface IdentityVersions {
  readonly id: string;
  /** Start times of the versions, in milliseconds since 1970, ascending. */
  readonly times: readonly bigint[];
}

/** Names of errors, as defined by DID Core 1.0 and DID Resolution 1.0. */
export type DidErrorName =
  | "invalidDid"
  | "invalidDidUrl"
  | "invalidOptions"
  | "notFound"
  | "representationNotSupported"
  | "methodNotSupported"
  | "featureNotSupported";

/** An answer in the strict form. */
export interface DidAnswer {
  readonly error?: { readonly name: DidErrorName; readonly text: string } | undefined;
  /** The document or a part of it; null if there is none. */
  readonly content: JsonOut;
  /** Metadata of the document; empty if the content is a part of the document or null. */
  readonly metadata: JsonOut;
  readonly isDeactivated: boolean;
}

export interface IdentityQueries {
  /**
   * Resolves an address or `did:<method>:<address>[:derived:<secret>]` at a time. Page 07 §8.
   * @param options `now`: time on the caller's clock, in milliseconds since 1970; `versionTime`: `now` by default
   */
  resolve(
    did: string,
    options: { readonly now: number; readonly versionTime?: string | undefined },
  ): DidResolution;
  /** Resolves a DID or dereferences a DID URL, in the strict form. */
  answer(request: DidRequest): DidAnswer;
  /**
   * Returns the versions of a document up to now, or an error name if there are none.
   * @param now time on the caller's clock, in milliseconds since 1970
   */
  versions(did: string, now: number): IdentityVersions | "invalidDid" | "notFound";
  /** Counts the statements about methods and services. Stops counting at `enough`. */
  countRecords(did: string, enough: number): number;
}
