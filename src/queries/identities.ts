/** DIDs and their documents. Page 07 §8. */
import type { JsonOut } from "../bytes/json.ts";

/** The HTTP layer selects the document or resolution form. Page 07 §8.8. */
export interface DidResolution {
  readonly didDocument: JsonOut;
  readonly didDocumentMetadata: JsonOut;
  readonly didResolutionMetadata: JsonOut;
  /** Status of the resolution form: 200, 400 or 404. */
  readonly status: number;
  /** Error of the document form, status 404 or 400; without it, `didDocument` with status 200. */
  readonly documentError?: { readonly status: number; readonly error: string } | undefined;
  /** True if the result depends only on the chain: nothing begins or expires later. */
  readonly isCacheable?: true;
}

/** A request in the strict form. DID Resolution 1.0, sections 4 and 5. */
export interface DidRequest {
  /** An address, a DID, or a DID URL. */
  readonly did: string;
  /** Further DID parameters and options, in order. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
  /** False: only DIDs are resolved, no DID URLs dereferenced. */
  readonly dereferences: boolean;
  /** The caller's clock, ms. */
  readonly now: number;
}

export interface IdentityVersions {
  readonly id: string;
  readonly times: readonly bigint[];
}

/** Errors of DID Core 1.0 and DID Resolution. */
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
  /** The document or a part of it; null for none. */
  readonly content: JsonOut;
  /** Metadata of the document; empty for a part and without a document. */
  readonly metadata: JsonOut;
  readonly isDeactivated: boolean;
}

export interface IdentityQueries {
  /**
   * Resolves an address or `did:<method>:<address>[:derived:<secret>]` at a time. Page 07 §8.
   * @param options `now`: the caller's clock, ms; `versionTime`: `now` by default
   */
  resolve(
    did: string,
    options: { readonly now: number; readonly versionTime?: string | undefined },
  ): DidResolution;
  /** Resolves a DID or dereferences a DID URL, in the strict form. */
  answer(request: DidRequest): DidAnswer;
  /**
   * Start times of a document's versions up to now, ms, ascending; or why there are none.
   * @param now the caller's clock, ms
   */
  versions(did: string, now: number): IdentityVersions | "invalidDid" | "notFound";
  /** Number of statements about methods and services, up to `enough`. */
  countRecords(did: string, enough: number): number;
}
