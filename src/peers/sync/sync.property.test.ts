/** Random branches, peers that come, go and lie, and blocks in any order: the best honest chain is reached. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { bytesKey } from "../../bytes/compare.ts";
import { SeededRandom } from "../../testing/seeded-random.ts";
import { LoaderWorld } from "../testing/loader-world.ts";
import { modelBlock, modelId, modelNumber } from "../testing/model-chain.ts";
import type { ScriptedPeer } from "../testing/scripted-network.ts";
import type { Message } from "../wire/messages.ts";

/** Our blocks at the start: 0 to 29. */
const OWN = 30;
const MAX_ROLLBACK = 12;

/** A tree of blocks by their numbers. */
class Tree {
  readonly parents = new Map<number, number>();
  #next = 1_000;

  constructor() {
    for (let number = 1; number < OWN; number++) this.parents.set(number, number - 1);
  }

  /** Returns the numbers of a branch from its first block to a tip. */
  branch(tip: number): number[] {
    const numbers: number[] = [];
    for (let at: number | undefined = tip; at !== undefined; at = this.parents.get(at)) numbers.push(at);
    return numbers.reverse();
  }

  /** Adds blocks on one. @returns the new tip */
  grow(from: number, count: number): number {
    let tip = from;
    for (let i = 0; i < count; i++) {
      this.parents.set(this.#next, tip);
      tip = this.#next++;
    }
    return tip;
  }
}

type Temper = "honest" | "leaves" | "mute" | "boasts" | "skips";

/** Another node: a branch and its behaviour. */
interface Other {
  readonly peer: ScriptedPeer;
  readonly temper: Temper;
  readonly branch: readonly number[];
  answered: number;
}

/** The answer of a peer, like the reference's: the parent twice, then some blocks. */
function answersOf(other: Other, tree: Tree, message: Message, chainLength: number): Message[] {
  const { branch, temper } = other;
  if (temper === "mute") return [];
  if (message.type === "GetSignatures") {
    const known = message.ids.map(modelNumber).find((number) => branch.includes(number));
    if (known === undefined) return [{ type: "Signatures", ids: [] }];
    const at = branch.indexOf(known);
    const listed = branch.slice(at, at + chainLength);
    if (temper === "skips" && listed.length > 3) listed.splice(2, 1);
    return [{ type: "Signatures", ids: [known, ...listed].map(modelId) }];
  }
  if (message.type !== "GetBlock") return [];
  const number = modelNumber(message.id);
  return [{ type: "Block", bytes: modelBlock(message.id, modelId(tree.parents.get(number) ?? 0)) }];
}

const plan = fc.record({
  seed: fc.integer({ min: 1, max: 1_000_000 }),
  chainLength: fc.integer({ min: 2, max: 20 }),
  others: fc.array(
    fc.record({
      // Depth of its first block below our tip, and its length.
      back: fc.integer({ min: 0, max: MAX_ROLLBACK }),
      length: fc.integer({ min: 0, max: 60 }),
      temper: fc.constantFrom<Temper>("honest", "honest", "leaves", "mute", "boasts", "skips"),
    }),
    { minLength: 1, maxLength: 5 },
  ),
});

test("the best chain of the honest peers is reached, whatever others do", async () => {
  await fc.assert(
    fc.asyncProperty(plan, async ({ seed, chainLength, others: planned }) => {
      const random = new SeededRandom(seed);
      const world = new LoaderWorld({
        own: OWN,
        debounceMs: 1_000,
        sync: { maxRollback: MAX_ROLLBACK + 1, maxChainLength: chainLength },
      });
      const tree = new Tree();
      const others: Other[] = planned.map(({ back, length, temper }, i) => {
        const branch = tree.branch(tree.grow(OWN - 1 - back, length));
        return { peer: world.network.connect(`${20 + i}.1.1.1`), temper, branch, answered: 0 };
      });
      for (const { peer, temper, branch } of others)
        void peer.says({ type: "Score", score: BigInt(branch.length) * (temper === "boasts" ? 1_000n : 1n) });
      const inFlight: { readonly other: Other; readonly answer: Message }[] = [];
      for (let i = 0; i < 3_000; i++) {
        for (const other of others)
          for (const message of other.peer.take())
            for (const answer of answersOf(other, tree, message, chainLength))
              inFlight.push({ other, answer });
        if (inFlight.length > 0) {
          const [{ other, answer }] = inFlight.splice(random.below(inFlight.length), 1);
          if (!other.peer.isClosed) await other.peer.says(answer);
          if (other.temper === "leaves" && ++other.answered > 5) other.peer.leaves();
        } else await world.advance(500);
        await world.settle();
        if (inFlight.length === 0 && world.loader.stage === "idle" && world.clock.pending === 0) break;
      }
      const honest = others.filter(({ temper }) => temper === "honest" || temper === "boasts");
      let best = OWN;
      const ours = new Set(world.chain.ids.map(modelNumber));
      // A branch may be too deep once ours has switched and grown: nothing can be done then.
      for (const { branch } of honest) {
        const common = branch.filter((number) => ours.has(number)).length;
        if (ours.size - common <= MAX_ROLLBACK) best = Math.max(best, branch.length);
      }
      expect(world.chain.ids.length).toBeGreaterThanOrEqual(best);
      // It is a chain of the tree, and the honest peers are still connected.
      const numbers = world.chain.ids.map(modelNumber);
      expect(numbers).toEqual(tree.branch(numbers[numbers.length - 1]));
      // No peer that sends what it has is banned. A peer that claims more, or whose branch our chain cannot adopt
      // any more, is disconnected; one with our chain, or less, stays.
      for (const { peer, temper, branch } of others) {
        if (temper !== "honest" && temper !== "boasts") continue;
        expect(peer.parting?.kind).not.toBe("blacklisted");
        if (temper === "honest" && branch.length <= world.chain.ids.length)
          expect(peer.parting).toBeUndefined();
      }
      expect(world.invalid.size).toBe(0);
      expect(new Set(world.chain.ids.map(bytesKey)).size).toBe(numbers.length);
    }),
    { seed: 1, numRuns: 150 },
  );
});
