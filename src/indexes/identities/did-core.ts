/** Resolves DIDs and dereferences DID URLs by DID Core 1.0 and DID Resolution 1.0. */
import { encodeBase58 } from "../../bytes/base58.ts";
import { endOfSecond, isoSeconds, parseXmlDatetime } from "../../bytes/dates.ts";
import type { DidAnswer, DidRequest, IdentityVersions } from "../../interfaces.ts";
import type { FirstSeenKey } from "../../storage/values/indexes.ts";
import { type CoreDocument, coreDocument, printableDocument } from "./did-core-document.ts";
import type { IdentityFacts } from "./did-records.ts";
import { derivedAddress, identityOf } from "./did-resolution.ts";
import { parseDidUrl } from "./did-url.ts";
import { versionTimes } from "./did-versions.ts";

const RESOLUTION_PARAMETERS = ["versionId", "versionTime", "expandRelativeUrls"];
const DEREFERENCING_PARAMETERS = ["service", "serviceType"];

type Parameters = ReadonlyMap<string, string>;
type Failure = NonNullable<DidAnswer["error"]>;

function failure(name: Failure["name"], text: string): DidAnswer {
  return { error: { name, text }, content: null, metadata: {}, isDeactivated: false };
}

/** @param networkName determines the DID method: `did:lto:` for LTO */
export function answerDid(stored: IdentityFacts, networkName: string, request: DidRequest): DidAnswer {
  const method = networkName.toLowerCase();
  const prefix = `did:${method}:`;
  const url = parseDidUrl(request.did.startsWith("did:") ? request.did : prefix + request.did);
  if (url === "invalidDid") return failure(url, "this is not a DID");
  if (url === "invalidDidUrl") return failure(url, "this is not a DID URL");
  if (url.method !== method)
    return failure("methodNotSupported", `this node resolves only DIDs of the method ${method}`);
  if (url.hasUrlParts && !request.allowsUrl)
    return failure("invalidDid", "this is a DID URL: only a DID can be resolved");
  const identity = identityOf(url.specificId);
  if (identity === "invalidDid") return failure(identity, "the DID has no valid address");
  if (identity === "invalidSecret") return failure("invalidDid", "the secret of the DID is not Base58");
  const parameters = parametersOf([...new URLSearchParams(url.query), ...request.parameters], request);
  if (!(parameters instanceof Map)) return parameters;

  const { address, secret } = identity;
  const key = stored.key(address);
  if (key === undefined) return failure("notFound", "the chain has no key of this DID");
  const facts = loadRecords(stored, address);
  const time = timeOf(facts, address, key, parameters, BigInt(request.now));
  if (typeof time !== "bigint") return time;
  if (key.created > time) return failure("notFound", "the DID did not exist at that time");
  const id = prefix + url.specificId;
  const { metadata, isDeactivated } = stateAt(facts, address, key, time, BigInt(request.now));
  if (isDeactivated) return { content: null, metadata, isDeactivated };
  if (url.path !== "") return failure("notFound", "DIDs of this method have no paths");
  const derived = secret && prefix + encodeBase58(derivedAddress(address, key.publicKey, secret));
  const document = coreDocument(facts, prefix, address, time, { id, alsoKnownAs: derived });
  if (url.fragment !== "") return dereferenceFragment(document, `${id}#${url.fragment}`);
  return { content: printableDocument(document, servicesOf(document, parameters)), metadata, isDeactivated };
}

/** Returns the start times (ms) of the versions of a DID document. */
export function identityVersions(
  stored: IdentityFacts,
  networkName: string,
  did: string,
  now: number,
): IdentityVersions | "invalidDid" | "notFound" {
  const prefix = `did:${networkName.toLowerCase()}:`;
  const text = did.startsWith(prefix) ? did.slice(prefix.length) : did;
  const identity = identityOf(text);
  if (typeof identity === "string") return "invalidDid";
  const { address } = identity;
  const key = stored.key(address);
  if (key === undefined || key.created > BigInt(now)) return "notFound";
  return { id: prefix + text, times: versionTimes(stored, address, key.created, BigInt(now)) };
}

function loadRecords(stored: IdentityFacts, address: Uint8Array): IdentityFacts {
  const methods = stored.methods(address);
  const services = stored.services(address);
  const deactivation = stored.deactivation(address);
  return {
    key: (other) => stored.key(other),
    methods: () => methods,
    services: () => services,
    deactivation: () => deactivation,
  };
}

function parametersOf(
  pairs: DidRequest["parameters"],
  { allowsUrl }: DidRequest,
): Map<string, string> | DidAnswer {
  const parameters = new Map<string, string>();
  for (const [name, value] of pairs) {
    if (!RESOLUTION_PARAMETERS.includes(name) && !(allowsUrl && DEREFERENCING_PARAMETERS.includes(name)))
      return failure("featureNotSupported", `the parameter ${JSON.stringify(name)} is not supported here`);
    if (parameters.has(name)) return failure("invalidDidUrl", `${name} is given twice`);
    if (value === "") return failure("invalidDidUrl", `${name} is empty`);
    parameters.set(name, value);
  }
  if (!["true", "false", undefined].includes(parameters.get("expandRelativeUrls")))
    return failure("invalidOptions", "expandRelativeUrls must be true or false");
  if (parameters.has("versionId") && parameters.has("versionTime"))
    return failure("invalidDidUrl", "versionId and versionTime cannot be combined");
  return parameters;
}

/** Returns the requested time, ms, or an error. */
function timeOf(
  facts: IdentityFacts,
  address: Uint8Array,
  { created }: FirstSeenKey,
  parameters: Parameters,
  now: bigint,
): bigint | DidAnswer {
  const text = parameters.get("versionTime");
  if (text !== undefined) {
    const ms = parseXmlDatetime(text);
    if (ms !== undefined) return endOfSecond(ms);
    return failure("invalidDidUrl", "versionTime must be an XML datetime such as 2026-01-31T12:00:00Z");
  }
  const version = parameters.get("versionId");
  if (version === undefined) return now;
  const found = versionTimes(facts, address, created, now).find((time) => String(time) === version);
  return found ?? failure("notFound", "the DID has no such version");
}

function stateAt(
  facts: IdentityFacts,
  address: Uint8Array,
  { created }: FirstSeenKey,
  time: bigint,
  now: bigint,
): Pick<DidAnswer, "metadata" | "isDeactivated"> {
  const versions = versionTimes(facts, address, created, time > now ? time : now);
  const next = versions.find((start) => start > time);
  const version = versions.findLast((start) => start <= time) ?? created;
  const end = facts.deactivation(address)?.timestamp;
  const isDeactivated = end !== undefined && end <= time;
  const metadata = {
    created: isoSeconds(created),
    updated: version === created ? undefined : isoSeconds(version),
    deactivated: isDeactivated,
    versionId: String(version),
    nextUpdate: next === undefined ? undefined : isoSeconds(next),
    nextVersionId: next === undefined ? undefined : String(next),
  };
  return { metadata, isDeactivated };
}

function servicesOf({ id, service }: CoreDocument, parameters: Parameters): CoreDocument["service"] {
  const name = parameters.get("service");
  const type = parameters.get("serviceType");
  return service?.filter((members) => {
    const types = [members.get("type") ?? null].flat();
    const isNamed =
      name === undefined || [name, `${id}#${name}`, id + name].includes(String(members.get("id")));
    return isNamed && (type === undefined || types.includes(type));
  });
}

function dereferenceFragment(
  { verificationMethod = [], embedded, service = [] }: CoreDocument,
  id: string,
): DidAnswer {
  const content =
    [...verificationMethod, ...embedded].find((one) => one.id === id) ??
    service.find((one) => one.get("id") === id);
  if (content === undefined) return failure("notFound", "the document has no method or service with this id");
  return { content, metadata: {}, isDeactivated: false };
}
