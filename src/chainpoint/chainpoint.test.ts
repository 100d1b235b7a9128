import { spawnSync } from "node:child_process";
import { join } from "node:path";
import fc from "fast-check";
import MerkleTools from "merkle-tools";
import { describe, expect, test } from "vitest";
import { encodeBase58 } from "../bytes/base58.ts";
import { concatBytes } from "../bytes/compare.ts";
import { decodeHex, encodeHex } from "../bytes/hex.ts";
import { sha256 } from "../crypto/hashes.ts";
import { merklePath, merkleRoot, NoLeavesError, rootOfPath } from "./merkle.ts";
import { anchoredHash, ChainpointError, formatChainpoint, isPathValid, parseChainpoint } from "./proof.ts";

const leavesOf = (count: number): Uint8Array[] =>
  Array.from({ length: count }, (_, i) => sha256(Uint8Array.of(i & 255, i >> 8)));

const hash = (...parts: Uint8Array[]): Uint8Array => sha256(concatBytes(...parts));

describe("a tree", () => {
  test("matches Chainpoint: a node without a sibling moves up unchanged", () => {
    const [a, b, c, d, e] = leavesOf(5);
    expect(merkleRoot([a], sha256)).toEqual(a);
    expect(merkleRoot([a, b], sha256)).toEqual(hash(a, b));
    expect(merkleRoot([a, b, c], sha256)).toEqual(hash(hash(a, b), c));
    expect(merkleRoot([a, b, c, d, e], sha256)).toEqual(hash(hash(hash(a, b), hash(c, d)), e));
    expect(merklePath([a, b, c, d, e], 4, sha256)).toEqual([
      { side: "left", hash: hash(hash(a, b), hash(c, d)) },
    ]);
  });

  test.each([1, 2, 3, 5, 6, 7, 13, 16, 33, 100, 257])(
    "of %i leaves has the root, and paths, that Chainpoint's own tool takes for right",
    (count) => {
      const leaves = leavesOf(count);
      const root = encodeHex(merkleRoot(leaves, sha256));
      const tools = new MerkleTools({ hashType: "sha256" });
      tools.addLeaves(leaves.map(encodeHex));
      tools.makeTree(false);
      expect(tools.getMerkleRoot()?.toString("hex")).toBe(root);
      // Some leaves of each tree, including the last ones, whose paths are short.
      for (const i of leaves.keys()) {
        if (i % 8 > 0 && i < count - 3) continue;
        const tree = { root: decodeHex(root), path: merklePath(leaves, i, sha256) };
        const proof = formatChainpoint(
          { hash: leaves[i], tree, transactionId: leaves[0] },
          "DataTransaction",
        );
        const { targetHash, merkleRoot: end, proof: path } = JSON.parse(JSON.stringify(proof));
        expect(tools.validateProof(path, targetHash, end)).toBe(true);
        expect(tools.validateProof(path, encodeHex(sha256(leaves[i])), end)).toBe(false);
      }
    },
  );

  test("has a path from every leaf to its root, and from no other value", () => {
    for (let count = 1; count <= 40; count++) {
      const leaves = leavesOf(count);
      const root = merkleRoot(leaves, sha256);
      for (const [i, leaf] of leaves.entries()) {
        const path = merklePath(leaves, i, sha256);
        expect(path.length).toBeLessThanOrEqual(Math.ceil(Math.log2(count)));
        expect(rootOfPath(leaf, path, sha256)).toEqual(root);
        expect(rootOfPath(sha256(leaf), path, sha256)).not.toEqual(root);
      }
    }
  });

  test("equals the tree over the roots of its groups, if their size is a power of two", () => {
    const counts = { count: fc.integer({ min: 1, max: 300 }), power: fc.integer({ min: 0, max: 6 }) };
    fc.assert(
      fc.property(fc.record({ ...counts, at: fc.nat() }), ({ count, power, at }) => {
        const leaves = leavesOf(count);
        const size = 2 ** power;
        const groups = Array.from({ length: Math.ceil(count / size) }, (_, i) =>
          leaves.slice(i * size, (i + 1) * size),
        );
        const roots = groups.map((group) => merkleRoot(group, sha256));
        expect(merkleRoot(roots, sha256)).toEqual(merkleRoot(leaves, sha256));
        const index = at % count;
        const group = Math.floor(index / size);
        expect([
          ...merklePath(groups[group], index % size, sha256),
          ...merklePath(roots, group, sha256),
        ]).toEqual(merklePath(leaves, index, sha256));
      }),
      { numRuns: 50 },
    );
  });

  test("needs leaves, and has paths only from them", () => {
    expect(() => merkleRoot([], sha256)).toThrow(NoLeavesError);
    for (const index of [-1, 3, Number.NaN])
      expect(() => merklePath(leavesOf(3), index, sha256)).toThrow(RangeError);
  });
});

const ID = sha256(Uint8Array.of(1));

function treeProof(leaves: readonly Uint8Array[], index: number) {
  const tree = { root: merkleRoot(leaves, sha256), path: merklePath(leaves, index, sha256) };
  return formatChainpoint({ hash: leaves[index], tree, transactionId: ID }, "LTODataTransaction");
}

describe("a proof", () => {
  test("names the transaction that anchors a hash", () => {
    const proof = formatChainpoint(
      { hash: ID, transactionId: ID, height: 5, position: 0 },
      "LTODataTransaction",
    );
    expect(JSON.stringify(proof)).toBe(
      `{"@context":"https://w3id.org/chainpoint/v2","type":"ChainpointSHA256v2","targetHash":"${encodeHex(ID)}",` +
        `"anchors":[{"type":"LTODataTransaction","sourceId":"${encodeBase58(ID)}"}],` +
        `"block":{"height":"5"},"transaction":{"position":"0"}}`,
    );
    const read = parseChainpoint(JSON.parse(JSON.stringify({ chainpoint: proof })));
    expect(read).toMatchObject({ hash: ID, height: "5", position: "0" });
    expect(anchoredHash(read)).toEqual(ID);
    expect(isPathValid(read, sha256)).toBe(true);
  });

  test("holds the path of a leaf, with the members in Chainpoint's order", () => {
    const leaves = leavesOf(3);
    const proof = treeProof(leaves, 1);
    expect(Object.keys(JSON.parse(JSON.stringify(proof)))).toEqual([
      "@context",
      "type",
      "targetHash",
      "merkleRoot",
      "proof",
      "anchors",
    ]);
    expect(proof.proof).toEqual([{ left: encodeHex(leaves[0]) }, { right: encodeHex(leaves[2]) }]);
    const read = parseChainpoint(proof);
    expect(anchoredHash(read)).toEqual(merkleRoot(leaves, sha256));
    expect(isPathValid(read, sha256)).toBe(true);
    expect(isPathValid({ ...read, hash: leaves[0] }, sha256)).toBe(false);
  });

  test.each<[string, object, string]>([
    ["another context", { "@context": "https://w3id.org/chainpoint/v3" }, "@context is not"],
    ["another type", { type: "ChainpointSHA512v2" }, "type is not"],
    ["no hash", { targetHash: undefined }, "targetHash is not hexadecimal text of 1 to 80 bytes"],
    ["a hash with a wrong digit", { targetHash: "0g" }, "targetHash"],
    ["a hash of halves", { targetHash: "abc" }, "targetHash"],
    ["a hash that is too long", { targetHash: "00".repeat(81) }, "targetHash"],
    ["no anchors", { anchors: [] }, "anchors is not a list"],
    ["too many anchors", { anchors: Array(101).fill({ type: "a", sourceId: "b" }) }, "anchors is not a list"],
    ["an anchor without a source", { anchors: [{ type: "a" }] }, "anchors[0].sourceId"],
    ["a path without a root", { merkleRoot: undefined }, "merkleRoot is not hexadecimal text of 32 bytes"],
    ["a root without a path", { proof: undefined }, "proof is not a list"],
    ["a path that is too long", { proof: Array(65).fill({ left: "00".repeat(32) }) }, "proof is not a list"],
    ["a step to both sides", { proof: [{ left: "00", right: "00" }] }, "proof[0] must have exactly one"],
    ["a step to nowhere", { proof: [{}] }, "proof[0] must have exactly one"],
    ["a step that is none", { proof: [null] }, "proof[0] is not an object"],
    ["a step of another length", { proof: [{ left: "00" }] }, "proof[0].left is not hexadecimal text of 32"],
    [
      "a path from a hash of another length",
      { targetHash: "00".repeat(16) },
      "targetHash is not a hash of 32",
    ],
    ["a block that is none", { block: 5 }, "block is not an object"],
    ["a height that is none", { block: { height: "1e3" } }, "block.height is not a whole number"],
  ])("with %s is none", (_, change, message) => {
    const wrong = { ...treeProof(leavesOf(3), 0), ...change };
    expect(() => parseChainpoint(wrong)).toThrow(ChainpointError);
    expect(() => parseChainpoint(wrong)).toThrow(message);
  });

  test("parses any value or throws a ChainpointError", () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        try {
          parseChainpoint(value);
        } catch (error) {
          expect(error).toBeInstanceOf(ChainpointError);
        }
      }),
      { numRuns: 200 },
    );
    expect(decodeHex(treeProof(leavesOf(1), 0).targetHash)).toEqual(leavesOf(1)[0]);
  });
});

const hasPython = spawnSync("python3", ["--version"]).status === 0;

/** Returns how many proofs a program in another language accepts. */
function acceptedElsewhere(proofs: readonly unknown[]): number {
  const program = join(import.meta.dirname, "..", "..", "test", "support", "chainpoint.py");
  const input = proofs.map((proof) => `${JSON.stringify(proof)}\n`).join("");
  const { stdout } = spawnSync("python3", [program], { input, encoding: "utf8" });
  return Number(stdout);
}

test.skipIf(!hasPython)(
  "a program that knows the specification alone accepts what is right (python3)",
  () => {
    const proofs = Array.from({ length: 20 }, (_, i) => i + 1).flatMap((count) => {
      const leaves = leavesOf(count);
      return leaves.map((_, i) => treeProof(leaves, i));
    });
    const wrong = proofs.map((proof, i) => ({
      ...proof,
      targetHash: proofs[(i + 1) % proofs.length].merkleRoot,
    }));
    expect(acceptedElsewhere(proofs)).toBe(210);
    expect(acceptedElsewhere(wrong.filter(({ proof }) => proof?.length !== 0))).toBe(0);
  },
);
