/**
 * The proof that something is anchored, in the form of Chainpoint v2 (page 07 §7.3, §18.2): what is proved, the path
 * from there to what was anchored where that is the root of a tree, and the transaction that anchors it. Pure: it runs in
 * a browser too.
 */
import { encodeBase58 } from "../bytes/base58.ts";
import { bytesEqual } from "../bytes/compare.ts";
import { decodeHex, encodeHex } from "../bytes/hex.ts";
import { type PathStep, rootOfPath, type Sha256 } from "./merkle.ts";

const CONTEXT = "https://w3id.org/chainpoint/v2";
const TYPE = "ChainpointSHA256v2";

/** Paths of more steps belong to no tree that anybody made. */
const MAX_STEPS = 64;
/** Bytes of the longest anchor. */
const MAX_HASH_BYTES = 80;
/** Transactions that one proof may name. */
const MAX_ANCHORS = 100;
/** Characters of the name of a kind of anchor, and of the id of a transaction or a number. */
const MAX_TEXT_LENGTH = 100;

/** A step of the path as the proof writes it: the node beside the way, in hexadecimal. */
type ChainpointStep = { readonly left: string } | { readonly right: string };

/** A proof as it stands in JSON, with the members in this order. */
type Chainpoint = {
  readonly "@context": typeof CONTEXT;
  readonly type: typeof TYPE;
  /** What is proved, lower-case hexadecimal. */
  readonly targetHash: string;
  /** What the transaction anchors, where that is the root of a tree, with the path to it. */
  readonly merkleRoot?: string | undefined;
  readonly proof?: readonly ChainpointStep[] | undefined;
  readonly anchors: readonly { readonly type: string; readonly sourceId: string }[];
  /** Both decimal, and absent while no block has the transaction. */
  readonly block?: { readonly height: string } | undefined;
  readonly transaction?: { readonly position: string } | undefined;
};

/** What a proof says. */
export interface AnchorProof {
  readonly hash: Uint8Array;
  /** The way to the root that is anchored; undefined where the hash itself is. */
  readonly tree?: { readonly root: Uint8Array; readonly path: readonly PathStep[] } | undefined;
  readonly transactionId: Uint8Array;
  readonly height?: number | undefined;
  readonly position?: number | undefined;
}

/** Writes a proof. @param anchorType the name of such anchors: that of the network, and `DataTransaction` */
export function formatChainpoint(
  { hash, tree, transactionId, height, position }: AnchorProof,
  anchorType: string,
): Chainpoint {
  return {
    "@context": CONTEXT,
    type: TYPE,
    targetHash: encodeHex(hash),
    ...(tree && { merkleRoot: encodeHex(tree.root), proof: tree.path.map(formatStep) }),
    anchors: [{ type: anchorType, sourceId: encodeBase58(transactionId) }],
    block: height === undefined ? undefined : { height: String(height) },
    transaction: position === undefined ? undefined : { position: String(position) },
  };
}

function formatStep({ side, hash }: PathStep): ChainpointStep {
  return side === "left" ? { left: encodeHex(hash) } : { right: encodeHex(hash) };
}

/** What was given is no proof of Chainpoint v2. The message names the member. */
export class ChainpointError extends Error {
  override readonly name = "ChainpointError";
}

/** A proof that was read: what it says, as far as that can be known without a chain. */
export interface ParsedChainpoint {
  readonly hash: Uint8Array;
  /** As in `AnchorProof`. */
  readonly tree?: { readonly root: Uint8Array; readonly path: readonly PathStep[] } | undefined;
  /** The transactions that it names, by their ids in base58. */
  readonly anchors: readonly { readonly type: string; readonly sourceId: string }[];
  /** Decimal, where it says so. */
  readonly height?: string | undefined;
  readonly position?: string | undefined;
}

type Members = Readonly<Record<string, unknown>>;

function parseMembers(value: unknown, what: string): Members {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new ChainpointError(`${what} is no object`);
  // Whatever it is, its members are looked at one by one.
  return value as Members;
}

function parseText(value: unknown, what: string): string {
  if (typeof value !== "string" || value === "" || value.length > MAX_TEXT_LENGTH)
    throw new ChainpointError(`${what} is no text of 1 to ${MAX_TEXT_LENGTH} characters`);
  return value;
}

function parseHash(value: unknown, what: string, lengths: readonly [from: number, to: number]): Uint8Array {
  const [from, to] = lengths;
  const isHex = typeof value === "string" && value.length <= 2 * to && /^([0-9a-f]{2})*$/i.test(value);
  if (!isHex || value.length < 2 * from) {
    const length = from === to ? `${from}` : `${from} to ${to}`;
    throw new ChainpointError(`${what} is no hexadecimal text of ${length} bytes`);
  }
  return decodeHex(value);
}

const NODE_BYTES = [32, 32] as const;

function parseStep(value: unknown, at: number): PathStep {
  const step = parseMembers(value, `proof[${at}]`);
  const sides = (["left", "right"] as const).filter((side) => step[side] !== undefined);
  if (sides.length !== 1) throw new ChainpointError(`proof[${at}] has not exactly one of left and right`);
  const [side] = sides;
  return { side, hash: parseHash(step[side], `proof[${at}].${side}`, NODE_BYTES) };
}

function parseNumberText(value: unknown, what: string): string | undefined {
  if (value === undefined) return undefined;
  // The index service writes numbers where it keeps them in another database: page 07 §7.3.
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string" || !/^[0-9]{1,15}$/.test(text))
    throw new ChainpointError(`${what} is no whole number`);
  return text;
}

/**
 * Reads a proof as `JSON.parse` gives it, with or without the `{"chainpoint": …}` around it. Whether its path leads to
 * its root is another question: `pathHolds`.
 * @throws ChainpointError
 */
export function parseChainpoint(value: unknown): ParsedChainpoint {
  const outer = parseMembers(value, "the proof");
  const proof = outer.chainpoint === undefined ? outer : parseMembers(outer.chainpoint, "chainpoint");
  if (proof["@context"] !== CONTEXT) throw new ChainpointError(`@context is not ${CONTEXT}`);
  if (proof.type !== TYPE) throw new ChainpointError(`type is not ${TYPE}`);
  const hash = parseHash(proof.targetHash, "targetHash", [1, MAX_HASH_BYTES]);
  const { anchors } = proof;
  if (!Array.isArray(anchors) || anchors.length === 0 || anchors.length > MAX_ANCHORS)
    throw new ChainpointError(`anchors is no list of 1 to ${MAX_ANCHORS} anchors`);
  const block = proof.block === undefined ? {} : parseMembers(proof.block, "block");
  const transaction = proof.transaction === undefined ? {} : parseMembers(proof.transaction, "transaction");
  return {
    hash,
    tree: parseTree(proof, hash),
    anchors: anchors.map((one: unknown, at) => {
      const { type, sourceId } = parseMembers(one, `anchors[${at}]`);
      return {
        type: parseText(type, `anchors[${at}].type`),
        sourceId: parseText(sourceId, `anchors[${at}].sourceId`),
      };
    }),
    height: parseNumberText(block.height, "block.height"),
    position: parseNumberText(transaction.position, "transaction.position"),
  };
}

function parseTree({ merkleRoot, proof }: Members, leaf: Uint8Array): ParsedChainpoint["tree"] {
  if (merkleRoot === undefined && proof === undefined) return undefined;
  // Else the beginning of any file that was anchored would pass for a leaf, and its last 32 bytes for the step beside it.
  if (leaf.length !== NODE_BYTES[0])
    throw new ChainpointError(`targetHash is no hash of ${NODE_BYTES[0]} bytes, as those of trees are`);
  const root = parseHash(merkleRoot, "merkleRoot", NODE_BYTES);
  if (!Array.isArray(proof) || proof.length > MAX_STEPS)
    throw new ChainpointError(`proof is no list of at most ${MAX_STEPS} steps`);
  return { root, path: proof.map(parseStep) };
}

/** What the transaction has to anchor for the proof to hold. */
export function anchoredHash({ hash, tree }: Pick<ParsedChainpoint, "hash" | "tree">): Uint8Array {
  return tree === undefined ? hash : tree.root;
}

/** Whether the path, where there is one, leads from the hash to the root. */
export function isPathValid(
  { hash, tree }: Pick<ParsedChainpoint, "hash" | "tree">,
  sha256: Sha256,
): boolean {
  return tree === undefined || bytesEqual(rootOfPath(hash, tree.path, sha256), tree.root);
}
