/** Better chains of peers that branch off deeper than a node can switch. Page 04 §11, §25. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { blockBytes, buildBlock } from "../../blocks/block.ts";
import { bytesEqual } from "../../bytes/compare.ts";
import { idsAfter } from "../../chain/reading/history.ts";
import { readBlock } from "../../chain/reading/rows.ts";
import { deepBranchText } from "../../control/deep-branch.ts";
import { keyPairOf } from "../../testing/dev-node.ts";
import { Branch } from "../testing/branch.ts";
import { live, SyncNode, Wire } from "../testing/paired-networks.ts";
import type { ScriptedPeer } from "../testing/scripted-network.ts";

const COMMON = 6;
const options = { maxRollback: 10, timeoutMs: 60_000 };
/** What the node finds at first: it has forged 14 blocks of its own. */
const found = { commonHeight: COMMON, depth: 14, maxRollback: 10 };

let ours: Branch;
let theirs: Branch;
let node: SyncNode;

beforeEach(() => {
  ours = new Branch().forge(COMMON - 1);
  theirs = Branch.from(ours, COMMON, "INCREASE").forge(18);
  ours.forge(14);
  node = new SyncNode(ours, options);
});

afterEach(() => vi.restoreAllMocks());

const warnings = (): string[] =>
  ours.node.log.lines.filter(({ level }) => level === "warn").map(({ message }) => message);

test("a node reports a better chain that it cannot switch to, and keeps its peer", async () => {
  const { clock, chain } = ours.node;
  const { id } = chain.tip;
  const wire = new Wire(node, new SyncNode(theirs, options));
  await live(clock, [wire], 10_000);
  expect(node.sync.deepBranch).toEqual(found);
  expect(warnings()).toEqual([deepBranchText(found)]);
  for (let minute = 0; minute < 2; minute++) {
    theirs.forge(1);
    await live(clock, [wire], 70_000);
  }
  expect([wire.isOpen, chain.tip.id, warnings().length]).toEqual([true, id, 1]);
  expect(node.sync.progress.target).toBeUndefined();
});

test("the search keeps headers without the bytes of their blocks", async () => {
  const check = vi.spyOn(ours.node.chain, "branchScore");
  await live(ours.node.clock, [new Wire(node, new SyncNode(theirs, options))], 10_000);
  const headers = check.mock.calls.flatMap(([, given]) => given);
  const sizes = headers.map(({ reference, generationSignature, generator, signature }) =>
    [reference, generationSignature, generator, signature].map(({ buffer }) => buffer.byteLength),
  );
  expect(sizes.length).toBeGreaterThan(0);
  expect(new Set(sizes.flat())).toEqual(new Set([64, 32]));
});

test("a second peer on the same branch sends no blocks again", async () => {
  const { clock } = ours.node;
  const first = new Wire(node, new SyncNode(theirs, options));
  await live(clock, [first], 10_000);
  let blocks = 0;
  const count = ({ type }: { readonly type: string }): boolean => {
    if (type === "Block") blocks++;
    return false;
  };
  const second = new Wire(node, new SyncNode(theirs, options), count, ["1.1.1.1", "3.3.3.3"]);
  await live(clock, [first, second], 80_000);
  expect([second.isOpen, blocks]).toEqual([true, 0]);
});

test("the node follows its peers after the operator's rollback", async () => {
  const { clock, chain } = ours.node;
  const wire = new Wire(node, new SyncNode(theirs, options));
  await live(clock, [wire], 10_000);
  chain.removeAfter(ours.ids[COMMON - 1], { returnTransactions: false });
  expect(node.sync.deepBranch).toBeUndefined();
  theirs.forge(1);
  await live(clock, [wire], 10_000);
  expect(chain.tip.id).toEqual(theirs.node.chain.tip.id);
});

test("the node forgets the branch when its own chain is better", async () => {
  const { clock } = ours.node;
  const wire = new Wire(node, new SyncNode(theirs, options));
  await live(clock, [wire], 10_000);
  wire.end();
  ours.forge(6);
  expect(ours.score > theirs.score).toBe(true);
  expect(node.sync.deepBranch).toBeUndefined();
});

interface Behaviour {
  /** Sends no answer instead of an empty one, like the reference. */
  readonly isSilent?: boolean;
  /** Returns the bytes that the peer sends for a block. */
  readonly bytes?: (height: number) => Uint8Array | undefined;
}

/** A peer that claims more than its branch has. @returns the number of blocks that the node requested */
async function claim(peer: ScriptedPeer, branch: Branch, behaviour: Behaviour, ms: number): Promise<number> {
  const { clock } = ours.node;
  const { chain } = branch.node;
  const { isSilent = false, bytes = (height) => branch.bytes(height) } = behaviour;
  const end = clock.monotonic() + ms;
  let blocks = 0;
  void peer.says({ type: "Score", score: ours.score + 2n ** 60n });
  while (clock.monotonic() < end && !peer.isClosed) {
    for (const message of peer.take()) {
      if (message.type === "GetSignatures") {
        const ids = chain.read((reader) => idsAfter(reader, message.ids, 101));
        if (ids !== undefined || !isSilent) void peer.says({ type: "Signatures", ids: ids ?? [] });
      } else if (message.type === "GetBlock") {
        const sent = bytes(chain.heightOf(message.id) ?? 0);
        blocks++;
        if (sent !== undefined) void peer.says({ type: "Block", bytes: sent });
      }
    }
    await live(clock, [], 200);
  }
  return blocks;
}

test("a peer that does not answer requests without a common id, like the reference, is understood", async () => {
  const peer = node.network.connect("8.8.8.8");
  await claim(peer, theirs, { isSilent: true }, 30_000);
  expect(node.sync.deepBranch).toEqual(found);
  expect(peer.isClosed).toBe(false);
});

test("an empty answer that arrives late does not end the search", async () => {
  const { clock } = ours.node;
  const { chain } = theirs.node;
  const peer = node.network.connect("8.8.8.8");
  void peer.says({ type: "Score", score: ours.score + 2n ** 60n });
  let isFirst = true;
  for (let i = 0; i < 200; i++) {
    for (const message of peer.take()) {
      if (message.type === "GetSignatures") {
        // The node begins to search after 10 s without an answer.
        if (isFirst) await live(clock, [], 11_000);
        isFirst = false;
        const ids = chain.read((reader) => idsAfter(reader, message.ids, 101));
        void peer.says({ type: "Signatures", ids: ids ?? [] });
      } else if (message.type === "GetBlock")
        void peer.says({ type: "Block", bytes: theirs.bytes(chain.heightOf(message.id) ?? 0) });
    }
    await live(clock, [], 200);
  }
  expect(node.sync.deepBranch).toEqual(found);
  expect(peer.isClosed).toBe(false);
});

describe("a peer proves nothing", () => {
  test.each<[string, Behaviour]>([
    ["with ids alone", { bytes: () => undefined }],
    [
      "with unsigned blocks",
      {
        bytes: (height) => {
          const bytes = theirs.bytes(height).slice();
          // The vote on the fee, which no check of headers reads.
          bytes[bytes.length - 97] = 0;
          return bytes;
        },
      },
    ],
    [
      "with blocks that are missing from the tenth on",
      { bytes: (height) => (height > COMMON + 9 ? undefined : theirs.bytes(height)) },
    ],
  ])(
    "%s, and is disconnected",
    async (_, behaviour) => {
      const peer = node.network.connect("8.8.8.8");
      await claim(peer, theirs, behaviour, 150_000);
      expect(node.sync.deepBranch).toBeUndefined();
      expect(warnings()).toEqual([]);
      expect(peer.isClosed).toBe(true);
    },
    30_000,
  );

  test("with a branch that is worse than our chain, and is searched once in ten minutes", async () => {
    const worse = Branch.from(ours, COMMON, "DECREASE").forge(5);
    expect(await claim(node.network.connect("8.8.8.8"), worse, {}, 100_000)).toBe(5);
    expect(await claim(node.network.connect("8.8.8.8"), worse, {}, 100_000)).toBe(0);
    expect(node.sync.deepBranch).toBeUndefined();
  });
});

test("a peer without stake gets at most 20 requests for blocks", async () => {
  const long = new Branch().forge(3);
  const other = Branch.from(long, 4, "INCREASE").forge(150);
  long.forge(140);
  const { chain, profile } = other.node;
  const [liar, poor] = [new SyncNode(long, options).network.connect("8.8.8.8"), keyPairOf("poor")];
  const resigned = chain.read((reader) =>
    other.ids.slice(4).map((_, i) => {
      const block = readBlock(reader, 5 + i, profile);
      if (block === undefined) throw new Error("the branch has no such block");
      return buildBlock(block, poor);
    }),
  );
  const ids = [...other.ids.slice(0, 4), ...resigned.map(({ signature }) => signature)];
  let blocks = 0;
  void liar.says({ type: "Score", score: long.score + 2n ** 60n });
  for (let i = 0; i < 100 && !liar.isClosed; i++) {
    for (const message of liar.take()) {
      if (message.type === "GetSignatures") {
        const known = message.ids.some((id) => ids.slice(0, 4).some((one) => bytesEqual(one, id)));
        void liar.says({ type: "Signatures", ids: known ? ids.slice(0, 150) : [] });
      } else if (message.type === "GetBlock") {
        blocks++;
        const sent = resigned.find(({ signature }) => bytesEqual(signature, message.id));
        if (sent !== undefined) void liar.says({ type: "Block", bytes: blockBytes(sent) });
      }
    }
    await live(long.node.clock, [], 200);
  }
  expect([blocks > 0, blocks <= 20]).toEqual([true, true]);
});

test("a branch is found below a long chain", async () => {
  const long = new Branch().forge(3);
  const other = Branch.from(long, 4, "INCREASE").forge(330);
  long.forge(320);
  const { clock } = long.node;
  const client = new SyncNode(long, options);
  await live(clock, [new Wire(client, new SyncNode(other, options))], 20_000);
  expect(client.sync.deepBranch).toMatchObject({ commonHeight: 4, depth: 320 });
});
