/** An anchor is verified where everything holds, and nowhere else: a node of a simulated world tells the truth, and lies. */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ExampleNode, exampleNode } from "../../test/support/example-node.ts";
import { encodeBase58 } from "../bytes/base58.ts";
import { encodeHex } from "../bytes/hex.ts";
import { encodeUtf8 } from "../bytes/utf8.ts";
import { merklePath, merkleRoot } from "../chainpoint/merkle.ts";
import { chainpointOf, readChainpoint } from "../chainpoint/proof.ts";
import { ecdsaPublicKey } from "../crypto/ecdsa.ts";
import { sha256 } from "../crypto/hashes.ts";
import { keyPairFromSeed } from "../crypto/seeds.ts";
import type { KeyPair } from "../crypto/signatures.ts";
import { buildTransaction, typeOf } from "../testing/build-transaction.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { copyTransaction } from "../transactions/index.ts";
import { anchorsHash, signatureFault } from "./anchor-block.ts";
import { type AnchorStatus, type AnchorVerdict, type BoundedFetch, verifyAnchor } from "./verify-anchor.ts";

/** An answer as a node gives it. */
interface Answer {
  readonly status: number;
  readonly bytes: Uint8Array;
}

/** What a node makes of its true answer; undefined: it never answers. */
type Lie = (path: string, truth: Answer) => Answer | undefined;

const NODE = "http://node.example";
const leaves = [0, 1, 2, 3, 4].map((i) => sha256(Uint8Array.of(i)));
const HASH = sha256(Uint8Array.of(200));

let example: ExampleNode;
let other: ExampleNode;
let proof: unknown;
let treeProof: unknown;
/** What the one node has to say, as it said it first. */
const truths = new Map<string, Answer>();

const minutes = 60_000;

/** Anchors the hash and the root of the leaves, and forges some blocks upon it. */
async function anchorAll({ server, clock }: ExampleNode): Promise<string[]> {
  clock.advance(minutes);
  const ids: string[] = [];
  for (const hash of [HASH, merkleRoot(leaves, sha256)]) {
    const answer = await server.inject({
      method: "POST",
      url: "/hash",
      headers: { host: "localhost" },
      payload: { hash: encodeHex(hash) },
    });
    ids.push(readChainpoint(answer.json()).anchors[0].sourceId);
  }
  clock.advance(minutes);
  return ids;
}

async function trueAnswer({ server }: ExampleNode, path: string): Promise<Answer> {
  const { statusCode, rawPayload } = await server.inject({ url: path, headers: { host: "localhost" } });
  return { status: statusCode, bytes: Uint8Array.from(rawPayload) };
}

function fetchOf(lies: Readonly<Record<string, Lie>> = {}): BoundedFetch {
  return async (url, { redirect }) => {
    expect(redirect).toBe("error");
    const { origin, pathname } = new URL(url);
    const elsewhere = origin === "http://elsewhere.example";
    const known = elsewhere ? undefined : truths.get(pathname);
    const truth = known ?? (await trueAnswer(elsewhere ? other : example, pathname));
    if (!elsewhere) truths.set(pathname, truth);
    const lie = lies[origin] ?? ((_, answer) => answer);
    const answer = lie(pathname, truth);
    if (answer === undefined) return new Promise(() => {});
    const { status, bytes } = answer;
    return { status, body: new Response(Uint8Array.from(bytes)).body };
  };
}

interface Case {
  readonly lies?: Readonly<Record<string, Lie>>;
  readonly nodes?: readonly string[];
  readonly hash?: Uint8Array;
  readonly proof?: unknown;
  readonly confirmations?: number;
}

function check({ lies, ...options }: Case = {}): Promise<AnchorVerdict> {
  const clock = new VirtualClock(0);
  const after = clock.after.bind(clock);
  return verifyAnchor({ fetch: fetchOf(lies), after, nodes: [NODE], hash: HASH, ...options });
}

/** The steps that fail, by name. */
function failing({ steps }: AnchorVerdict): string[] {
  return steps.filter(({ holds }) => !holds).map(({ name }) => name);
}

/** A lie about the JSON at a path. */
function changed(at: RegExp, change: (json: never) => unknown): Lie {
  return (path, truth) =>
    at.test(path)
      ? {
          ...truth,
          bytes: encodeUtf8(JSON.stringify(change(JSON.parse(Buffer.from(truth.bytes).toString()) as never))),
        }
      : truth;
}

function answers(at: RegExp, status: number, bytes: Uint8Array = new Uint8Array(0)): Lie {
  return (path, truth) => (at.test(path) ? { status, bytes } : truth);
}

beforeAll(async () => {
  example = await exampleNode();
  const [id, rootId] = await anchorAll(example);
  // Another chain that anchors the same.
  other = await exampleNode();
  other.clock.advance(10_000);
  await anchorAll(other);
  proof = JSON.parse(Buffer.from((await trueAnswer(example, `/hash/${encodeHex(HASH)}`)).bytes).toString());
  expect(readChainpoint(proof).anchors[0].sourceId).toBe(id);
  const { anchors, ...place } = readChainpoint(
    JSON.parse(
      Buffer.from(
        (await trueAnswer(example, `/hash/${encodeHex(merkleRoot(leaves, sha256))}`)).bytes,
      ).toString(),
    ),
  );
  expect(anchors[0].sourceId).toBe(rootId);
  treeProof = {
    ...chainpointOf(
      {
        hash: leaves[2],
        tree: { root: merkleRoot(leaves, sha256), path: merklePath(leaves, 2, sha256) },
        transactionId: new Uint8Array(32),
      },
      "LTODataTransaction",
    ),
    anchors,
    block: { height: place.height },
    transaction: { position: place.position },
  };
});

afterAll(async () => {
  await example.node.stop();
  await other.node.stop();
});

describe("what holds", () => {
  test("is verified, with every step, from the proof of the node or of a file", async () => {
    for (const given of [undefined, proof]) {
      const verdict = await check({ proof: given });
      expect(verdict.says).toMatch(/^The hash [0-9a-f]{64} was anchored by \S+ in block \d+ of /);
      expect(verdict).toMatchObject({ status: "verified", hash: encodeHex(HASH) });
      expect(failing(verdict)).toEqual([]);
      expect(verdict.steps.map(({ name }) => name)).toEqual([
        "proof",
        "node",
        "block",
        "transaction",
        "signature",
        "place",
        "final",
      ]);
      const { height, position } = readChainpoint(proof);
      expect(verdict.anchored).toMatchObject({ height: Number(height), position: Number(position) });
    }
  });

  test("is verified through the path of a tree", async () => {
    const verdict = await check({ hash: leaves[2], proof: treeProof });
    expect(verdict).toMatchObject({ status: "verified" });
    expect(verdict.steps[1]).toMatchObject({ name: "path", holds: true });
  });

  test("is verified by several nodes, named in any way", async () => {
    const verdict = await check({
      nodes: [NODE, `${NODE}/`, "http://node.example:80", "http://second.example"],
    });
    expect(verdict.status).toBe("verified");
    // A URL that differs by a slash alone is the same node.
    expect(verdict.steps.filter(({ name }) => name === "node")).toHaveLength(3);
  });

  test("is verified by nodes of which one only gives blocks as bytes", async () => {
    const lies = { "http://old.example": answers(/^\/blocks\/bytes/, 404) };
    expect((await check({ lies, nodes: ["http://old.example", NODE] })).status).toBe("verified");
    const alone = await check({ lies, nodes: ["http://old.example"] });
    expect([alone.status, failing(alone)]).toEqual(["unreachable", ["block"]]);
  });
});

/** What a proof says, changed in one place. */
function proofWith(change: object): unknown {
  const tree = treeProof as object;
  return { ...tree, ...change };
}

describe("a proof", () => {
  const steps = () => (treeProof as { proof: Record<string, string>[] }).proof;
  const turned = (one: Record<string, string>) => ("left" in one ? { right: one.left } : { left: one.right });

  test.each<[string, () => unknown, string]>([
    ["for another hash", () => proofWith({ targetHash: encodeHex(leaves[1]) }), "proof"],
    ["that is none", () => ({ hash: 1 }), "proof"],
    [
      "with a changed path",
      () => proofWith({ proof: [{ left: "00".repeat(32) }, ...steps().slice(1)] }),
      "path",
    ],
    ["with a wrong side", () => proofWith({ proof: [turned(steps()[0]), ...steps().slice(1)] }), "path"],
    ["with a path that is too short", () => proofWith({ proof: steps().slice(1) }), "path"],
    ["with another root", () => proofWith({ merkleRoot: encodeHex(HASH) }), "path"],
    ["without its path", () => proofWith({ merkleRoot: undefined, proof: undefined }), "transaction"],
    ["of another transaction", () => proofWith({ anchors: readChainpoint(proof).anchors }), "transaction"],
    ["of no transaction", () => proofWith({ anchors: [{ type: "BTCOpReturn", sourceId: "00ff" }] }), "proof"],
    ["of another block", () => proofWith({ block: { height: "3" } }), "place"],
    ["of another place in the block", () => proofWith({ transaction: { position: "7" } }), "place"],
  ])("%s is wrong", async (_, wrong, step) => {
    const verdict = await check({ hash: leaves[2], proof: wrong() });
    expect([verdict.status, failing(verdict)]).toEqual(["proof-wrong", [step]]);
    expect(verdict.says).toContain("is not proved: the proof is wrong");
  });

  test("of a transaction that nobody has is no anchor", async () => {
    const nowhere = proofWith({ anchors: [{ type: "x", sourceId: encodeBase58(leaves[0]) }] });
    const verdict = await check({ hash: leaves[2], proof: nowhere });
    expect([verdict.status, failing(verdict)]).toEqual(["not-anchored", ["node"]]);
  });

  test("is not there for a hash that nobody anchored", async () => {
    const verdict = await check({ hash: leaves[4] });
    expect([verdict.status, failing(verdict)]).toEqual(["not-anchored", ["proof"]]);
  });
});

describe("a node", () => {
  type Headers = { signature: string; reference: string; height: number; generator: string }[];
  const HEADERS = /^\/blocks\/headers\/seq/;
  const BYTES = /^\/blocks\/bytes/;
  const INFO = /^\/transactions\/info/;
  const header = (change: object, at = 0) =>
    changed(HEADERS, (list: Headers) => list.map((one, i) => (i === at ? { ...one, ...change } : one)));
  const bytesWith =
    (change: (bytes: Uint8Array) => void): Lie =>
    (path, truth) => {
      if (!BYTES.test(path)) return truth;
      const bytes = Uint8Array.from(truth.bytes);
      change(bytes);
      return { ...truth, bytes };
    };

  test.each<[string, Lie, AnchorStatus, string]>([
    [
      "says another height",
      changed(INFO, (tx: { height: number }) => ({ ...tx, height: tx.height + 1 })),
      "nodes-disagree",
      "transaction",
    ],
    ["says no height", changed(INFO, () => ({})), "nodes-disagree", "node"],
    ["says a height that is none", changed(INFO, () => ({ height: 1e300 })), "nodes-disagree", "node"],
    [
      "has a shorter chain than it said",
      changed(/^\/blocks\/height/, () => ({ height: 1 })),
      "nodes-disagree",
      "node",
    ],
    [
      "has a longer chain than it shows",
      changed(/^\/blocks\/height/, () => ({ height: 10_000 })),
      "nodes-disagree",
      "node",
    ],
    [
      "shows another block",
      header({ signature: encodeBase58(new Uint8Array(64)) }),
      "nodes-disagree",
      "node",
    ],
    [
      "shows blocks that do not stand on each other",
      header({ reference: encodeBase58(new Uint8Array(64)) }, 1),
      "nodes-disagree",
      "node",
    ],
    ["shows blocks of other heights", header({ height: 1 }), "nodes-disagree", "node"],
    [
      "shows another generator",
      header({ generator: encodeBase58(new Uint8Array(26)) }),
      "nodes-disagree",
      "block",
    ],
    ["shows a generator that is none", header({ generator: "no" }), "nodes-disagree", "node"],
    ["shows no list", changed(HEADERS, () => ({})), "nodes-disagree", "node"],
    ["has no first block", answers(/^\/blocks\/headers\/at/, 404), "nodes-disagree", "node"],
    ["gives other bytes", answers(BYTES, 200, encodeUtf8("no block")), "nodes-disagree", "block"],
    [
      "gives a block whose transactions were changed",
      bytesWith((bytes) => {
        bytes[200] ^= 1;
      }),
      "nodes-disagree",
      "block",
    ],
    [
      "gives a block with another signature",
      bytesWith((bytes) => {
        bytes[bytes.length - 1] ^= 1;
      }),
      "nodes-disagree",
      "block",
    ],
    [
      "gives a block with a changed header",
      bytesWith((bytes) => {
        bytes[8] ^= 1;
      }),
      "nodes-disagree",
      "block",
    ],
    [
      "gives a block of another generator",
      bytesWith((bytes) => {
        bytes[bytes.length - 65] ^= 1;
      }),
      "nodes-disagree",
      "block",
    ],
    ["gives what is no JSON", answers(INFO, 200, encodeUtf8("{")), "nodes-disagree", "node"],
    [
      "gives JSON without an end",
      answers(INFO, 200, encodeUtf8("[".repeat(100_000))),
      "nodes-disagree",
      "node",
    ],
    [
      "gives a number without an end",
      answers(/^\/blocks\/height/, 200, encodeUtf8(`{"height":${"9".repeat(6_000)}}`)),
      "nodes-disagree",
      "node",
    ],
    [
      "gives a huge height",
      answers(/^\/blocks\/height/, 200, new Uint8Array(65_537)),
      "nodes-disagree",
      "node",
    ],
    ["gives a huge block", answers(BYTES, 200, new Uint8Array(8_388_609)), "nodes-disagree", "block"],
    ["refuses", answers(INFO, 403), "nodes-disagree", "node"],
    ["cannot", answers(INFO, 503), "unreachable", "node"],
    ["is asked too much", answers(INFO, 429), "unreachable", "node"],
  ])("that %s proves nothing", async (_, lie, status, step) => {
    const verdict = await check({ proof, lies: { [NODE]: lie } });
    expect([verdict.status, failing(verdict)]).toEqual([status, [step]]);
    expect(verdict.says.length).toBeLessThan(400);
  });

  test("that gives no proof is said so", async () => {
    const lies = { [NODE]: answers(/^\/index\/hash/, 200, encodeUtf8("null")) };
    expect((await check({ lies })).status).toBe("proof-wrong");
    const away = { [NODE]: answers(/^\/index\/hash/, 500) };
    expect((await check({ lies: away })).status).toBe("unreachable");
    expect((await check({ lies: away, nodes: [NODE, "http://second.example"] })).status).toBe("verified");
  });

  test("on another chain does not agree", async () => {
    const verdict = await check({ proof, nodes: [NODE, "http://elsewhere.example"] });
    expect(verdict.status).toBe("nodes-disagree");
    expect(verdict.steps.find(({ holds }) => !holds)?.node).toBe("http://elsewhere.example");
  });

  test("with another first block does not agree", async () => {
    const lie = changed(/^\/blocks\/headers\/at/, (one: object) => ({
      ...one,
      signature: encodeBase58(new Uint8Array(64)),
    }));
    const verdict = await check({
      proof,
      nodes: [NODE, "http://second.example"],
      lies: { "http://second.example": lie },
    });
    expect([verdict.status, failing(verdict)]).toEqual(["nodes-disagree", ["node"]]);
  });

  test("that is away is said, with those that show it", async () => {
    const lies = { "http://away.example": answers(/./, 502) };
    const verdict = await check({ proof, lies, nodes: [NODE, "http://away.example"] });
    expect([verdict.status, failing(verdict)]).toEqual(["unreachable", ["node"]]);
    expect(verdict.says).toContain("http://away.example: it answers 502; 1 of 2 nodes show it");
  });

  test("that reorganised it away no longer has it, while it waits or for good", async () => {
    const gone = answers(INFO, 404);
    expect((await check({ proof, lies: { [NODE]: gone } })).status).toBe("not-anchored");
    const waits: Lie = (path, truth) =>
      /^\/transactions\/unconfirmed\/info/.test(path)
        ? { status: 200, bytes: encodeUtf8("{}") }
        : gone(path, truth);
    const verdict = await check({ proof, lies: { [NODE]: waits } });
    expect([verdict.status, failing(verdict)]).toEqual(["not-final", ["node"]]);
    const both = await check({ proof, nodes: [NODE, "http://second.example"], lies: { [NODE]: waits } });
    expect(both.status).toBe("nodes-disagree");
  });

  test("whose chain ends with the block, or soon after it, shows nothing final", async () => {
    const { height } = readChainpoint(proof);
    const short: Lie = (path, truth) => {
      const at = changed(/^\/blocks\/height/, () => ({ height: Number(height) }))(path, truth);
      return at && changed(HEADERS, (list: Headers) => list.slice(0, 1))(path, at);
    };
    expect(await check({ proof, lies: { [NODE]: short } })).toMatchObject({
      status: "not-final",
      anchored: { confirmations: 0 },
    });
    const growing: Lie = (path, truth) => (BYTES.test(path) ? { ...truth, status: 404 } : short(path, truth));
    expect((await check({ proof, lies: { [NODE]: growing } })).status).toBe("not-final");
    expect((await check({ proof, confirmations: 10_000 })).status).toBe("not-final");
  });

  test("that takes too long, or sends drop by drop, is given up", async () => {
    const clock = new VirtualClock(0);
    const drops: BoundedFetch = async () => ({
      status: 200,
      body: new ReadableStream({
        pull: (controller) =>
          new Promise((resolve) => {
            clock.after(1_000, () => {
              controller.enqueue(Uint8Array.of(0x20));
              resolve();
            });
          }),
      }),
    });
    const never: BoundedFetch = () => new Promise(() => {});
    for (const fetch of [never, drops]) {
      const verdict = verifyAnchor({
        fetch,
        after: clock.after.bind(clock),
        nodes: [NODE],
        hash: HASH,
        proof,
      });
      // Whatever waits for its turn has it between two seconds.
      for (let second = 0; second < 21; second++) {
        await new Promise((resolve) => setImmediate(resolve));
        clock.advance(1_000);
      }
      expect((await verdict).says).toContain("no answer within 20000 ms");
    }
  });

  test("is not asked where there is none, or too many, or for no hash", async () => {
    await expect(check({ nodes: [] })).rejects.toThrow(RangeError);
    await expect(check({ nodes: Array.from({ length: 17 }, (_, i) => `http://n${i}`) })).rejects.toThrow(
      RangeError,
    );
    await expect(check({ hash: new Uint8Array(0) })).rejects.toThrow(RangeError);
    await expect(check({ hash: new Uint8Array(81) })).rejects.toThrow(RangeError);
  });
});

describe("a transaction", () => {
  const ecdsa = (keyType: "secp256k1" | "secp256r1"): KeyPair => {
    const privateKey = sha256(encodeUtf8(keyType));
    return { keyType, privateKey, publicKey: ecdsaPublicKey(keyType, privateKey) };
  };
  const pairs = [keyPairFromSeed(encodeUtf8("sender")), ecdsa("secp256k1"), ecdsa("secp256r1")];
  const anchor = (sender: KeyPair, sponsor?: KeyPair) =>
    buildTransaction({
      type: typeOf("anchor"),
      sender,
      sponsor,
      fee: 1n,
      timestamp: 1,
      chainId: 84,
      members: { anchors: [HASH] },
    });

  test("is signed by keys of each type, and by its sponsor", () => {
    for (const [i, pair] of pairs.entries()) {
      const sponsor = pairs[(i + 1) % pairs.length];
      expect(signatureFault(anchor(pair))).toBeUndefined();
      expect(signatureFault(anchor(pair, sponsor))).toBeUndefined();
      const sponsored = anchor(pair, sponsor);
      const [own, its] = sponsored.proofs;
      expect(signatureFault(copyTransaction(sponsored, { proofs: [own] }))).toContain("its sponsor");
      expect(signatureFault(copyTransaction(sponsored, { proofs: [its] }))).toContain("its sender");
      expect(signatureFault(copyTransaction(anchor(pair), { proofs: [] }))).toContain("its sender");
      const wrong = own.map((byte, at) => (at === 40 ? byte ^ 1 : byte));
      expect(signatureFault(copyTransaction(anchor(pair), { proofs: [wrong] }))).toContain("its sender");
    }
  });

  test("anchors its hashes, and the values of its keys", () => {
    const mapped = buildTransaction({
      type: typeOf("mapped anchor"),
      sender: pairs[0],
      fee: 1n,
      timestamp: 1,
      chainId: 84,
      members: { anchors: [[leaves[0], HASH]] },
    });
    expect([anchorsHash(anchor(pairs[0]), HASH), anchorsHash(anchor(pairs[0]), leaves[0])]).toEqual([
      true,
      false,
    ]);
    expect([anchorsHash(mapped, HASH), anchorsHash(mapped, leaves[0])]).toEqual([true, false]);
  });
});

/** The texts and numbers in a value, each changed by itself. */
function mutate(value: unknown, at: number): { value: unknown; left: number } {
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value);
    const made: [string, unknown][] = [];
    let left = at;
    for (const [name, one] of entries) {
      const inner = left >= 0 ? mutate(one, left) : { value: one, left };
      left = inner.left;
      made.push([name, inner.value]);
    }
    return { value: Array.isArray(value) ? made.map(([, one]) => one) : Object.fromEntries(made), left };
  }
  if (at > 0) return { value, left: at - 1 };
  if (typeof value === "number") return { value: value + 1, left: -1 };
  if (typeof value !== "string") return { value: null, left: -1 };
  const digit = value.at(-1) === "1" ? "2" : "1";
  return { value: value.slice(0, -1) + digit, left: -1 };
}

test("whatever is changed in a proof or in the answers of a node, nothing is verified but what is so", async () => {
  const truth = (await check({ hash: leaves[2], proof: treeProof })).anchored;
  const counts = new Map<AnchorStatus, number>();
  await fc.assert(
    fc.asyncProperty(fc.nat(5), fc.nat(60), fc.nat(), async (which, member, bit) => {
      const paths = [
        /^\/transactions\/info/,
        /^\/blocks\/height/,
        /^\/blocks\/headers\/seq/,
        /^\/blocks\/headers\/at/,
      ];
      const lie: Lie =
        which < paths.length
          ? changed(paths[which], (json) => mutate(json, member).value)
          : (path, answer) => {
              if (which > paths.length || !path.startsWith("/blocks/bytes")) return answer;
              const bytes = Uint8Array.from(answer.bytes);
              bytes[(bit >> 3) % bytes.length] ^= 1 << (bit & 7);
              return { ...answer, bytes };
            };
      const given = which > paths.length ? mutate(treeProof, member % 12).value : treeProof;
      const verdict = await check({ hash: leaves[2], proof: given, lies: { [NODE]: lie } });
      counts.set(verdict.status, (counts.get(verdict.status) ?? 0) + 1);
      if (verdict.status !== "verified") return;
      // What nodes alone say: how their chain goes on, and how it began.
      const { confirmations: _, genesis: __, ...facts } = verdict.anchored ?? {};
      expect(truth).toMatchObject(facts);
    }),
    { seed: 1, numRuns: 150 },
  );
  expect(counts.get("verified")).toBeGreaterThan(5);
  expect(counts.get("nodes-disagree")).toBeGreaterThan(20);
  expect(counts.get("proof-wrong")).toBeGreaterThan(5);
});
