/** Two nodes of the network `dev` in simulated worlds that anchored the same, each on its own chain, and what lies can be told in their names. */
import { encodeHex } from "../../src/bytes/hex.ts";
import { encodeUtf8 } from "../../src/bytes/utf8.ts";
import { merklePath, merkleRoot } from "../../src/chainpoint/merkle.ts";
import { formatChainpoint, parseChainpoint } from "../../src/chainpoint/proof.ts";
import { type AnchorVerdict, type BoundedFetch, verifyAnchor } from "../../src/client/verify-anchor.ts";
import { sha256 } from "../../src/crypto/hashes.ts";
import { VirtualClock } from "../../src/testing/virtual-clock.ts";
import { type ExampleNode, exampleNode } from "./example-node.ts";

/** An answer as a node gives it. */
export interface Answer {
  readonly status: number;
  readonly bytes: Uint8Array;
}

/** What a node makes of its true answer. */
export type Lie = (path: string, truth: Answer) => Answer;

/** What is checked: the hash that was anchored at one node, unless said otherwise. */
export interface Case {
  /** By the URLs of nodes; the others tell the truth. */
  readonly lies?: Readonly<Record<string, Lie>>;
  readonly nodes?: readonly string[];
  readonly hash?: Uint8Array;
  readonly proof?: unknown;
  readonly confirmations?: number;
}

/** A node; every other URL but the one below is one on the same chain. */
export const NODE = "http://node.example";
/** A node on another chain. */
export const ELSEWHERE = "http://elsewhere.example";
/** A hash that is anchored by itself. */
export const HASH = sha256(Uint8Array.of(200));
/** Hashes whose root is anchored. */
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

/** Anchors hash and root, with some blocks before and behind. */
async function anchor({ server, clock }: ExampleNode): Promise<void> {
  clock.advance(MINUTE);
  for (const hash of [HASH, root])
    await server.inject({ method: "POST", url: "/hash", headers, payload: { hash: encodeHex(hash) } });
  clock.advance(MINUTE);
}

export class AnchoredNodes {
  readonly one: ExampleNode;
  readonly #other: ExampleNode;
  /** Of the hash. */
  readonly proof: unknown;
  /** Of the third leaf, with its path. */
  readonly treeProof: object;
  /** What the one node has to say, as it said it first. */
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

  /** Asks the nodes, of which some may lie. */
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

/** The steps that fail, by name. */
export function failing({ steps }: AnchorVerdict): string[] {
  return steps.filter(({ holds }) => !holds).map(({ name }) => name);
}

/** A lie about the JSON at a path. */
export function changed(at: RegExp, change: (json: never) => unknown): Lie {
  return (path, truth) => {
    if (!at.test(path)) return truth;
    // Whoever tells the lie knows what is there.
    return { ...truth, bytes: encodeUtf8(JSON.stringify(change(jsonIn(truth) as never))) };
  };
}

/** Another answer at a path. */
export function answers(at: RegExp, status: number, bytes: Uint8Array = new Uint8Array(0)): Lie {
  return (path, truth) => (at.test(path) ? { status, bytes } : truth);
}
