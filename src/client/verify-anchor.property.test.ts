import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AnchoredNodes, changed, type Lie, leaves, NODE } from "../../test/support/anchored-nodes.ts";
import type { AnchorStatus } from "./verify-anchor.ts";

let nodes: AnchoredNodes;
beforeAll(async () => {
  nodes = await AnchoredNodes.start();
});
afterAll(() => nodes.stop());

/** Changes the text or number at an index of a value. */
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

test("verifies nothing false, whatever is changed in a proof or in a node's answers", async () => {
  const truth = (await nodes.check({ hash: leaves[2], proof: nodes.treeProof })).anchored;
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
      const given = which > paths.length ? mutate(nodes.treeProof, member % 12).value : nodes.treeProof;
      const verdict = await nodes.check({ hash: leaves[2], proof: given, lies: { [NODE]: lie } });
      counts.set(verdict.status, (counts.get(verdict.status) ?? 0) + 1);
      if (verdict.status !== "verified") return;
      // Only nodes vouch for the rest of their chain and its beginning.
      const { confirmations: _, genesis: __, ...facts } = verdict.anchored ?? {};
      expect(truth).toMatchObject(facts);
    }),
    { seed: 1, numRuns: 150 },
  );
  expect(counts.get("verified")).toBeGreaterThan(5);
  expect(counts.get("nodes-disagree")).toBeGreaterThan(20);
  expect(counts.get("proof-wrong")).toBeGreaterThan(5);
});
