/** Page 07 §8.8, §18.3; page 00, part A, 4.3. */
import Type, { type TSchema } from "typebox";
import { type JsonOut, printJson } from "../../../bytes/json.ts";
import { stripAddressPrefix } from "../../../crypto/addresses.ts";
import { Reply } from "../../../http/responses/reply.ts";
import type { DidResolution } from "../../../interfaces.ts";
import { ROOT } from "../../openapi/dev-examples.ts";
import { type Answer, get, indexRoutesOf, type ReadCall } from "../../route.ts";
import { base58, object } from "../../schemas/common.ts";
import { failsInIndex, type ResponseDescription } from "../../schemas/failures.ts";
import { indexError } from "../statistics/index-query.ts";
import {
  Did,
  RESOLVER_FORMS,
  ResolutionResult,
  resolverAnswer,
  STRICT_FORMS,
  strictAnswer,
  strictFailure,
  strictType,
} from "./did-forms.ts";

const RESOLUTION_ACCEPT = 'application/ld+json;profile="https://w3id.org/did-resolution"';
/** The parameters are in the reference's order. */
const RESOLUTION_CONTENT_TYPE =
  'application/ld+json; charset=utf-8; profile="https://w3id.org/did-resolution"';

const VARY_HEADERS = { vary: "Accept" } as const;

function wantsResolution(call: ReadCall): boolean {
  const { accept = "" } = call.readRequest;
  if (call.info.didResponse === "document") return accept.includes(RESOLUTION_ACCEPT);
  return !accept.includes("application/did+ld+json") && !accept.includes("application/json");
}

/** Returns undefined (not cached) for the strict form, which depends on the time. */
function cacheKey(call: ReadCall): string | undefined {
  if (strictType(call.readRequest.accept) !== undefined) return undefined;
  return wantsResolution(call) ? "resolution" : "document";
}

function resolutionReply(resolution: DidResolution): Reply {
  const { didDocument, didDocumentMetadata, didResolutionMetadata } = resolution;
  const body: JsonOut = {
    "@context": "https://w3id.org/did-resolution/v1",
    didDocument,
    didDocumentMetadata,
    didResolutionMetadata,
  };
  const { status, isCacheable } = resolution;
  return new Reply({
    status,
    type: RESOLUTION_CONTENT_TYPE,
    headers: VARY_HEADERS,
    body: printJson(body),
    cacheable: isCacheable === true,
  });
}

/** Identities with at least this many records need a reader thread. */
const LONG_HISTORY_RECORDS = 50;

export function hasLongHistory(call: ReadCall, did: string): boolean {
  return (
    call.read((chain) => chain.identities.countRecords(did, LONG_HISTORY_RECORDS)) >= LONG_HISTORY_RECORDS
  );
}

function resolve(call: ReadCall, did: string): Answer {
  const strict = strictAnswer(call, did);
  if (strict !== undefined) return strict;
  // A repeated time is invalid; an empty one counts as missing.
  const times = call.queryAll("versionTime");
  const versionTime = times.length > 1 ? "given twice" : times[0] || undefined;
  const { now } = call.readRequest;
  const resolution = call.read((chain) => chain.identities.resolve(did, { now, versionTime }));
  if (wantsResolution(call)) return resolutionReply(resolution);
  const { documentError, didDocument, isCacheable } = resolution;
  if (documentError === undefined)
    return new Reply({
      body: printJson(didDocument),
      headers: VARY_HEADERS,
      cacheable: isCacheable === true,
    });
  throw indexError(documentError.error, documentError.status);
}

export const DidText = Type.String({ description: "A DID or an address.", examples: [`did:lto:${ROOT}`] });
const versionTime = Type.String({
  description: "Time at which the document was valid, ISO 8601; now by default.",
  format: "date-time",
  examples: ["2100-01-01T00:00:00Z"],
});
const versionId = Type.String({
  description: "Strict form only: version of the document, as in its metadata.",
  examples: ["1577836800000"],
});
const service = Type.String({
  description: "Strict form only: returns only the service with this fragment.",
  examples: ["files"],
});
const serviceType = Type.String({
  description: "Strict form only: returns only services of this type.",
  examples: ["LinkedDomains"],
});

const References = Type.Array(Type.String({ description: "Id of a verification method." }));
const VerificationMethod = object({
  id: Type.String(),
  type: Type.String(),
  controller: Did,
  publicKeyMultibase: Type.String(),
});
/** For an identity that does not exist yet or any more. */
const EmptyDocument = object(
  {
    "@context": Type.String(),
    id: Did,
    verificationMethod: Type.Array(VerificationMethod),
  },
  "EmptyDidDocument",
);
const Document = object(
  {
    "@context": Type.Array(Type.String()),
    id: Did,
    alsoKnownAs: Type.Optional(Type.Array(Did)),
    verificationMethod: Type.Array(VerificationMethod),
    authentication: References,
    assertionMethod: References,
    keyAgreement: Type.Array(Type.Union([Type.String(), VerificationMethod])),
    capabilityInvocation: Type.Array(Type.Union([Type.String(), VerificationMethod])),
    capabilityDelegation: References,
    service: Type.Array(Type.Record(Type.String(), Type.Unknown())),
  },
  "DidDocument",
);
const Time = Type.Optional(Type.String({ description: "ISO 8601 in UTC." }));
const FailedResolution = object(
  {
    "@context": Type.String(),
    didDocument: object({}),
    didDocumentMetadata: object({}),
    didResolutionMetadata: object({ contentType: Type.String(), error: Type.String() }),
  },
  "FailedDidResolution",
);
const Resolution = object(
  {
    "@context": Type.String(),
    didDocument: Type.Union([Document, EmptyDocument]),
    didDocumentMetadata: object({
      created: Time,
      updated: Time,
      deactivated: Type.Boolean(),
      deactivatedBy: Type.Optional(Did),
      nextUpdate: Time,
      lastUpdate: Time,
    }),
    didResolutionMetadata: object({
      contentType: Type.String(),
      did: object({ didString: Did, method: Type.String(), methodSpecificId: Type.String() }),
      networkId: Type.String(),
    }),
  },
  "DidResolution",
);

const RESOLUTION_MEDIA_TYPE = "application/ld+json";

function failsInAnyForm(description: string): ResponseDescription {
  const { content } = failsInIndex(description);
  return strictFailure(description, { ...content, [RESOLUTION_MEDIA_TYPE]: [FailedResolution] });
}

const STRICT_FAILURES = {
  406: strictFailure("The representation is not supported."),
  410: strictFailure("The DID is deactivated."),
  501: strictFailure("The DID method or the parameter is not supported."),
} as const;

const FAILURES = {
  400: failsInAnyForm("The time or the DID is not valid."),
  404: failsInAnyForm("The DID is unknown or deactivated."),
  ...STRICT_FAILURES,
};

function didRoute<const Path extends string, const Params extends Readonly<Record<string, TSchema>>>(
  path: Path,
  params: Params,
  summary: string,
  didOf: (call: ReadCall) => string,
) {
  return get(path, {
    summary,
    request: { params, query: { versionTime, versionId, service, serviceType } },
    answers: {
      ok: Type.Union([Document, Resolution]),
      forms: { "application/json": Document, [RESOLUTION_MEDIA_TYPE]: Resolution, ...STRICT_FORMS },
      failures: FAILURES,
    },
    cost: {
      cacheable: true,
      cacheKey,
      indexes: ["keys", "identities"],
      isExpensive: (call: ReadCall) => hasLongHistory(call, didOf(call)),
    },
    runsInReader: true,
    handle: (call: ReadCall) => resolve(call, didOf(call)),
  });
}

export const identityRoutes = indexRoutesOf("identities", [
  didRoute("/identities/:address", { address: DidText }, "DID document of an account", (call) =>
    stripAddressPrefix(call.param("address")),
  ),
  didRoute(
    "/identities/:address/derived/:secret",
    { address: DidText, secret: base58("Secret of the derived identity.", "2ecUjVz") },
    "DID document of an identity derived with a secret",
    (call) => {
      const secret = call.param("secret");
      // A colon would end the secret.
      if (secret.includes(":") && strictType(call.readRequest.accept) === undefined)
        throw indexError("invalid-secret");
      return `${stripAddressPrefix(call.param("address"))}:derived:${secret}`;
    },
  ),
  didRoute("/identifiers/:did", { did: DidText }, "DID document of a DID or an account", (call) =>
    stripAddressPrefix(call.param("did")),
  ),
  get("/1.0/identifiers/:did", {
    summary: "DID resolution",
    request: {
      params: { did: DidText },
      // The OpenAPI example sends all listed parameters; the others exclude each other.
      query: { versionTime },
    },
    answers: {
      ok: ResolutionResult,
      forms: RESOLVER_FORMS,
      failures: {
        400: strictFailure("The DID or a parameter is not valid."),
        404: strictFailure("The DID is unknown."),
        ...STRICT_FAILURES,
      },
    },
    cost: { indexes: ["keys", "identities"], isExpensive: (call) => hasLongHistory(call, call.param("did")) },
    runsInReader: true,
    handle: (call) => resolverAnswer(call, call.param("did")),
  }),
]);
