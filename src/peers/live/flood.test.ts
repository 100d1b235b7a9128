/** A forging node among peers that try to keep it from forging. */

import { expect, test } from "vitest";
import { blockBytes } from "../../blocks/block.ts";
import { atOnce } from "../../chain/testing/at-once.ts";
import { addressOf } from "../../crypto/addresses.ts";
import { buildTransaction } from "../../testing/build-transaction.ts";
import { keyPairOf, rootKeyPair } from "../../testing/dev-node.ts";
import { copyTransaction, type Transaction, transactionBytes } from "../../transactions/index.ts";
import { ChainHistory } from "../history/chain-history.ts";
import { HistoryReplier } from "../history/history-replier.ts";
import { defaultSyncOptions } from "../testing/branch.ts";
import { LiveWorld, LTO } from "../testing/live-world.ts";
import type { ScriptedPeer } from "../testing/scripted-network.ts";
import type { Message } from "../wire/messages.ts";

const STEP_MS = 600;
const STEPS = 50;
const FLOODERS = 20;
/** Spends, so that the generator's balance, and with it the forging times, do not depend on the transactions. */
const payer = keyPairOf("payer");

/** What each attacker sends at each step. */
function flood(world: LiveWorld, step: number): readonly Message[] {
  const { chain } = world.node;
  const bytes = (transaction: Parameters<typeof transactionBytes>[0]) => transactionBytes(transaction);
  const valid = world.transfer(payer);
  const stranger = keyPairOf("stranger");
  const block = chain.forging.liquidBlock();
  return [
    { type: "Transaction", bytes: bytes(valid) },
    { type: "Transaction", bytes: bytes(valid) },
    {
      type: "Transaction",
      bytes: bytes(copyTransaction(valid, { proofs: [new Uint8Array(64).fill(step)] })),
    },
    { type: "Transaction", bytes: bytes(world.transfer(stranger, LTO + BigInt(step))) },
    { type: "GetBlock", id: chain.tip.id },
    { type: "GetSignatures", ids: [chain.tip.keyBlock.reference] },
    { type: "MicroBlockRequest", id: chain.tip.id },
    { type: "Block", bytes: blockBytes({ ...block, reference: chain.tip.id, timestamp: BigInt(step) }) },
  ];
}

/** Funds the payer. */
function funding({ chainId, node }: LiveWorld): Transaction {
  const recipient = addressOf(payer.publicKey, chainId);
  return buildTransaction({
    type: 4,
    sender: rootKeyPair,
    fee: LTO,
    timestamp: node.clock.now(),
    chainId,
    members: { recipient, amount: 100_000n * LTO, attachment: new Uint8Array(0) },
  });
}

/** Returns when a node forges blocks and micro blocks, ms, while one client sends a transaction at each step. */
async function slots(floods: boolean) {
  const forged: string[] = [];
  const world = new LiveWorld({ settings: { forging: { microBlockIntervalMs: 3_000, enabled: true } } });
  const { chain, clock, log, forger, pool } = world.node;
  const history = new ChainHistory(chain, clock, defaultSyncOptions);
  const replier = new HistoryReplier({ network: world.network, history, clock, log });
  chain.onChange(({ committed }) => {
    for (const { sequence } of committed)
      forged.push(`${clock.now()} ${sequence === 0 ? "block" : "micro block"}`);
  });
  const peers = Array.from({ length: FLOODERS }, (_, i) => world.network.connect(`203.0.113.${i + 1}`));
  const honest = world.network.connect("198.51.100.1");
  const held = new Set<ScriptedPeer>();
  const say = (peer: ScriptedPeer, message: Message): void => {
    // A peer with queued messages is not read.
    if (held.has(peer)) return;
    held.add(peer);
    void peer.says(message).finally(() => held.delete(peer));
  };
  world.forged();
  expect(atOnce(chain.accept(world.block({ transactions: [funding(world)] }))).ok).toBe(true);
  forged.length = 0;
  forger.start();
  let taken = 0;
  chain.onChange(({ committed }) => {
    for (const { transactions } of committed) taken += transactions.length;
  });
  for (let step = 0; step < STEPS; step++) {
    say(honest, { type: "Transaction", bytes: transactionBytes(world.transfer(payer)) });
    if (floods)
      for (const peer of peers)
        for (const message of flood(world, step)) {
          say(peer, message);
          await Promise.resolve();
          await Promise.resolve();
        }
    await world.pass(STEP_MS);
    for (const peer of [...peers, honest]) peer.take();
  }
  forger.stop();
  replier.end();
  history.close();
  world.live.stop();
  return {
    forged,
    taken,
    waiting: pool.size,
    banned: [...peers, honest].filter(({ isClosed }) => isClosed).length,
  };
}

test("a flood from twenty peers costs a forging node no slot", async () => {
  const quiet = await slots(false);
  const flooded = await slots(true);
  expect(quiet.forged.filter((one) => / block$/.test(one)).length).toBeGreaterThan(3);
  expect(flooded.forged).toEqual(quiet.forged);
  expect(quiet.taken + quiet.waiting).toBe(STEPS);
  // Valid transactions are accepted from every peer.
  expect(flooded.taken + flooded.waiting).toBe(STEPS * (FLOODERS + 1));
  expect(flooded.banned).toBe(0);
});
