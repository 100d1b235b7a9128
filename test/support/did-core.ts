/**
 * Lists violations of DID Core 1.0. Written from the specification, independently of the code that creates documents.
 */
import { decodeBase58 } from "../../src/bytes/base58.ts";

type Members = Readonly<Record<string, unknown>>;

const RELATIONSHIPS = [
  "authentication",
  "assertionMethod",
  "keyAgreement",
  "capabilityInvocation",
  "capabilityDelegation",
];
const DOCUMENT_MEMBERS = [
  "@context",
  "id",
  "alsoKnownAs",
  "controller",
  "verificationMethod",
  ...RELATIONSHIPS,
  "service",
];
/** Fields of methods of type Multikey, as its context defines them. */
const METHOD_MEMBERS = ["id", "type", "controller", "publicKeyMultibase", "expires", "revoked"];
const MULTIKEY_CONTEXT = "https://w3id.org/security/multikey/v1";
/** Multicodec prefix, hexadecimal, and length of the key in bytes. */
const KEYS: Readonly<Record<string, number>> = { ed01: 32, ec01: 32, e701: 33, "8024": 33 };

const DID = /^did:[a-z0-9]+:(?:[A-Za-z0-9._-]|%[0-9A-Fa-f]{2}|:)*(?:[A-Za-z0-9._-]|%[0-9A-Fa-f]{2})$/;
const DID_URL_REST = /^(?:[/?#][A-Za-z0-9._~!$&'()*+,;=:@/?#%-]*)?$/;
const URI = /^[A-Za-z][A-Za-z0-9+.-]*:[A-Za-z0-9._~:/?#[\]@!$&'()*+,;=%-]+$/;
const DATETIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isDid(value: unknown): boolean {
  return typeof value === "string" && DID.test(value);
}

function isDidUrl(value: unknown): value is string {
  if (typeof value !== "string") return false;
  const end = value.search(/[/?#]/);
  return end < 0 ? DID.test(value) : DID.test(value.slice(0, end)) && DID_URL_REST.test(value.slice(end));
}

function isUri(value: unknown): boolean {
  return typeof value === "string" && URI.test(value) && (value.match(/#/g) ?? []).length <= 1;
}

function methodFaults(method: unknown, where: string): string[] {
  if (!isObject(method)) return [`${where} is no object`];
  const faults = Object.keys(method)
    .filter((name) => !METHOD_MEMBERS.includes(name))
    .map((name) => `${where} has the member ${name}`);
  if (!isDidUrl(method.id)) faults.push(`${where} has the id ${method.id}`);
  if (!isDid(method.controller)) faults.push(`${where} has the controller ${method.controller}`);
  if (method.type !== "Multikey") faults.push(`${where} has the type ${method.type}`);
  if (method.expires !== undefined && !DATETIME.test(String(method.expires)))
    faults.push(`${where} expires ${method.expires}`);
  const key = String(method.publicKeyMultibase);
  const bytes = key.startsWith("z") ? Buffer.from(decodeBase58(key.slice(1), 200)) : Buffer.alloc(0);
  const length = KEYS[bytes.subarray(0, 2).toString("hex")];
  if (length === undefined || bytes.length !== length + 2) faults.push(`${where} has the key ${key}`);
  return faults;
}

function serviceFaults(service: unknown): string[] {
  if (!isObject(service)) return ["a service is no object"];
  const { id, type, serviceEndpoint } = service;
  const faults = isUri(id) ? [] : [`a service has the id ${id}`];
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  const areTypes = types.every((one) => typeof one === "string" && one !== "");
  if (types.length === 0 || !areTypes || new Set(types).size < types.length)
    faults.push(`${id} has the type ${type}`);
  const endpoints: readonly unknown[] = Array.isArray(serviceEndpoint) ? serviceEndpoint : [serviceEndpoint];
  if (endpoints.length === 0 || !endpoints.every((one) => isUri(one) || isObject(one)))
    faults.push(`${id} has the endpoint ${JSON.stringify(serviceEndpoint)}`);
  if (/"@[^"]*":/.test(JSON.stringify(service))) faults.push(`${id} has keywords of JSON-LD`);
  return faults;
}

/** Returns the faults of a document that was resolved for a DID. */
export function documentFaults(document: unknown, did: string): string[] {
  if (!isObject(document)) return ["it is no object"];
  const faults = Object.keys(document)
    .filter((name) => !DOCUMENT_MEMBERS.includes(name))
    .map((name) => `it has the member ${name}`);
  const context = document["@context"];
  if (!Array.isArray(context) || context[0] !== "https://www.w3.org/ns/did/v1")
    faults.push("its first context is another");
  else if (!context.includes(MULTIKEY_CONTEXT)) faults.push("it lacks the context of Multikey");
  if (document.id !== did || !isDid(did)) faults.push(`it has the id ${document.id}`);
  const list = (name: string): readonly unknown[] => {
    const value = document[name];
    if (value === undefined) return [];
    if (Array.isArray(value)) return value;
    faults.push(`${name} is no list`);
    return [];
  };
  for (const other of list("alsoKnownAs")) if (!isUri(other)) faults.push(`it is also known as ${other}`);
  const methods = list("verificationMethod");
  const embedded = RELATIONSHIPS.flatMap(list).filter((one) => typeof one !== "string");
  for (const method of [...methods, ...embedded]) faults.push(...methodFaults(method, "a method"));
  const services = list("service");
  for (const service of services) faults.push(...serviceFaults(service));
  const ids = [...methods, ...embedded, ...services].map((one) => (isObject(one) ? one.id : undefined));
  if (new Set(ids).size < ids.length) faults.push(`ids are not unique: ${ids}`);
  const known = methods.map((one) => (isObject(one) ? one.id : undefined));
  for (const name of RELATIONSHIPS) {
    const references = list(name).map((one) => (isObject(one) ? one.id : one));
    if (new Set(references).size < references.length) faults.push(`${name} names one twice`);
    for (const one of list(name))
      if (typeof one === "string" && !known.includes(one)) faults.push(`${name} names ${one}`);
  }
  return faults;
}

const METADATA_MEMBERS = [
  "created",
  "updated",
  "deactivated",
  "nextUpdate",
  "versionId",
  "nextVersionId",
  "equivalentId",
  "canonicalId",
];

/** Returns the faults of a document's metadata. */
export function metadataFaults(metadata: unknown): string[] {
  if (!isObject(metadata)) return ["the metadata are no object"];
  const faults = Object.keys(metadata)
    .filter((name) => !METADATA_MEMBERS.includes(name))
    .map((name) => `the metadata have the member ${name}`);
  for (const name of ["created", "updated", "nextUpdate"]) {
    const time = metadata[name];
    if (time !== undefined && !DATETIME.test(String(time))) faults.push(`${name} is ${time}`);
  }
  for (const name of ["versionId", "nextVersionId"]) {
    const version = metadata[name];
    if (version !== undefined && !/^[ -~]+$/.test(String(version))) faults.push(`${name} is ${version}`);
  }
  if (metadata.deactivated !== undefined && typeof metadata.deactivated !== "boolean")
    faults.push(`deactivated is ${metadata.deactivated}`);
  return faults;
}

const ERRORS: Readonly<Record<string, number>> = {
  invalidDid: 400,
  invalidDidUrl: 400,
  invalidOptions: 400,
  notFound: 404,
  representationNotSupported: 406,
  methodNotSupported: 501,
  featureNotSupported: 501,
  internalError: 500,
};

/** Returns the faults of a DID resolution result with the given status. DID Resolution 1.0. */
export function resolutionFaults(result: unknown, status: number, did: string): string[] {
  if (!isObject(result)) return ["it is no object"];
  const { didDocument, didResolutionMetadata: process, didDocumentMetadata: metadata } = result;
  if (!isObject(process) || !isObject(metadata)) return ["metadata are missing"];
  const faults = metadataFaults(metadata);
  const { error } = process;
  if (error !== undefined) {
    if (ERRORS[String(error)] !== status) faults.push(`${status} for ${error}`);
    if (didDocument !== null || Object.keys(metadata).length > 0) faults.push("a failure has a document");
    const problem = process.problemDetails;
    if (!isObject(problem) || !isUri(problem.type) || typeof problem.detail !== "string")
      faults.push("a failure does not say why");
  } else if (metadata.deactivated === true) {
    if (status !== 410 || didDocument !== null) faults.push(`${status} for a deactivated DID`);
  } else {
    if (status !== 200) faults.push(`${status} for a document`);
    if (process.contentType !== "application/did") faults.push(`the type is ${process.contentType}`);
    faults.push(...documentFaults(didDocument, did));
  }
  return faults;
}
