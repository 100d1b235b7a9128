/** Recorded behaviour during sync. Page 04 §10, §11. */
import { describe, expect, test } from "vitest";
import { data, FILE, section } from "../../../test/support/network-vectors.ts";
import { expectKnown, hasVectors } from "../../../test/vectors.ts";
import { blockBytes, buildBlock } from "../../blocks/block.ts";
import { readBlock } from "../../chain/reading/rows.ts";
import { rootKeyPair } from "../../testing/dev-node.ts";
import { Branch } from "../testing/branch.ts";
import { askedOf, LoaderWorld } from "../testing/loader-world.ts";
import { modelId } from "../testing/model-chain.ts";
import { live, SyncNode } from "../testing/paired-networks.ts";

interface LoaderCase {
  readonly steps: readonly string[];
  readonly expect: string;
  readonly then?: readonly string[];
  readonly expect_then?: string;
}

const range = (from: string, to: string): number[] => {
  const step = Number(from) <= Number(to) ? 1 : -1;
  const count = Math.abs(Number(to) - Number(from)) + 1;
  return Array.from({ length: count }, (_, i) => Number(from) + i * step);
};

async function runLoader(one: LoaderCase): Promise<void> {
  const world = new LoaderWorld({ own: 100, sync: { maxRollback: 10, timeoutMs: 1_000 } });
  const peer = world.network.connect("8.8.8.8");
  let asked: string[] = [];
  let listed = false;
  let waited = false;
  const run = async (step: string): Promise<void> => {
    const [, first, last] = /^receive Signatures\((\d+)\.\.(\d+)\)$/.exec(step) ?? [];
    const [, block] = /^receive block (\d+)$/.exec(step) ?? [];
    const [, invalid] = /^(\d+) is in the invalid block storage$/.exec(step) ?? [];
    if (step === "unexpected block from A") await world.sends(peer, 100);
    else if (/^best channel A( score 1)?$/.test(step)) await world.leads(peer, 110);
    else if (/^wait synchronization-timeout \(1 m?s\)$/.test(step)) {
      waited = true;
      await world.advance(1_000);
    } else if (invalid !== undefined) world.invalid.add(modelId(Number(invalid)), "GenericError(it is bad)");
    else if (block !== undefined) await world.sends(peer, Number(block));
    else if (first !== undefined) {
      listed = true;
      await world.lists(peer, range(first, last));
    } else throw new Error(`step "${step}"`);
    asked = [...asked, ...askedOf(peer)];
  };
  const check = (expectation: string): void => {
    const [, first, last] = /^send GetSignatures\((\d+)\.\.(\d+)\)$/.exec(expectation) ?? [];
    const [, extension] = /^extension \[([\d, ]+)\] is applied$/.exec(expectation) ?? [];
    if (expectation === "handed on as a single block") expect(world.unclaimed).toEqual([100]);
    else if (expectation === "A closed and blacklisted")
      // Silence causes no ban: there may be nothing in common, or the node may be stopped.
      expect(peer.parting?.kind).toBe(!waited ? "blacklisted" : listed ? "suspended" : "closed");
    else if (first !== undefined) expect(asked).toEqual([`GetSignatures ${first}..${last}`]);
    else if (extension !== undefined)
      expect(world.chain.applied).toEqual([extension.split(", ").map(Number)]);
    else if (expectation.startsWith("send GetBlock"))
      expect(asked).toEqual(
        expectation.match(/GetBlock\(\d+\)/g)?.map((text) => text.replace(/\((.*)\)/, " $1")),
      );
    else throw new Error(`expectation "${expectation}"`);
    asked = [];
  };
  for (const step of one.steps) await run(step);
  check(one.expect);
  for (const step of one.then ?? []) await run(step);
  if (one.expect_then !== undefined) check(one.expect_then);
}

/** A node whose chain is a little longer than the common branch, and a peer. */
function followed() {
  const branch = new Branch().forge(8);
  const node = new SyncNode(branch);
  const peer = node.network.connect("8.8.8.8");
  peer.take();
  const { chain, clock } = branch.node;
  /** True if a peer that sends a score is asked. */
  const isFollowed = async (score: bigint): Promise<boolean> => {
    const other = node.network.connect("9.9.9.9");
    other.take();
    void other.says({ type: "Score", score });
    await live(clock, [], 1_500);
    const types = other.take().map(({ type }) => type);
    other.leaves();
    return types.includes("GetSignatures");
  };
  return { branch, node, peer, chain, clock, isFollowed };
}

/** The steps of a new node. */
const afterwards: Readonly<Record<string, () => Promise<void>>> = {
  "h=255; A: extension of 4 blocks on our tip, the second one invalid": async () => {
    const { branch, node, peer, chain, clock, isFollowed } = followed();
    const longer = Branch.from(branch, branch.height, "MAINTAIN").forge(4);
    const blocks = [1, 2, 3, 4].map((n) =>
      longer.node.chain.read((reader) => readBlock(reader, branch.height + n, longer.node.profile)),
    );
    const [first, second, third, fourth] = blocks.flatMap((block) => block ?? []);
    const wrong = buildBlock({ ...second, baseTarget: second.baseTarget + 1n }, rootKeyPair);
    const next = buildBlock({ ...third, reference: wrong.signature }, rootKeyPair);
    const last = buildBlock({ ...fourth, reference: next.signature }, rootKeyPair);
    const sent = [first, wrong, next, last];
    const sender = node.network.connect("7.7.7.7");
    const { tip } = chain;
    void sender.says({ type: "Score", score: longer.score });
    await live(clock, [], 1_500);
    void sender.says({ type: "Signatures", ids: [tip.id, ...sent.map(({ signature }) => signature)] });
    for (const block of sent) void sender.says({ type: "Block", bytes: blockBytes(block) });
    await live(clock, [], 3_000);
    expect(chain.tip).toEqual(tip);
    expect(sender.parting?.kind).toBe("blacklisted");
    // There is no new score to tell or to compare with.
    expect(peer.take()).toEqual([]);
    expect(await isFollowed(tip.score)).toBe(false);
    expect(await isFollowed(tip.score + 1n)).toBe(true);
  },
  "h=255; REST rollback to 250": async () => {
    const { branch, node, peer, chain, isFollowed } = followed();
    chain.removeAfter(branch.ids[3], { returnTransactions: false });
    node.sync.announceScore();
    const { score } = chain.tip;
    expect(peer.take()).toEqual([{ type: "Score", score }]);
    expect(await isFollowed(score)).toBe(false);
    expect(await isFollowed(score + 1n)).toBe(true);
  },
  "h=261; accepted Checkpoint that rolls back to 255": async () => {
    const { branch, peer, chain, clock, isFollowed } = followed();
    chain.removeAfter(branch.ids[3], { returnTransactions: false });
    const { score } = chain.tip;
    expect(peer.take()).toEqual([]);
    await live(clock, [], 1_500);
    // As after any other change.
    expect(peer.take()).toEqual([{ type: "Score", score }]);
    expect(await isFollowed(score)).toBe(false);
    expect(await isFollowed(score + 1n)).toBe(true);
  },
};

describe.skipIf(!hasVectors(FILE))(FILE, () => {
  section("scenarios", data.scenarios, (scenarios) => {
    for (const { name, cases } of scenarios) {
      if (name === "extension_loader")
        test(name, async () => {
          // The run checks each step and member.
          for (const one of cases as LoaderCase[]) {
            expectKnown(Object.keys(one), ["steps", "expect", "then", "expect_then"], name);
            await runLoader(one);
          }
        });
      if (name === "score_after_failure_and_rollback")
        test(name, async () => {
          for (const one of cases as { steps: readonly string[] }[]) {
            expectKnown(Object.keys(one), ["steps", "expect", "new_node"], name);
            const run = afterwards[one.steps.join("; ")];
            if (run === undefined) throw new Error(`steps "${one.steps.join("; ")}"`);
            await run();
          }
        });
    }
  });
});
