/**
 * Checks an anchor. The client itself checks the Merkle path, transaction, signatures and block. The nodes must agree
 * which blocks are on the chain. Functions with a parameter `steps` throw CheckEnded if a check fails.
 */
import { decodeBase58, encodeBase58 } from "../bytes/base58.ts";
import { bytesEqual } from "../bytes/compare.ts";
import { tryDecode } from "../bytes/errors.ts";
import { encodeHex } from "../bytes/hex.ts";
import {
  anchoredHash,
  ChainpointError,
  isPathValid,
  type ParsedChainpoint,
  parseChainpoint,
} from "../chainpoint/proof.ts";
import { addressText } from "../crypto/addresses.ts";
import { sha256 } from "../crypto/hashes.ts";
import { mainnet, testnet } from "../profiles/index.ts";
import { anchorsHash, findInBlock, generatorOf, parseSignedBlock, signatureFault } from "./anchor-block.ts";
import { AnchorNode, type TransactionFacts } from "./anchor-node.ts";
import type { AnchorTexts } from "./anchor-texts.ts";
import {
  type Anchored,
  type AnchorStatus,
  type AnchorStep,
  type AnchorVerdict,
  CheckEnded,
  MAX_FORK_DEPTH,
  refusalSentence,
  StepLog,
  verifiedSentence,
} from "./anchor-verdict.ts";
import {
  type BoundedFetchOptions,
  InvalidAnswerError,
  NoAnswerError,
  TimeoutError,
} from "./bounded-fetch.ts";

export type { Anchored, AnchorStatus, AnchorStep, AnchorStepName, AnchorVerdict } from "./anchor-verdict.ts";
export type { BoundedFetch } from "./bounded-fetch.ts";

export const MAX_NODES = 16;

/** In bytes. */
const MAX_HASH_LENGTH = 80;
const TRANSACTION_ID_LENGTH = 32;
/** In Base58 characters. */
const MAX_ID_TEXT_LENGTH = 44;

export interface VerifyAnchorOptions extends BoundedFetchOptions {
  readonly onStep?: ((step: AnchorStep) => void) | undefined;
  /** 1 to 16 URLs such as `https://node.example.com`. */
  readonly nodes: readonly string[];
  /** Usually the SHA-256 of a file. */
  readonly hash: Uint8Array;
  /** Parsed Chainpoint JSON. Default: the proof of the first node that has one. */
  readonly proof?: unknown;
  /** Minimum number that each node must report; default: 1. */
  readonly confirmations?: number | undefined;
  /** Language of the steps; default: English. */
  readonly texts?: AnchorTexts | undefined;
}

type AnswerError = NoAnswerError | InvalidAnswerError;

type Settled<T> =
  | { readonly node: AnchorNode; readonly value: T }
  | { readonly node: AnchorNode; readonly problem: AnswerError };

function problemText(problem: AnswerError, texts: AnchorTexts): string {
  const { message } = problem;
  if (problem instanceof TimeoutError) return texts.timeout(message);
  return problem instanceof NoAnswerError ? texts.noAnswer(message) : texts.invalidAnswer(message);
}

async function settle<T>(node: AnchorNode, query: () => Promise<T>): Promise<Settled<T>> {
  try {
    return { node, value: await query() };
  } catch (error) {
    if (error instanceof NoAnswerError || error instanceof InvalidAnswerError)
      return { node, problem: error };
    throw error;
  }
}

async function findProof(nodes: readonly AnchorNode[], hash: Uint8Array, steps: StepLog): Promise<unknown> {
  let failure: CheckEnded | undefined;
  for (const node of nodes) {
    const found = await settle(node, () => node.fetchProof(hash));
    if ("problem" in found) {
      const text = steps.texts.noProof(node.url, problemText(found.problem, steps.texts));
      steps.fail("node", text, node.url);
      failure ??= new CheckEnded(
        found.problem instanceof NoAnswerError ? "unreachable" : "nodes-disagree",
        text,
      );
    } else if (found.value !== undefined) return found.value;
  }
  if (failure !== undefined) throw failure;
  return steps.end("not-anchored", "proof", steps.texts.unknownHash);
}

function checkProof(json: unknown, hash: Uint8Array, steps: StepLog): ParsedChainpoint {
  let proof: ParsedChainpoint;
  try {
    proof = parseChainpoint(json);
  } catch (error) {
    if (!(error instanceof ChainpointError)) throw error;
    return steps.end("proof-wrong", "proof", steps.texts.invalidProof(error.message));
  }
  if (!bytesEqual(proof.hash, hash))
    steps.end("proof-wrong", "proof", steps.texts.otherHash(encodeHex(proof.hash)));
  steps.pass("proof", steps.texts.sameHash);
  if (proof.tree !== undefined) {
    const root = encodeHex(proof.tree.root);
    if (!isPathValid(proof, sha256)) steps.end("proof-wrong", "path", steps.texts.wrongPath(root));
    steps.pass("path", steps.texts.path(proof.tree.path.length, root));
  }
  return proof;
}

/** Returns the first anchor id that has the form of a transaction id. */
function transactionIdOf({ anchors }: ParsedChainpoint, steps: StepLog): Uint8Array {
  for (const { sourceId } of anchors) {
    // Ids of anchors in other chains can have any form.
    const id = tryDecode(() => decodeBase58(sourceId, MAX_ID_TEXT_LENGTH));
    if (id?.length === TRANSACTION_ID_LENGTH) return id;
  }
  return steps.end("proof-wrong", "proof", steps.texts.noTransaction);
}

type InBlock = Extract<TransactionFacts, { state: "in a block" }>;

interface ConfirmingNode {
  readonly node: AnchorNode;
  readonly facts: InBlock;
}

interface NodeAgreement {
  readonly confirming: readonly [ConfirmingNode, ...ConfirmingNode[]];
  readonly noAnswerReason?: string | undefined;
}

async function collectFacts(
  nodes: readonly AnchorNode[],
  id: Uint8Array,
  steps: StepLog,
): Promise<NodeAgreement> {
  const answers = await Promise.all(nodes.map((node) => settle(node, () => node.findTransaction(id))));
  const { texts } = steps;
  const confirming: ConfirmingNode[] = [];
  // The first problem of each kind.
  let noAnswerReason: string | undefined;
  let conflict: string | undefined;
  let pending: string | undefined;
  let missing: string | undefined;
  for (const answer of answers) {
    const { url } = answer.node;
    const logProblem = (reason: string): string => {
      steps.fail("node", `${url}: ${reason}`, url);
      return `${url}: ${reason}`;
    };
    if ("problem" in answer) {
      const { problem } = answer;
      const reason = problemText(problem, texts);
      if (problem instanceof NoAnswerError) noAnswerReason ??= logProblem(reason);
      else conflict ??= logProblem(reason);
      continue;
    }
    const facts = answer.value;
    if (facts.state === "in a block") {
      const block = [facts.height, encodeBase58(facts.blockId)] as const;
      const [first] = confirming;
      if (first === undefined || isSameBlock(first.facts, facts)) {
        confirming.push({ node: answer.node, facts });
        const confirmations = facts.tipHeight - facts.height;
        steps.pass("node", texts.hasTransaction(url, ...block, confirmations), url);
      } else conflict ??= logProblem(texts.otherBlock(...block));
    } else if (facts.state === "unknown") missing ??= logProblem(texts.unknownTransaction);
    else pending ??= logProblem(texts.pending);
  }
  if (conflict !== undefined) throw new CheckEnded("nodes-disagree", conflict);
  const [first, ...others] = confirming;
  if (first !== undefined) {
    if (missing !== undefined || pending !== undefined)
      throw new CheckEnded("nodes-disagree", missing ?? pending ?? "");
    return { confirming: [first, ...others], noAnswerReason };
  }
  if (pending !== undefined) throw new CheckEnded("not-final", pending);
  throw noAnswerReason === undefined
    ? new CheckEnded("not-anchored", missing ?? "no node was asked")
    : new CheckEnded("unreachable", noAnswerReason);
}

function isSameBlock(a: InBlock, b: InBlock): boolean {
  return (
    a.height === b.height &&
    bytesEqual(a.blockId, b.blockId) &&
    bytesEqual(a.genesisId, b.genesisId) &&
    bytesEqual(a.generator, b.generator)
  );
}

async function fetchBlockBytes(
  confirming: readonly ConfirmingNode[],
  confirmations: number,
  steps: StepLog,
): Promise<{ readonly bytes: Uint8Array; readonly node: AnchorNode }> {
  let failure = steps.texts.noBytes;
  for (const { node, facts } of confirming) {
    const found = await settle(node, () => node.fetchBlock(facts.blockId));
    if ("problem" in found) {
      failure = `${node.url}: ${problemText(found.problem, steps.texts)}`;
      if (found.problem instanceof InvalidAnswerError)
        steps.end("nodes-disagree", "block", failure, node.url);
    } else if (found.value !== undefined) return { bytes: found.value, node };
  }
  // The newest block's id changes with each micro block, so nodes may no longer know the earlier id.
  if (confirmations === 0) return steps.end("not-final", "final", steps.texts.unconfirmed);
  return steps.end("unreachable", "block", failure);
}

function networkOf(genesisId: Uint8Array): string | undefined {
  return [mainnet, testnet].find(
    ({ genesis: { signature } }) => signature !== undefined && bytesEqual(signature, genesisId),
  )?.name;
}

function checkBlock(
  bytes: Uint8Array,
  node: AnchorNode,
  { facts }: ConfirmingNode,
  proof: ParsedChainpoint,
  id: Uint8Array,
  steps: StepLog,
): Omit<Anchored, "confirmations"> {
  const { texts } = steps;
  // The second byte of an address is the chain id.
  const chainId = facts.generator[1];
  const block = parseSignedBlock(bytes, facts.blockId, chainId, texts);
  if (typeof block === "string")
    return steps.end("nodes-disagree", "block", `${node.url}: ${block}`, node.url);
  const generator = generatorOf(block, chainId);
  if (!bytesEqual(generator, facts.generator))
    steps.end("nodes-disagree", "block", texts.otherGenerator(addressText(generator)));
  const time = Number(block.timestamp);
  steps.pass("block", texts.signedBlock(texts.time(time), addressText(generator)));
  const found = findInBlock(block, id);
  if (found === undefined) return steps.end("nodes-disagree", "transaction", texts.notInBlock);
  const { transaction, position } = found;
  const hash = anchoredHash(proof);
  const isRoot = proof.tree !== undefined;
  if (!anchorsHash(transaction, hash)) steps.end("proof-wrong", "transaction", texts.anchorsOther(isRoot));
  steps.pass("transaction", texts.anchors(encodeBase58(id), isRoot));
  const fault = signatureFault(transaction, texts);
  if (fault !== undefined) steps.end("proof-wrong", "signature", fault);
  const sender = addressText(transaction.senderAddress);
  const sponsor = transaction.sponsorAddress && addressText(transaction.sponsorAddress);
  steps.pass("signature", texts.signed(sender, sponsor));
  checkPosition(proof, facts.height, position, steps);
  const genesis = encodeBase58(facts.genesisId);
  const blockId = encodeBase58(facts.blockId);
  return {
    transactionId: encodeBase58(id),
    sender,
    sponsor,
    generator: addressText(generator),
    height: facts.height,
    position,
    blockId,
    time,
    genesis,
    network: networkOf(facts.genesisId),
  };
}

function checkPosition(proof: ParsedChainpoint, height: number, position: number, steps: StepLog): void {
  if (proof.height === undefined && proof.position === undefined) return;
  const isSame =
    (proof.height === undefined || Number(proof.height) === height) &&
    (proof.position === undefined || Number(proof.position) === position);
  if (!isSame) steps.end("proof-wrong", "place", steps.texts.otherPlace(height, position));
  steps.pass("place", steps.texts.samePlace);
}

function checkDepth(confirmations: number, required: number, steps: StepLog): void {
  if (confirmations < required) steps.end("not-final", "final", steps.texts.tooFew(confirmations, required));
  steps.pass("final", steps.texts.enough(confirmations, MAX_FORK_DEPTH));
}

/**
 * Checks that a hash is anchored. Reports invalid answers and proofs in the verdict, not as an exception.
 * @throws RangeError for no nodes or more than 16, and for a hash of 0 or more than 80 bytes
 */
export async function verifyAnchor(options: VerifyAnchorOptions): Promise<AnchorVerdict> {
  const { hash, proof: proofJson, confirmations: required = 1 } = options;
  const nodes = [...new Set(options.nodes.map((url) => url.replace(/\/+$/, "")))].map(
    (url) => new AnchorNode(url, options),
  );
  if (nodes.length === 0 || nodes.length > MAX_NODES)
    throw new RangeError(`Expected 1 to ${MAX_NODES} nodes, got ${nodes.length}`);
  if (hash.length === 0 || hash.length > MAX_HASH_LENGTH)
    throw new RangeError(`Expected a hash of 1 to ${MAX_HASH_LENGTH} bytes, got ${hash.length}`);
  const steps = new StepLog(options.onStep, options.texts);
  let anchored: Anchored | undefined;
  const verdict = (status: AnchorStatus, says: string): AnchorVerdict => ({
    status,
    says,
    steps: steps.list,
    hash: encodeHex(hash),
    anchored,
  });
  try {
    const proof = checkProof(proofJson ?? (await findProof(nodes, hash, steps)), hash, steps);
    const id = transactionIdOf(proof, steps);
    const { confirming, noAnswerReason } = await collectFacts(nodes, id, steps);
    const [first] = confirming;
    const confirmations = Math.min(...confirming.map(({ facts }) => facts.tipHeight - facts.height));
    const { bytes, node } = await fetchBlockBytes(confirming, confirmations, steps);
    anchored = { ...checkBlock(bytes, node, first, proof, id, steps), confirmations };
    checkDepth(confirmations, required, steps);
    if (noAnswerReason !== undefined)
      throw new CheckEnded(
        "unreachable",
        `${noAnswerReason}; ${confirming.length} of ${nodes.length} nodes show the transaction`,
      );
    return verdict("verified", verifiedSentence(hash, anchored, nodes.length));
  } catch (error) {
    if (!(error instanceof CheckEnded)) throw error;
    const { status, message } = error;
    return verdict(status, status === "verified" ? message : refusalSentence(hash, status, message));
  }
}
