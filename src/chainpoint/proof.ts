/**
 * Proofs in the format of Chainpoint v2 (page 07 §7.3, §18.2): the proved hash, the path to the anchored root if the
 * hash is a leaf of a tree, and the transaction of the anchor.
 */
import { encodeBase58 } from "../bytes/base58.ts";
import { bytesEqual } from "../bytes/compare.ts";
import { decodeHex, encodeHex } from "../bytes/hex.ts";
import { type PathStep, rootOfPath, type Sha256 } from "./merkle.ts";

const CONTEXT = "https://w3id.org/chainpoint/v2";
const TYPE = "ChainpointSHA256v2";

/** Real trees have far fewer levels. */
const MAX_STEPS = 64;
/** The longest anchor that a transaction may contain (page 02 §10.8). */
const MAX_HASH_BYTES = 80;
const MAX_ANCHORS = 100;
/** In characters. */
const MAX_TEXT_LENGTH = 100;

/** A sibling on the path, in hexadecimal. */
type ChainpointStep = { readonly left: string } | { readonly right: string };

type Chainpoint = {
  readonly "@context": typeof CONTEXT;
  readonly type: typeof TYPE;
  /** In lower-case hexadecimal. */
  readonly targetHash: string;
  /** Set if the transaction anchors the root of a tree. */
  readonly merkleRoot?: string | undefined;
  readonly proof?: readonly ChainpointStep[] | undefined;
  readonly anchors: readonly { readonly type: string; readonly sourceId: string }[];
  /** Decimal texts; undefined until a block contains the transaction. */
  readonly block?: { readonly height: string } | undefined;
  readonly transaction?: { readonly position: string } | undefined;
};

export interface AnchorProof {
  readonly hash: Uint8Array;
  /** Undefined if the hash itself is anchored. */
  readonly tree?: { readonly root: Uint8Array; readonly path: readonly PathStep[] } | undefined;
  readonly transactionId: Uint8Array;
  readonly height?: number | undefined;
  /** Number of the transaction in its block, from 0. */
  readonly position?: number | undefined;
}

/** @param anchorType name of the network, followed by `DataTransaction` */
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

export class ChainpointError extends Error {
  override readonly name = "ChainpointError";
}

/** The content of a proof, not yet compared with a chain. */
export interface ParsedChainpoint {
  readonly hash: Uint8Array;
  readonly tree?: { readonly root: Uint8Array; readonly path: readonly PathStep[] } | undefined;
  /** `type` contains the network's name; `sourceId` is the transaction's id in Base58. */
  readonly anchors: readonly { readonly type: string; readonly sourceId: string }[];
  /** `height` and `position` are in decimal. */
  readonly height?: string | undefined;
  readonly position?: string | undefined;
}

type JsonObject = Readonly<Record<string, unknown>>;

function parseObject(value: unknown, name: string): JsonObject {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new ChainpointError(`${name} is not an object`);
  // Each member is checked when it is used.
  return value as JsonObject;
}

function parseText(value: unknown, name: string): string {
  if (typeof value !== "string" || value === "" || value.length > MAX_TEXT_LENGTH)
    throw new ChainpointError(`${name} is not a text of 1 to ${MAX_TEXT_LENGTH} characters`);
  return value;
}

function parseHash(value: unknown, name: string, lengths: readonly [from: number, to: number]): Uint8Array {
  const [from, to] = lengths;
  const isHex = typeof value === "string" && value.length <= 2 * to && /^([0-9a-f]{2})*$/i.test(value);
  if (!isHex || value.length < 2 * from) {
    const length = from === to ? `${from}` : `${from} to ${to}`;
    throw new ChainpointError(`${name} is not hexadecimal text of ${length} bytes`);
  }
  return decodeHex(value);
}

const NODE_LENGTHS = [32, 32] as const;

function parseStep(value: unknown, at: number): PathStep {
  const step = parseObject(value, `proof[${at}]`);
  const sides = (["left", "right"] as const).filter((side) => step[side] !== undefined);
  if (sides.length !== 1)
    throw new ChainpointError(`proof[${at}] must have exactly one of "left" and "right"`);
  const [side] = sides;
  return { side, hash: parseHash(step[side], `proof[${at}].${side}`, NODE_LENGTHS) };
}

function parseNumberText(value: unknown, name: string): string | undefined {
  if (value === undefined) return undefined;
  // The reference's index writes numbers with LevelDB, and texts with Redis (page 07 §7.3).
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string" || !/^[0-9]{1,15}$/.test(text))
    throw new ChainpointError(`${name} is not a whole number`);
  return text;
}

/**
 * Parses a proof, or an object `{"chainpoint": proof}`. Does not check the path: see `isPathValid`.
 * @throws ChainpointError
 */
export function parseChainpoint(value: unknown): ParsedChainpoint {
  const outer = parseObject(value, "the proof");
  const proof = outer.chainpoint === undefined ? outer : parseObject(outer.chainpoint, "chainpoint");
  if (proof["@context"] !== CONTEXT) throw new ChainpointError(`@context is not ${CONTEXT}`);
  if (proof.type !== TYPE) throw new ChainpointError(`type is not ${TYPE}`);
  const hash = parseHash(proof.targetHash, "targetHash", [1, MAX_HASH_BYTES]);
  const { anchors } = proof;
  if (!Array.isArray(anchors) || anchors.length === 0 || anchors.length > MAX_ANCHORS)
    throw new ChainpointError(`anchors is not a list of 1 to ${MAX_ANCHORS} anchors`);
  const block = proof.block === undefined ? {} : parseObject(proof.block, "block");
  const transaction = proof.transaction === undefined ? {} : parseObject(proof.transaction, "transaction");
  return {
    hash,
    tree: parseTree(proof, hash),
    anchors: anchors.map((anchor: unknown, at) => {
      const { type, sourceId } = parseObject(anchor, `anchors[${at}]`);
      return {
        type: parseText(type, `anchors[${at}].type`),
        sourceId: parseText(sourceId, `anchors[${at}].sourceId`),
      };
    }),
    height: parseNumberText(block.height, "block.height"),
    position: parseNumberText(transaction.position, "transaction.position"),
  };
}

function parseTree({ merkleRoot, proof }: JsonObject, leaf: Uint8Array): ParsedChainpoint["tree"] {
  if (merkleRoot === undefined && proof === undefined) return undefined;
  // A leaf of another length could be the start of an anchored file, with the file's last 32 bytes as its sibling.
  if (leaf.length !== NODE_LENGTHS[0])
    throw new ChainpointError(
      `targetHash is not a hash of ${NODE_LENGTHS[0]} bytes, but the proof has a tree`,
    );
  const root = parseHash(merkleRoot, "merkleRoot", NODE_LENGTHS);
  if (!Array.isArray(proof) || proof.length > MAX_STEPS)
    throw new ChainpointError(`proof is not a list of at most ${MAX_STEPS} steps`);
  return { root, path: proof.map(parseStep) };
}

export function anchoredHash({ hash, tree }: Pick<ParsedChainpoint, "hash" | "tree">): Uint8Array {
  return tree === undefined ? hash : tree.root;
}

/** Returns true if there is no path, or the path leads from the hash to the root. */
export function isPathValid(
  { hash, tree }: Pick<ParsedChainpoint, "hash" | "tree">,
  sha256: Sha256,
): boolean {
  return tree === undefined || bytesEqual(rootOfPath(hash, tree.path, sha256), tree.root);
}
