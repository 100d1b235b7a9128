/** The strict form of DID documents: DID Resolution 1.0, HTTP binding; `docs/did-method.md`. */
import Type, { type TSchema } from "typebox";
import { type JsonOut, printJson } from "../../../bytes/json.ts";
import { type MediaRange, parseAccept } from "../../../http/responses/accept.ts";
import { Reply } from "../../../http/responses/reply.ts";
import type { DidAnswer, DidErrorName } from "../../../interfaces.ts";
import type { ReadCall } from "../../route.ts";
import { object } from "../../schemas/common.ts";
import type { ResponseDescription } from "../../schemas/failures.ts";

const RESOLUTION = "application/did-resolution";
const DEREFERENCING = "application/did-url-dereferencing";
const DOCUMENT = "application/did";
/** Media types of DID Core 1.0. */
const CORE_TYPES: readonly string[] = ["application/did+ld+json", "application/did+json"];
const CORE_PROFILE = "https://www.w3.org/ns/did/v1";

type StrictType = typeof RESOLUTION | typeof DEREFERENCING | typeof DOCUMENT | (typeof CORE_TYPES)[number];

/** `index`: the indexer's form or the strict form; `resolver`: only the strict form. */
type Endpoint = "index" | "resolver";

/** Returns `other` for types of the indexer's form. */
function typeOfRange(
  { type, subtype, parameters }: MediaRange,
  endpoint: Endpoint,
): StrictType | "unsupported" | "other" {
  const name = `${type}/${subtype}`;
  const profile = parameters.get("profile")?.replace(/^"(.*)"$/, "$1");
  const isCore = profile === CORE_PROFILE && parameters.size === 1;
  if (CORE_TYPES.includes(name)) return isCore || endpoint === "resolver" ? name : "other";
  if (name === DOCUMENT) return isCore || parameters.size === 0 ? name : "unsupported";
  if (name === RESOLUTION || name === DEREFERENCING) return parameters.size === 0 ? name : "unsupported";
  return name === "application/did+cbor" ? "unsupported" : "other";
}

/**
 * Returns the media type of the answer; undefined for the indexer's form. Among the supported types that the header
 * names, the one with the highest quality wins, then the first. Wildcards count only if no supported type is named.
 */
export function strictType(
  accept: string | undefined,
  endpoint: Endpoint = "index",
): StrictType | "unsupported" | undefined {
  if (accept === undefined || !/application\/did/i.test(accept)) return undefined;
  const ranges = (parseAccept(accept) ?? []).filter(({ quality }) => quality > 0);
  const named = ranges.filter(({ subtype }) => subtype !== "*").sort((a, b) => b.quality - a.quality);
  const types = named.map((range) => typeOfRange(range, endpoint));
  const best = types.find((type) => type !== "unsupported");
  if (best !== undefined) return best === "other" ? undefined : best;
  return types.length > 0 && named.length === ranges.length ? "unsupported" : undefined;
}

const ERRORS: Readonly<Record<DidErrorName, { readonly status: number; readonly title: string }>> = {
  invalidDid: { status: 400, title: "Invalid DID" },
  invalidDidUrl: { status: 400, title: "Invalid DID URL" },
  invalidOptions: { status: 400, title: "Invalid options" },
  notFound: { status: 404, title: "Not found" },
  representationNotSupported: { status: 406, title: "Representation not supported" },
  methodNotSupported: { status: 501, title: "Method not supported" },
  featureNotSupported: { status: 501, title: "Feature not supported" },
};

/** For example, the URL for `notFound` ends in `#NOT_FOUND`. */
function problemType(name: DidErrorName): string {
  return `https://www.w3.org/ns/did#${name.replace(/[A-Z]/g, "_$&").toUpperCase()}`;
}

function resolutionMetadata({ error, content }: DidAnswer, contentType: string): JsonOut {
  if (error === undefined) return content === null ? {} : { contentType };
  const { title } = ERRORS[error.name];
  return { error: error.name, problemDetails: { type: problemType(error.name), title, detail: error.text } };
}

function strictReply(answer: DidAnswer, type: StrictType): Reply {
  const { content, metadata, error, isDeactivated } = answer;
  const isResult = type === RESOLUTION || type === DEREFERENCING;
  const status = error !== undefined ? ERRORS[error.name].status : isDeactivated ? 410 : 200;
  const headers = { vary: "Accept" };
  if (!isResult && status === 200) return new Reply({ type, headers, body: printJson(content) });
  const resolution = resolutionMetadata(answer, isResult ? DOCUMENT : type);
  const isResolution = type !== DEREFERENCING;
  const body: JsonOut = isResolution
    ? { didDocument: content, didResolutionMetadata: resolution, didDocumentMetadata: metadata }
    : { content, dereferencingMetadata: resolution, contentMetadata: metadata };
  return new Reply({
    status,
    type: isResolution ? RESOLUTION : DEREFERENCING,
    headers,
    body: printJson(body),
  });
}

/** Returns undefined if the client requests the indexer's form. */
export function strictAnswer(call: ReadCall, did: string): Reply | undefined {
  const type = strictType(call.readRequest.accept);
  return type === undefined ? undefined : answerAs(call, did, type);
}

export function resolverAnswer(call: ReadCall, did: string): Reply {
  return answerAs(call, did, strictType(call.readRequest.accept, "resolver") ?? RESOLUTION);
}

function answerAs(call: ReadCall, did: string, type: StrictType | "unsupported"): Reply {
  if (type === "unsupported") {
    const text = `only ${[DOCUMENT, RESOLUTION, DEREFERENCING].join(", ")} are supported`;
    const error = { name: "representationNotSupported", text } as const;
    return strictReply({ error, content: null, metadata: {}, isDeactivated: false }, RESOLUTION);
  }
  const request = {
    did,
    parameters: call.queryParameters(),
    allowsUrl: type !== RESOLUTION,
    now: call.readRequest.now,
  };
  const answer = call.read((chain) => chain.identities.answer(request));
  return strictReply(answer, type);
}

export const Did = Type.String({ description: "A DID." });
const Multikey = object(
  {
    id: Type.String(),
    type: Type.Enum(["Multikey"]),
    controller: Did,
    expires: Type.Optional(Type.String({ description: "The key expires at this time." })),
    publicKeyMultibase: Type.String({ description: "`z` and the Base58 of multicodec and key." }),
  },
  "DidMultikey",
);
const VerificationMethods = Type.Optional(Type.Array(Type.Union([Type.String(), Multikey])));
const Service = Type.Record(Type.String(), Type.Unknown());
const Document = object(
  {
    "@context": Type.Array(Type.String()),
    id: Did,
    alsoKnownAs: Type.Optional(Type.Array(Did)),
    verificationMethod: Type.Optional(Type.Array(Multikey)),
    authentication: VerificationMethods,
    assertionMethod: VerificationMethods,
    keyAgreement: VerificationMethods,
    capabilityInvocation: VerificationMethods,
    capabilityDelegation: VerificationMethods,
    // Owners may add any members.
    service: Type.Optional(Type.Array(Service)),
  },
  "CoreDidDocument",
);
const Time = Type.Optional(Type.String({ description: "XML datetime in UTC." }));
const VersionId = Type.Optional(Type.String({ description: "Version id." }));
const DocumentMetadata = object(
  {
    created: Time,
    updated: Time,
    deactivated: Type.Optional(Type.Boolean()),
    versionId: VersionId,
    nextUpdate: Time,
    nextVersionId: VersionId,
  },
  "DidDocumentMetadata",
);
const ProcessMetadata = object(
  {
    contentType: Type.Optional(Type.String()),
    error: Type.Optional(Type.String()),
    problemDetails: Type.Optional(
      object({ type: Type.String(), title: Type.String(), detail: Type.String() }, "DidProblem"),
    ),
  },
  "DidProcessMetadata",
);
export const ResolutionResult = object(
  {
    didDocument: Type.Union([Document, Type.Null()]),
    didResolutionMetadata: ProcessMetadata,
    didDocumentMetadata: DocumentMetadata,
  },
  "DidResolutionResult",
);
const Part = Type.Union([Document, Multikey, Service]);
const Dereferenced = object(
  {
    content: Type.Union([Part, Type.Null()]),
    dereferencingMetadata: ProcessMetadata,
    contentMetadata: DocumentMetadata,
  },
  "DidUrlDereferencingResult",
);

const RESULT_SCHEMAS = { [RESOLUTION]: ResolutionResult, [DEREFERENCING]: Dereferenced };

export const STRICT_FORMS: Readonly<Record<string, TSchema>> = {
  ...Object.fromEntries([DOCUMENT, ...CORE_TYPES].map((type) => [type, Part])),
  ...RESULT_SCHEMAS,
};

export const RESOLVER_FORMS: Readonly<Record<string, TSchema>> = { ...RESULT_SCHEMAS, ...STRICT_FORMS };

export function strictFailure(
  description: string,
  otherContent: ResponseDescription["content"] = {},
): ResponseDescription {
  const results = Object.entries(RESULT_SCHEMAS).map(([type, schema]) => [type, [schema]] as const);
  return { description, content: { ...otherContent, ...Object.fromEntries(results) } };
}
