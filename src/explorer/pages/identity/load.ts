import { type Answer, FailedRequestError } from "../../../client/index.ts";
import { attempt } from "../../data/use-query.ts";
import { type Attempt, type PageContext, PageProblem, type Params } from "../../page.ts";
import { parseCredential } from "../../search/parse-search.ts";
import { parseTime } from "./document.ts";
import { identityTexts as texts } from "./texts.ts";

type Resolution = Answer<"GET /1.0/identifiers/:did">;
export type CredentialStatus = Answer<"GET /credential-status/:id">;

export type IdentityData = Awaited<ReturnType<typeof loadIdentity>>;

type CredentialQuery =
  | { readonly text: string; readonly problem: { readonly message: string; readonly advice: string } }
  | { readonly text: string; readonly id: string; readonly status: Attempt<CredentialStatus> };

const MAX_VERSIONS = 1_000;
const DID_PATTERN =
  /^(?:did:[a-z0-9]+:)?[1-9A-HJ-NP-Za-km-z]{30,40}(?::derived:[1-9A-HJ-NP-Za-km-z]{1,1024})?$/;

/** Removes path, query and fragment of a DID URL. @throws PageProblem */
function parseDid(text: string): string {
  const did = text.trim().replace(/[/?#].*$/s, "");
  if (DID_PATTERN.test(did)) return did;
  throw new PageProblem("malformed", texts.invalid, texts.invalidAdvice);
}

function toPageProblem(error: unknown): unknown {
  if (!(error instanceof FailedRequestError)) return error;
  if (error.status === 404) return new PageProblem("unknown", texts.unknown, texts.unknownAdvice);
  if (error.status === 400 || error.status === 501)
    return new PageProblem("malformed", texts.otherNetwork, texts.otherNetworkAdvice);
  return error;
}

/** Also resolves a deactivated identity. */
async function resolve(
  { node }: PageContext,
  did: string,
  version: { readonly versionId: string } | { readonly versionTime: string },
): Promise<Resolution> {
  const headers = { accept: "application/did-resolution" };
  try {
    const answer = await node.client.call("GET /identifiers/:did", {
      params: { did },
      query: version,
      headers,
    });
    // The `accept` header selects this form.
    return answer as unknown as Resolution;
  } catch (error) {
    if (error instanceof FailedRequestError && error.status === 410)
      return error.answer as unknown as Resolution;
    throw toPageProblem(error);
  }
}

/** Only answers to this `accept` header name the deactivator. */
async function findDeactivator({ node }: PageContext, did: string): Promise<string | undefined> {
  const accept = 'application/ld+json;profile="https://w3id.org/did-resolution"';
  const call = node.client.call("GET /identifiers/:did", { params: { did }, headers: { accept } });
  const answer = await attempt(node, call);
  if (!answer.ok || !("didDocumentMetadata" in answer.value)) return undefined;
  const { didDocumentMetadata: metadata } = answer.value;
  return "deactivatedBy" in metadata ? metadata.deactivatedBy : undefined;
}

async function resolveAt(context: PageContext, did: string, time: bigint): Promise<Resolution | undefined> {
  try {
    return await resolve(context, did, { versionTime: new Date(Number(time)).toISOString() });
  } catch (error) {
    if (error instanceof PageProblem && error.kind === "unknown") return undefined;
    throw error;
  }
}

/** A version's id is its start time in ms since 1970. */
function versionStart(versionId: string | undefined): bigint | undefined {
  return versionId !== undefined && /^-?\d{1,19}$/.test(versionId) ? BigInt(versionId) : undefined;
}

/** @throws PageProblem for an invalid or unknown DID */
export async function loadIdentity(params: Params, query: URLSearchParams, context: PageContext) {
  const { node } = context;
  const listed = await node.client
    .call("GET /identities/:address/versions", {
      params: { address: parseDid(params.did ?? "") },
      query: { limit: MAX_VERSIONS },
    })
    .catch((error: unknown) => {
      throw toPageProblem(error);
    });
  const versions = listed.versions.map(({ timestamp }) => timestamp).reverse();
  const did = listed.id;
  const time = parseTime(query.get("time") ?? undefined);
  // Version at `time`, by default the newest; -1 if all listed versions are later.
  const listedIndex = versions.findLastIndex((start) => time === undefined || start <= time);
  const isListed = listedIndex >= 0 || time === undefined || listed.total === versions.length;
  const answerAtTime = isListed ? undefined : await resolveAt(context, did, time);
  const from = versionStart(answerAtTime?.didDocumentMetadata.versionId);
  // The node extends `versionTime` to the end of its second, so the result may be a listed version.
  const isOlder = from !== undefined && from < versions[0];
  const older = isOlder
    ? { from, to: versionStart(answerAtTime?.didDocumentMetadata.nextVersionId) }
    : undefined;
  const index = older === undefined ? Math.max(listedIndex, 0) : -1;
  const answer = answerAtTime ?? (await resolve(context, did, { versionId: String(versions[index]) }));
  const { didDocument, didDocumentMetadata: metadata } = answer;
  const text = query.get("credential")?.trim() ?? "";
  const baseDid = did.includes(":derived:") ? did.replace(/:derived:.*$/, "") : undefined;
  const issuer = baseDid ?? did;
  return {
    did,
    baseDid,
    address: issuer.replace(/^.*:/, ""),
    /** Start times of the newest versions, ms since 1970, oldest first. */
    versions,
    total: listed.total,
    /** Position of the shown version in `versions`; -1 for `older`. */
    index,
    /** Start and end of a version before `versions`, ms since 1970. */
    older,
    /** True if the identity did not exist yet at the requested time. */
    isTooEarly: listedIndex < 0 && answerAtTime === undefined,
    document: didDocument ?? undefined,
    metadata,
    deactivatedBy: metadata.deactivated === true ? await findDeactivator(context, did) : undefined,
    answer,
    credential: text === "" ? undefined : await loadCredential(text, issuer, context),
  };
}

async function loadCredential(text: string, issuer: string, { node }: PageContext): Promise<CredentialQuery> {
  const { chainId } = await node.loadNetwork();
  const parsed = parseCredential(text, chainId);
  if (parsed.kind === "nothing") return { text, problem: parsed };
  const { id } = parsed;
  const query = { issuer, limit: 1_000 };
  const call = node.client.call("GET /credential-status/:id", { params: { id }, query });
  return { text, id, status: await attempt(node, call) };
}
