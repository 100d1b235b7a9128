import { encodeBase58 } from "../../bytes/base58.ts";
import { decodeHex } from "../../bytes/hex.ts";
import { type Client, FailedRequestError } from "../../client/index.ts";
import { undefinedIfMissing } from "../data/use-query.ts";
import { addressLink, pageLink } from "../links.ts";
import type { Candidate } from "./parse-search.ts";
import { resultLink } from "./suggestions.ts";
import { lookupTexts as texts } from "./texts.ts";

export interface Finding {
  readonly candidate: Candidate;
  readonly found: boolean;
  readonly summary: string;
  /** The linked page may not exist yet. */
  readonly link?: string | undefined;
}

type LookupResult = Omit<Finding, "candidate">;

const MISSING_STATUSES = [400, 404, 410];

const ifFound = <T>(answer: Promise<T>): Promise<T | undefined> =>
  undefinedIfMissing(answer, MISSING_STATUSES);

async function findTransaction(client: Client, id: string): Promise<LookupResult> {
  const params = { id };
  const find = async (): Promise<LookupResult | undefined> => {
    const stored = await ifFound(client.call("GET /transactions/info/:id", { params }));
    return stored && { found: true, summary: texts.transaction(stored.height) };
  };
  const first = await find();
  if (first !== undefined) return first;
  const pending = await ifFound(client.call("GET /transactions/unconfirmed/info/:id", { params }));
  if (pending !== undefined) return { found: true, summary: texts.pendingTransaction };
  // The transaction may have moved from the pool to a block.
  return (await find()) ?? { found: false, summary: texts.noTransaction };
}

async function findKey(client: Client, publicKey: string): Promise<LookupResult> {
  const answer = await ifFound(client.call("GET /addresses/publicKey/:publicKey", { params: { publicKey } }));
  if (answer === undefined) return { found: false, summary: texts.noPublicKey };
  const { address } = answer;
  // Shows an account only if the chain contains its key.
  const identity = await ifFound(client.call("GET /identities/:address", { params: { address } }));
  return identity === undefined
    ? { found: false, summary: texts.noAccount, link: addressLink(address) }
    : { found: true, summary: texts.publicKey, link: addressLink(address) };
}

/** Searches anchors, then subjects of statements. @param hash in hex */
async function findHash(client: Client, hash: string, encoding: string): Promise<LookupResult> {
  const answer = await ifFound(client.call("GET /hash/:hash", { params: { hash } }));
  if (answer?.chainpoint !== undefined && answer.chainpoint !== null)
    return { found: true, summary: texts.anchor(encoding) };
  const id = encodeBase58(decodeHex(hash));
  const query = { limit: 1 };
  const status = await ifFound(client.call("GET /credential-status/:id", { params: { id }, query }));
  const signer = status?.statements[0]?.signer.id.replace(/#.*$/, "");
  return signer === undefined
    ? { found: false, summary: texts.noAnchor(encoding) }
    : { found: true, summary: texts.subject, link: pageLink(["identity", signer], { credential: id }) };
}

async function findCandidate(client: Client, candidate: Candidate): Promise<LookupResult> {
  switch (candidate.kind) {
    case "height": {
      const { height: tip } = await client.call("GET /blocks/height");
      const height = Number(candidate.text);
      return height <= tip
        ? { found: true, summary: texts.block(height) }
        : { found: false, summary: texts.futureBlock(height, tip) };
    }
    case "block": {
      const params = { signature: candidate.text };
      const answer = await ifFound(client.call("GET /blocks/height/:signature", { params }));
      return answer === undefined
        ? { found: false, summary: texts.noBlock }
        : { found: true, summary: texts.block(answer.height) };
    }
    case "transaction":
      return findTransaction(client, candidate.text);
    case "hash":
      return findHash(client, candidate.text, candidate.encoding);
    case "public key":
      return findKey(client, candidate.text);
    // Any address can receive tokens.
    case "address":
      return { found: true, summary: texts.kinds.address };
    case "did":
      return { found: true, summary: texts.kinds.did };
  }
}

/** @throws the client's errors; FailedRequestError only for a single candidate */
export async function findCandidates(
  client: Client,
  candidates: readonly Candidate[],
): Promise<readonly Finding[]> {
  return Promise.all(
    candidates.map(async (candidate) => {
      try {
        const link = candidate.kind === "public key" ? undefined : resultLink(candidate);
        return { candidate, link, ...(await findCandidate(client, candidate)) };
      } catch (error) {
        // An index that is disabled or being built must not hide other results.
        if (!(error instanceof FailedRequestError) || candidates.length === 1) throw error;
        return { candidate, found: false, summary: texts.failed(error.status) };
      }
    }),
  );
}
