import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  AnchoredNodes,
  answers,
  changed,
  ELSEWHERE,
  failing,
  HASH,
  type Lie,
  leaves,
  NODE,
} from "../../test/support/anchored-nodes.ts";
import { encodeBase58 } from "../bytes/base58.ts";
import { encodeHex } from "../bytes/hex.ts";
import { encodeUtf8 } from "../bytes/utf8.ts";
import { parseChainpoint } from "../chainpoint/proof.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { type AnchorStatus, type BoundedFetch, verifyAnchor } from "./verify-anchor.ts";

let nodes: AnchoredNodes;
beforeAll(async () => {
  nodes = await AnchoredNodes.start();
});
afterAll(() => nodes.stop());

describe("a true anchor", () => {
  test("is verified in all steps, with the node's proof or a given one", async () => {
    for (const given of [undefined, nodes.proof]) {
      const verdict = await nodes.check({ proof: given });
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
      const { height, position } = parseChainpoint(nodes.proof);
      expect(verdict.anchored).toMatchObject({ height: Number(height), position: Number(position) });
    }
  });

  test("is verified through the path of a tree", async () => {
    const verdict = await nodes.check({ hash: leaves[2], proof: nodes.treeProof });
    expect(verdict).toMatchObject({ status: "verified" });
    expect(verdict.steps[1]).toMatchObject({ name: "path", holds: true });
  });

  test("is verified by several nodes; different spellings of a URL count once", async () => {
    const verdict = await nodes.check({
      nodes: [NODE, `${NODE}/`, "http://node.example:80", "http://second.example"],
    });
    expect(verdict.status).toBe("verified");
    // URLs that differ only by a trailing slash are the same node.
    expect(verdict.steps.filter(({ name }) => name === "node")).toHaveLength(3);
  });

  test("is verified if only one of the nodes returns block bytes", async () => {
    const lies = { "http://old.example": answers(/^\/blocks\/bytes/, 404) };
    expect((await nodes.check({ lies, nodes: ["http://old.example", NODE] })).status).toBe("verified");
    const alone = await nodes.check({ lies, nodes: ["http://old.example"] });
    expect(alone.status).toBe("unreachable");
    expect(failing(alone)).toEqual(["block"]);
  });
});

/** The tree proof with some members changed. */
function proofWith(change: object): unknown {
  return { ...nodes.treeProof, ...change };
}

describe("a proof", () => {
  const steps = () => (nodes.treeProof as { proof: Record<string, string>[] }).proof;
  const turned = (one: Record<string, string>) => ("left" in one ? { right: one.left } : { left: one.right });

  test.each<[string, () => unknown, string]>([
    ["for another hash", () => proofWith({ targetHash: encodeHex(leaves[1]) }), "proof"],
    ["that is invalid", () => ({ hash: 1 }), "proof"],
    [
      "with a changed path",
      () => proofWith({ proof: [{ left: "00".repeat(32) }, ...steps().slice(1)] }),
      "path",
    ],
    ["with a wrong side", () => proofWith({ proof: [turned(steps()[0]), ...steps().slice(1)] }), "path"],
    ["with a path that is too short", () => proofWith({ proof: steps().slice(1) }), "path"],
    ["with another root", () => proofWith({ merkleRoot: encodeHex(HASH) }), "path"],
    ["without its path", () => proofWith({ merkleRoot: undefined, proof: undefined }), "transaction"],
    [
      "of another transaction",
      () => proofWith({ anchors: parseChainpoint(nodes.proof).anchors }),
      "transaction",
    ],
    ["of no transaction", () => proofWith({ anchors: [{ type: "BTCOpReturn", sourceId: "00ff" }] }), "proof"],
    ["of another block", () => proofWith({ block: { height: "3" } }), "place"],
    ["of another place in the block", () => proofWith({ transaction: { position: "7" } }), "place"],
  ])("%s is rejected", async (_, wrong, step) => {
    const verdict = await nodes.check({ hash: leaves[2], proof: wrong() });
    expect(verdict.status).toBe("proof-wrong");
    expect(failing(verdict)).toEqual([step]);
    expect(verdict.says).toContain("is not proved: the proof is wrong");
  });

  test("of an unknown transaction is not anchored", async () => {
    const nowhere = proofWith({ anchors: [{ type: "x", sourceId: encodeBase58(leaves[0]) }] });
    const verdict = await nodes.check({ hash: leaves[2], proof: nowhere });
    expect(verdict.status).toBe("not-anchored");
    expect(failing(verdict)).toEqual(["node"]);
  });

  test("is missing for a hash that was never anchored", async () => {
    const verdict = await nodes.check({ hash: leaves[4] });
    expect(verdict.status).toBe("not-anchored");
    expect(failing(verdict)).toEqual(["proof"]);
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
      "returns another height",
      changed(INFO, (tx: { height: number }) => ({ ...tx, height: tx.height + 1 })),
      "nodes-disagree",
      "transaction",
    ],
    ["returns no height", changed(INFO, () => ({})), "nodes-disagree", "node"],
    ["returns an invalid height", changed(INFO, () => ({ height: 1e300 })), "nodes-disagree", "node"],
    [
      "has a shorter chain than it claims",
      changed(/^\/blocks\/height/, () => ({ height: 1 })),
      "nodes-disagree",
      "node",
    ],
    [
      "claims a longer chain than it returns",
      changed(/^\/blocks\/height/, () => ({ height: 10_000 })),
      "nodes-disagree",
      "node",
    ],
    [
      "returns another block",
      header({ signature: encodeBase58(new Uint8Array(64)) }),
      "nodes-disagree",
      "node",
    ],
    [
      "returns blocks that do not refer to each other",
      header({ reference: encodeBase58(new Uint8Array(64)) }, 1),
      "nodes-disagree",
      "node",
    ],
    ["returns blocks of other heights", header({ height: 1 }), "nodes-disagree", "node"],
    [
      "returns another generator",
      header({ generator: encodeBase58(new Uint8Array(26)) }),
      "nodes-disagree",
      "block",
    ],
    ["returns an invalid generator", header({ generator: "no" }), "nodes-disagree", "node"],
    ["returns no list", changed(HEADERS, () => ({})), "nodes-disagree", "node"],
    ["has no first block", answers(/^\/blocks\/headers\/at/, 404), "nodes-disagree", "node"],
    ["returns other bytes", answers(BYTES, 200, encodeUtf8("no block")), "nodes-disagree", "block"],
    [
      "returns a block whose transactions were changed",
      bytesWith((bytes) => {
        bytes[200] ^= 1;
      }),
      "nodes-disagree",
      "block",
    ],
    [
      "returns a block with another signature",
      bytesWith((bytes) => {
        bytes[bytes.length - 1] ^= 1;
      }),
      "nodes-disagree",
      "block",
    ],
    [
      "returns a block with a changed header",
      bytesWith((bytes) => {
        bytes[8] ^= 1;
      }),
      "nodes-disagree",
      "block",
    ],
    [
      "returns a block of another generator",
      bytesWith((bytes) => {
        bytes[bytes.length - 65] ^= 1;
      }),
      "nodes-disagree",
      "block",
    ],
    ["returns invalid JSON", answers(INFO, 200, encodeUtf8("{")), "nodes-disagree", "node"],
    ["returns endless JSON", answers(INFO, 200, encodeUtf8("[".repeat(100_000))), "nodes-disagree", "node"],
    [
      "returns an endless number",
      answers(/^\/blocks\/height/, 200, encodeUtf8(`{"height":${"9".repeat(6_000)}}`)),
      "nodes-disagree",
      "node",
    ],
    [
      "returns a huge height",
      answers(/^\/blocks\/height/, 200, new Uint8Array(65_537)),
      "nodes-disagree",
      "node",
    ],
    ["returns a huge block", answers(BYTES, 200, new Uint8Array(8_388_609)), "nodes-disagree", "block"],
    ["answers 403", answers(INFO, 403), "nodes-disagree", "node"],
    ["answers 503", answers(INFO, 503), "unreachable", "node"],
    ["answers 429", answers(INFO, 429), "unreachable", "node"],
  ])("that %s is rejected", async (_, lie, status, step) => {
    const verdict = await nodes.check({ proof: nodes.proof, lies: { [NODE]: lie } });
    expect(verdict.status).toBe(status);
    expect(failing(verdict)).toEqual([step]);
    expect(verdict.says.length).toBeLessThan(400);
  });

  test("without a valid proof is reported", async () => {
    const lies = { [NODE]: answers(/^\/index\/hash/, 200, encodeUtf8("null")) };
    expect((await nodes.check({ lies })).status).toBe("proof-wrong");
    const away = { [NODE]: answers(/^\/index\/hash/, 500) };
    expect((await nodes.check({ lies: away })).status).toBe("unreachable");
    expect((await nodes.check({ lies: away, nodes: [NODE, "http://second.example"] })).status).toBe(
      "verified",
    );
  });

  test("on another chain disagrees", async () => {
    const verdict = await nodes.check({ proof: nodes.proof, nodes: [NODE, ELSEWHERE] });
    expect(verdict.status).toBe("nodes-disagree");
    expect(verdict.steps.find(({ holds }) => !holds)?.node).toBe(ELSEWHERE);
  });

  test("with another first block disagrees", async () => {
    const lie = changed(/^\/blocks\/headers\/at/, (one: object) => ({
      ...one,
      signature: encodeBase58(new Uint8Array(64)),
    }));
    const verdict = await nodes.check({
      proof: nodes.proof,
      nodes: [NODE, "http://second.example"],
      lies: { "http://second.example": lie },
    });
    expect(verdict.status).toBe("nodes-disagree");
    expect(failing(verdict)).toEqual(["node"]);
  });

  test("that is unreachable is reported, with the number of nodes that have the anchor", async () => {
    const lies = { "http://away.example": answers(/./, 502) };
    const verdict = await nodes.check({ proof: nodes.proof, lies, nodes: [NODE, "http://away.example"] });
    expect(verdict.status).toBe("unreachable");
    expect(failing(verdict)).toEqual(["node"]);
    expect(verdict.says).toContain("http://away.example: it answers 502; 1 of 2 nodes show the transaction");
  });

  test("that reverted the block reports the transaction as pending or unknown", async () => {
    const gone = answers(INFO, 404);
    expect((await nodes.check({ proof: nodes.proof, lies: { [NODE]: gone } })).status).toBe("not-anchored");
    const waits: Lie = (path, truth) =>
      /^\/transactions\/unconfirmed\/info/.test(path)
        ? { status: 200, bytes: encodeUtf8("{}") }
        : gone(path, truth);
    const verdict = await nodes.check({ proof: nodes.proof, lies: { [NODE]: waits } });
    expect(verdict.status).toBe("not-final");
    expect(failing(verdict)).toEqual(["node"]);
    const both = await nodes.check({
      proof: nodes.proof,
      nodes: [NODE, "http://second.example"],
      lies: { [NODE]: waits },
    });
    expect(both.status).toBe("nodes-disagree");
  });

  test("whose chain ends with the block, or soon after it, has no final anchor", async () => {
    const { height } = parseChainpoint(nodes.proof);
    const short: Lie = (path, truth) => {
      const at = changed(/^\/blocks\/height/, () => ({ height: Number(height) }))(path, truth);
      return at && changed(HEADERS, (list: Headers) => list.slice(0, 1))(path, at);
    };
    expect(await nodes.check({ proof: nodes.proof, lies: { [NODE]: short } })).toMatchObject({
      status: "not-final",
      anchored: { confirmations: 0 },
    });
    const growing: Lie = (path, truth) => (BYTES.test(path) ? { ...truth, status: 404 } : short(path, truth));
    expect((await nodes.check({ proof: nodes.proof, lies: { [NODE]: growing } })).status).toBe("not-final");
    expect((await nodes.check({ proof: nodes.proof, confirmations: 10_000 })).status).toBe("not-final");
  });

  test("that never answers, or sends too slowly, times out", async () => {
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
        proof: nodes.proof,
      });
      // Give pending promises a turn between two seconds.
      for (let second = 0; second < 21; second++) {
        await new Promise((resolve) => setImmediate(resolve));
        clock.advance(1_000);
      }
      expect((await verdict).says).toContain("no answer within 20000 ms");
    }
  });

  test("is not asked without a node, with too many nodes, or without a valid hash", async () => {
    await expect(nodes.check({ nodes: [] })).rejects.toThrow(RangeError);
    await expect(
      nodes.check({ nodes: Array.from({ length: 17 }, (_, i) => `http://n${i}`) }),
    ).rejects.toThrow(RangeError);
    await expect(nodes.check({ hash: new Uint8Array(0) })).rejects.toThrow(RangeError);
    await expect(nodes.check({ hash: new Uint8Array(81) })).rejects.toThrow(RangeError);
  });
});
