/** Recorded behaviour at the tip, step by step. Page 04 §13.1, §14. */
import { describe, expect, test } from "vitest";
import { data, FILE, section } from "../../../test/support/network-vectors.ts";
import { expectKnown, hasVectors } from "../../../test/vectors.ts";
import { type Block, blockBytes } from "../../blocks/block.ts";
import { microBlockBytes } from "../../blocks/micro-block.ts";
import { bytesEqual, concatBytes } from "../../bytes/compare.ts";
import { blockText } from "../../chain/deciding/block-refusal.ts";
import { DEFAULT_PEER_OPTIONS } from "../options.ts";
import { shortId } from "../short-id.ts";
import { LiveWorld, settled } from "../testing/live-world.ts";
import type { ScriptedPeer } from "../testing/scripted-network.ts";

interface SteppedCase {
  readonly steps: readonly string[];
  readonly expect: string;
  readonly then?: readonly string[];
  readonly expect_then?: string;
}

/** Micro blocks by the numbers of their totals, on key block 0: 1 and 2 on it, or 2 on 1. */
async function runMicroBlockCase(one: SteppedCase): Promise<void> {
  expectKnown(Object.keys(one), ["steps", "expect", "then", "expect_then"], "micro blocks");
  const microBlocks = { responseTimeoutMs: 1_000, processedMs: 60_000, announcementMs: 60_000 };
  const world = new LiveWorld({ live: { options: { gossip: DEFAULT_PEER_OPTIONS.gossip, microBlocks } } });
  const base = world.forged();
  const first = world.micro(base);
  const made = new Map([
    ["1 upon 0", first],
    ["2 upon 0", world.micro(base)],
    ["2 upon 1", world.micro(first.total)],
  ]);
  const peers = new Map<string, ScriptedPeer>();
  const requests: string[] = [];
  const peerOf = (name: string): ScriptedPeer => {
    const peer = peers.get(name) ?? world.network.connect();
    peers.set(name, peer);
    return peer;
  };
  const totalOf = (number: string): Uint8Array => (number === "0" ? base.signature : first.total.signature);
  const look = (): void => {
    for (const [name, peer] of peers)
      for (const message of peer.take()) {
        if (message.type !== "MicroBlockRequest") continue;
        const [upon] = [...made].find(([, { micro }]) => bytesEqual(micro.totalSignature, message.id)) ?? [];
        requests.push(`${name} <- request(${upon?.charAt(0)})`);
      }
  };
  const run = async (step: string): Promise<void> => {
    const [, inviter, total, reference] = /^(\w): inv\((?:total )?(\d), ?(?:prev )?(\d)\)$/.exec(step) ?? [];
    const [, answerer] = /^(\w): response\(1\)$/.exec(step) ?? [];
    const [, seconds] = /^(\d) s pass$/.exec(step) ?? [];
    const [, last] = /^last block (\d)$/.exec(step) ?? [];
    if (inviter !== undefined) {
      const announcement = made.get(`${total} upon ${reference}`)?.announcement;
      if (announcement === undefined) throw new Error(`step "${step}"`);
      await peerOf(inviter).says({ type: "MicroBlockInv", announcement });
    } else if (answerer !== undefined)
      await peerOf(answerer).says({ type: "MicroBlockResponse", bytes: microBlockBytes(first.micro) });
    else if (seconds !== undefined) await world.pass(Number(seconds) * 1_000);
    else if (last !== undefined) expect(shortId(world.node.chain.tip.id)).toBe(shortId(totalOf(last)));
    else throw new Error(`step "${step}"`);
    look();
  };
  const check = (expectation: string): void => {
    if (/<-/.test(expectation)) {
      const wanted = expectation.split(/, (?:later )?/);
      expect(requests.filter((request) => wanted.includes(request))).toEqual(wanted);
    } else if (expectation === "no second request") expect(requests).toEqual(["A <- request(1)"]);
    else if (expectation === "no request to B (forked microblock)")
      expect(requests.filter((request) => request.startsWith("B"))).toEqual([]);
    else if (/^(microblock 1 handed to the appender|one microblock, from B)$/.test(expectation))
      expect(shortId(world.node.chain.tip.id)).toBe(shortId(totalOf("1")));
    else throw new Error(`expectation "${expectation}"`);
  };
  for (const step of one.steps) await run(step);
  check(one.expect);
  for (const step of one.then ?? []) await run(step);
  if (one.expect_then !== undefined) check(one.expect_then);
}

async function runMicroBlocks(settings: unknown, cases: readonly unknown[]): Promise<void> {
  expect(settings).toEqual({ wait_response_timeout: "1s", processed_cache: "1m", inv_cache: "1m" });
  // Each step and member is checked where it is used.
  for (const one of cases as readonly SteppedCase[]) await runMicroBlockCase(one);
}

interface PushedCase {
  readonly push: string;
  readonly expect: string;
}

/** The fate of a pushed block: its place in the chain, and what others receive. */
async function pushed(make: (world: LiveWorld) => { block: Block; bytes?: Uint8Array }) {
  const world = new LiveWorld();
  world.forged();
  const [sender, other] = [world.network.connect(), world.network.connect()];
  const { block, bytes = blockBytes(block) } = make(world);
  const before = world.node.chain.tip.id;
  await sender.says({ type: "Block", bytes });
  await settled();
  const { id } = world.node.chain.tip;
  return {
    block,
    fate: bytesEqual(id, before) ? "nothing" : bytesEqual(id, block.signature) ? "appended" : "lost",
    relayed: other.take(),
    returned: sender.take(),
    parting: sender.parting,
  };
}

/** Scores are tested elsewhere. */
const pushedBlocks: Readonly<Record<string, (expectation: string) => Promise<void>>> = {
  "empty key block, child of the last block": async (expectation) => {
    expect(expectation).toMatch(/^appended; relayed with the same bytes to all others;/);
    const { fate, relayed, returned, block } = await pushed((world) => ({ block: world.block() }));
    expect(fate).toBe("appended");
    expect(relayed).toEqual([{ type: "Block", bytes: blockBytes(block) }]);
    expect(returned).toEqual([]);
  },
  "key block with transactions, child of the last block": async (expectation) => {
    expect(expectation).toMatch(/^appended, not relayed;/);
    const { fate, relayed } = await pushed((world) => ({
      block: world.block({ transactions: [world.transfer()] }),
    }));
    expect(fate).toBe("appended");
    expect(relayed).toEqual([]);
  },
  "valid block with 4 bytes behind the signature": async (expectation) => {
    expect(expectation).toBe("appended; relayed without them");
    const { fate, relayed, block } = await pushed((world) => {
      const block = world.block();
      return { block, bytes: concatBytes(blockBytes(block), new Uint8Array(4)) };
    });
    expect(fate).toBe("appended");
    expect(relayed).toEqual([{ type: "Block", bytes: blockBytes(block) }]);
  },
  "known block / competing block with the same parent / unknown parent / 60 s in the future / wrong base target":
    async (expectation) => {
      expect(expectation).toBe("nothing, connection stays; the id is not remembered as invalid");
      const kinds: ((world: LiveWorld) => Block)[] = [
        (world) => world.forged(),
        (world) => {
          const competitor = world.block();
          world.forged();
          return competitor;
        },
        (world) => world.block({ reference: new Uint8Array(64) }),
        (world) => world.block({ timestamp: BigInt(world.node.clock.now() + 60_000) }),
        (world) => world.block({ baseTarget: 1n }),
      ];
      for (const kind of kinds) {
        const { fate, relayed, parting } = await pushed((world) => ({ block: kind(world) }));
        expect(fate).toBe("nothing");
        expect(relayed).toEqual([]);
        expect(parting).toBeUndefined();
      }
    },
  "bad signature": async (expectation) => {
    const { fate, parting, block } = await pushed((world) => ({
      block: { ...world.block(), signature: new Uint8Array(64).fill(1) },
    }));
    expect(fate).toBe("nothing");
    expect(expectation).toBe(
      "blacklist: Could not append Block(<id> -> <short parent>..., txs=0, features=Set()): InvalidSignature(Block(...) reason: None)",
    );
    const text = blockText(block);
    expect(parting).toEqual({
      kind: "blacklisted",
      reason: `Could not append ${text}: InvalidSignature(${text} reason: None)`,
    });
  },
};

async function runPushedBlocks(cases: readonly unknown[]): Promise<void> {
  expectKnown(
    // The lookup below checks it.
    (cases as readonly PushedCase[]).map(({ push }) => push),
    Object.keys(pushedBlocks),
    "pushed blocks",
  );
  for (const one of cases as readonly PushedCase[]) {
    expectKnown(Object.keys(one), ["push", "expect"], one.push);
    await pushedBlocks[one.push](one.expect);
  }
}

describe.skipIf(!hasVectors(FILE))(FILE, () => {
  section("scenarios", data.scenarios, (scenarios) => {
    const named = (name: string) => {
      const found = scenarios.find((scenario) => scenario.name === name);
      if (found === undefined) throw new Error(`there is no scenario ${name}`);
      return found;
    };
    test("microblock_synchronizer", async () => {
      const { settings, cases } = named("microblock_synchronizer");
      await runMicroBlocks(settings, cases);
    });
    test("pushed_blocks", async () => runPushedBlocks(named("pushed_blocks").cases));
  });
});
