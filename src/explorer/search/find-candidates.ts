/** Asks the node which of the things that a text may be there are. */
import { type Client, FailedRequestError } from "../../client/index.ts";
import { undefinedIfMissing } from "../data/attempt.ts";
import { numberText } from "../text/measures.ts";
import type { Candidate } from "./parse-search.ts";

/** Something that was looked for, and whether it is there. */
export interface Finding {
  readonly candidate: Candidate;
  /** A page of it exists. */
  readonly found: boolean;
  /** What is known of it, in a few words; of what is not there, where it was looked for. */
  readonly summary: string;
  /** Of a public key: the address that it has. */
  readonly address?: string | undefined;
}

type Found = Omit<Finding, "candidate">;

/** Statuses of what is not there, or cannot be read. */
const MISSING_STATUSES = [400, 404, 410];

const askOptional = <T>(asked: Promise<T>): Promise<T | undefined> =>
  undefinedIfMissing(asked, MISSING_STATUSES);

async function findTransaction(client: Client, id: string): Promise<Found> {
  const params = { id };
  const find = async (): Promise<Found | undefined> => {
    const stored = await askOptional(client.call("GET /transactions/info/:id", { params }));
    return stored && { found: true, summary: `a transaction in block ${numberText(stored.height)}` };
  };
  const first = await find();
  if (first !== undefined) return first;
  const waiting = await askOptional(client.call("GET /transactions/unconfirmed/info/:id", { params }));
  if (waiting !== undefined) return { found: true, summary: "a transaction that waits for a block" };
  // It may have gone from the pool to a block meanwhile.
  return (
    (await find()) ?? { found: false, summary: "no transaction with this id, on the chain or in the pool" }
  );
}

async function findKey(client: Client, publicKey: string): Promise<Found> {
  const answer = await askOptional(
    client.call("GET /addresses/publicKey/:publicKey", { params: { publicKey } }),
  );
  if (answer === undefined) return { found: false, summary: "no public key" };
  const { address } = answer;
  // Any key has an address. That of an account is known once its key was seen on the chain.
  const known = await askOptional(client.call("GET /identities/:address", { params: { address } }));
  return known === undefined
    ? { found: false, summary: "no account whose public key it would be", address }
    : { found: true, summary: "the public key of an account", address };
}

async function findCandidate(client: Client, candidate: Candidate): Promise<Found> {
  switch (candidate.kind) {
    case "height": {
      const { height } = await client.call("GET /blocks/height");
      const summary = `block ${numberText(candidate.height)}`;
      return candidate.height <= height
        ? { found: true, summary }
        : { found: false, summary: `no ${summary} yet: the chain has ${numberText(height)}` };
    }
    case "block": {
      const params = { signature: candidate.id };
      const answer = await askOptional(client.call("GET /blocks/height/:signature", { params }));
      return answer === undefined
        ? { found: false, summary: "no block with this id on the chain" }
        : { found: true, summary: `block ${numberText(answer.height)}` };
    }
    case "transaction":
      return findTransaction(client, candidate.id);
    case "hash": {
      const answer = await askOptional(client.call("GET /hash/:hash", { params: { hash: candidate.hash } }));
      const words = `hash, read as ${candidate.encoding}`;
      return answer?.chainpoint === undefined || answer.chainpoint === null
        ? { found: false, summary: `no anchor of this ${words}` }
        : { found: true, summary: `an anchored ${words}` };
    }
    case "public key":
      return findKey(client, candidate.key);
    // An account need not be known to have a page: what it was sent is shown there all the same.
    case "address":
      return { found: true, summary: "an address" };
    case "did":
      return { found: true, summary: "a DID" };
  }
}

/**
 * What is there of what a text may be, in the same order.
 * @throws what the client throws, where the node cannot be asked at all
 */
export async function findCandidates(
  client: Client,
  candidates: readonly Candidate[],
): Promise<readonly Finding[]> {
  return Promise.all(
    candidates.map(async (candidate) => {
      try {
        return { candidate, ...(await findCandidate(client, candidate)) };
      } catch (error) {
        // One index that is off or being built does not hide what the others have.
        if (!(error instanceof FailedRequestError) || candidates.length === 1) throw error;
        return { candidate, found: false, summary: `not known: the node answers ${error.status}` };
      }
    }),
  );
}
