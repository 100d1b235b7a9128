/** Page 07 §8. */
import type { JsonOut } from "../bytes/json.ts";

/** The API sends the document form (`didDocument` alone) or the resolution form (all three). Page 07 §8.8. */
export interface DidResolution {
  readonly didDocument: JsonOut;
  readonly didDocumentMetadata: JsonOut;
  readonly didResolutionMetadata: JsonOut;
  /** HTTP status in resolution form: 200, 400 or 404. */
  readonly status: number;
  /** Replaces `didDocument` in document form; status 400 or 404. */
  readonly documentError?: { readonly status: number; readonly error: string } | undefined;
  /** True if the answer does not change with time. */
  readonly isCacheable?: true;
}

/** DID Resolution 1.0, sections 4 and 5. */
export interface DidRequest {
  /** An address, a DID, or a DID URL. */
  readonly did: string;
  readonly parameters: readonly (readonly [name: string, value: string])[];
  /** True if `did` may be a DID URL. */
  readonly allowsUrl: boolean;
  /** The caller's clock, ms since 1970. */
  readonly now: number;
}

export interface IdentityVersions {
  /** DID. */
  readonly id: string;
  /** In ms since 1970, ascending. */
  readonly times: readonly bigint[];
}

export type DidErrorName =
  | "invalidDid"
  | "invalidDidUrl"
  | "invalidOptions"
  | "notFound"
  | "representationNotSupported"
  | "methodNotSupported"
  | "featureNotSupported";

export interface DidAnswer {
  readonly error?: { readonly name: DidErrorName; readonly text: string } | undefined;
  /** The document or a part of it; null: none. */
  readonly content: JsonOut;
  /** Empty if the content is only a part of the document. */
  readonly metadata: JsonOut;
  readonly isDeactivated: boolean;
}

export interface IdentityQueries {
  /**
   * Resolves an address or `did:<method>:<address>[:derived:<secret>]`.
   * @param options `now`: the caller's clock, ms since 1970; `versionTime`: ISO 8601; default: `now`
   */
  resolve(
    did: string,
    options: { readonly now: number; readonly versionTime?: string | undefined },
  ): DidResolution;
  /** Answers as DID Resolution 1.0 requires. */
  answer(request: DidRequest): DidAnswer;
  /** Versions up to `now`, or an error name. */
  versions(did: string, now: number): IdentityVersions | "invalidDid" | "notFound";
  /** Counts records of methods and services, up to `limit`. */
  countRecords(did: string, limit: number): number;
}
