/** What a branch that begins too deep for a switch can prove. Page 03 §8. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { BlockHeader } from "../../blocks/block.ts";
import { addressOf } from "../../crypto/addresses.ts";
import { dev } from "../../profiles/index.ts";
import { tables } from "../../storage/tables.ts";
import { DevNode, rootKeyPair } from "../../testing/dev-node.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { MAX_BRANCH_BLOCKS } from "./branch-score.ts";
import { type HeaderAt, ProofOfStake } from "./proof-of-stake.ts";

/** A time that is later than those of all headers. */
const START = Number(dev.genesis.blockTimestamp) + 100_000_000;

let node: DevNode;

beforeEach(() => {
  node = new DevNode({ clock: new VirtualClock(START) });
});
afterEach(() => vi.restoreAllMocks());

/** Headers after the genesis block, each at the earliest time of the generator. */
function headersAfterGenesis(count: number): BlockHeader[] {
  const { chain } = node;
  const proofOfStake = new ProofOfStake(dev, chain.rules);
  const { publicKey } = rootKeyPair;
  const balance = chain.forging.generatingBalance(addressOf(publicKey, dev.chainId));
  const genesis = chain.read((reader) => reader.get(tables.headers, 1));
  if (genesis === undefined) throw new Error("there is no genesis block");
  const headers: BlockHeader[] = [];
  const headerAt: HeaderAt = (height) => (height === 1 ? genesis : headers[height - 2]);
  for (let height = 1; height <= count; height++) {
    const { timestamp: parentTime, baseTarget, signature } = height === 1 ? genesis : headers[height - 2];
    const parent = { height, timestamp: parentTime, baseTarget };
    const timestamp = parentTime + proofOfStake.delay(headerAt, parent, publicKey, balance);
    headers.push({
      version: 4,
      timestamp,
      reference: signature,
      baseTarget: proofOfStake.baseTarget(headerAt, parent, timestamp),
      generationSignature: proofOfStake.generationSignature(headerAt, height, publicKey),
      features: [],
      feeVote: 0,
      generator: publicKey,
      signature: new Uint8Array(64).fill(1 + (height % 250)),
      transactionCount: 0,
    });
  }
  return headers;
}

test("a branch proves no more blocks than those whose stake is known", () => {
  const headers = headersAfterGenesis(MAX_BRANCH_BLOCKS + 1);
  const { id } = node.chain.tip;
  expect(() => node.chain.branchScore(id, headers, 0)).toThrow("The branch has 1000 blocks");
});

test("a branch of that length is compared with our chain at the time of its last block", () => {
  const headers = headersAfterGenesis(MAX_BRANCH_BLOCKS);
  const { chain } = node;
  const { tip } = chain;
  // Our chain has become better by blocks that are newer than the branch.
  vi.spyOn(chain, "tip", "get").mockReturnValue({ ...tip, score: 2n ** 100n });
  const shorter = chain.branchScore(tip.id, headers.slice(0, -1), 0);
  expect(shorter).toMatchObject({ isBetter: false });
  const whole = chain.branchScore(tip.id, headers, headers.length - 1);
  expect(whole).toMatchObject({ isBetter: true });
  expect(whole && shorter && whole.score > shorter.score).toBe(true);
});
