/**
 * Two simulated nodes of the network `dev` that anchored the same hashes on different chains, and false answers in
 * their names.
 */
import { encodeHex } from "../../src/bytes/hex.ts";
import { encodeUtf8 } from "../../src/bytes/utf8.ts";
import { merklePath, merkleRoot } from "../../src/chainpoint/merkle.ts";
import { formatChainpoint, parseChainpoint } from "../../src/chainpoint/proof.ts";
import type { AnchorTexts } from "../../src/client/anchor-texts.ts";
import { type AnchorVerdict, type BoundedFetch, verifyAnchor } from "../../src/client/verify-anchor.ts";
import { sha256 } from "../../src/crypto/hashes.ts";
import { VirtualClock } from "../../src/testing/virtual-clock.ts";
import { type ExampleNode, exampleNode } from "./example-node.ts";

/** A node's answer. */
export interface Answer {
  readonly status: number;
  readonly bytes: Uint8Array;
}

/** Changes a node's true answer. */
export type Lie = (path: string, truth: Answer) => Answer;

/** The hash to check: by default the one that was anchored at one node. */
export interface Case {
  /** Lies by node URL; the other nodes tell the truth. */
  readonly lies?: Readonly<Record<string, Lie>>;
  readonly nodes?: readonly string[];
  readonly hash?: Uint8Array;
  readonly proof?: unknown;
  readonly confirmations?: number;
  readonly texts?: AnchorTexts;
}

/** URL of a node. Every other URL except the one below is a node on the same chain. */
export const NODE = "http://node.example";
/** URL of a node on another chain. */
export const ELSEWHERE = "http://elsewhere.example";
/** A hash that is anchored directly. */
export const HASH = sha256(Uint8Array.of(200));
/** Hashes whose Merkle root is anchored. */
export const leaves = [0, 1, 2, 3, 4].map((i) => sha256(Uint8Array.of(i)));

const MINUTE = 60_000;
const root = merkleRoot(leaves, sha256);
const headers = { host: "localhost" };

function jsonIn({ bytes }: Answer): unknown {
  return JSON.parse(Buffer.from(bytes).toString());
}

async function trueAnswer({ server }: ExampleNode, url: string): Promise<Answer> {
  const { statusCode, rawPayload } = await server.inject({ url, headers });
  return { status: statusCode, bytes: Uint8Array.from(rawPayload) };
}

/** Anchors the hash and the root, with some blocks before and after. */
async function anchor({ server, clock }: ExampleNode): Promise<void> {
  clock.advance(MINUTE);
  for (const hash of [HASH, root])
    await server.inject({ method: "POST", url: "/hash", headers, payload: { hash: encodeHex(hash) } });
  clock.advance(MINUTE);
}

export class AnchoredNodes {
  readonly one: ExampleNode;
  readonly #other: ExampleNode;
  /** Proof of the hash. */
  readonly proof: unknown;
  /** Proof of the third leaf, with its path. */
  readonly treeProof: object;
  /** The node's original answers. */
  readonly #truths = new Map<string, Answer>();

  private constructor(one: ExampleNode, other: ExampleNode, proof: unknown, rootProof: unknown) {
    this.one = one;
    this.#other = other;
    this.proof = proof;
    const { anchors, height, position } = parseChainpoint(rootProof);
    const tree = { root, path: merklePath(leaves, 2, sha256) };
    const unplaced = formatChainpoint({ hash: leaves[2], tree, transactionId: HASH }, "DataTransaction");
    this.treeProof = { ...unplaced, anchors, block: { height }, transaction: { position } };
  }

  static async start(): Promise<AnchoredNodes> {
    const one = await exampleNode();
    await anchor(one);
    const other = await exampleNode();
    other.clock.advance(10_000);
    await anchor(other);
    const proofOf = async (hash: Uint8Array) => jsonIn(await trueAnswer(one, `/hash/${encodeHex(hash)}`));
    return new AnchoredNodes(one, other, await proofOf(HASH), await proofOf(root));
  }

  async stop(): Promise<void> {
    await this.one.node.stop();
    await this.#other.node.stop();
  }

  async #truth(origin: string, path: string): Promise<Answer> {
    if (origin === ELSEWHERE) return trueAnswer(this.#other, path);
    const truth = this.#truths.get(path) ?? (await trueAnswer(this.one, path));
    this.#truths.set(path, truth);
    return truth;
  }

  /** Answers requests in the name of the nodes, some of which may lie. */
  fetch(lies: Readonly<Record<string, Lie>> = {}): BoundedFetch {
    return async (url, { redirect }) => {
      if (redirect !== "error") throw new Error("a redirect would be followed");
      const { origin, pathname } = new URL(url);
      const truth = await this.#truth(origin, pathname);
      const { status, bytes } = Object.hasOwn(lies, origin) ? lies[origin](pathname, truth) : truth;
      return { status, body: new Response(Uint8Array.from(bytes)).body };
    };
  }

  check({ lies, ...options }: Case = {}): Promise<AnchorVerdict> {
    const clock = new VirtualClock(0);
    const after = clock.after.bind(clock);
    return verifyAnchor({ fetch: this.fetch(lies), after, nodes: [NODE], hash: HASH, ...options });
  }
}

/** Names of the failed steps. */
export function failing({ steps }: AnchorVerdict): string[] {
  return steps.filter(({ holds }) => !holds).map(({ name }) => name);
}

/** Returns a lie that changes the JSON at a path. */
export function changed(at: RegExp, change: (json: never) => unknown): Lie {
  return (path, truth) => {
    if (!at.test(path)) return truth;
    // The test knows the type of the value.
    return { ...truth, bytes: encodeUtf8(JSON.stringify(change(jsonIn(truth) as never))) };
  };
}

/** Returns a lie that replaces the answer at a path. */
export function answers(at: RegExp, status: number, bytes: Uint8Array = new Uint8Array(0)): Lie {
  return (path, truth) => (at.test(path) ? { status, bytes } : truth);
}
