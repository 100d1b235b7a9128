import { expect, test } from "vitest";
import type { Checkpoint } from "../../blocks/checkpoint.ts";
import { signCheckpoint } from "../../blocks/testing/sign-checkpoint.ts";
import { memoryStore } from "../../storage/memory-store.ts";
import { keyPairOf } from "../../testing/dev-node.ts";
import { LiveWorld } from "../testing/live-world.ts";
import type { Message } from "../wire/messages.ts";

const issuer = keyPairOf("issuer");
const says = (checkpoint: Checkpoint): Message<"Checkpoint"> => ({ type: "Checkpoint", checkpoint });

function open(checkpointKey: Uint8Array | undefined = issuer.publicKey) {
  const world = new LiveWorld({ settings: { chain: { checkpointKey } } });
  const ids = [world.forged(), world.forged(), world.forged()].map(({ signature }) => signature);
  const [a, b] = [world.network.connect(), world.network.connect()];
  return { world, ids, a, b };
}

test("a checkpoint of a peer removes contradicting blocks and is not passed on", async () => {
  const { world, ids, a, b } = open();
  const items = [
    { height: 4, id: new Uint8Array(64).fill(1) },
    { height: 3, id: ids[1] },
  ];
  await a.says(says(signCheckpoint(items, issuer)));
  expect(world.node.chain.tip.height).toBe(3);
  expect(a.parting).toBeUndefined();
  expect([a.take(), b.take()]).toEqual([[], []]);
});

test("the checkpoint in force is ignored, whoever repeats it", async () => {
  const { ids, a, b } = open();
  const checkpoint = says(signCheckpoint([{ height: 2, id: ids[0] }], issuer));
  for (const peer of [a, a, b]) await peer.says(checkpoint);
  expect([a.parting, b.parting]).toEqual([undefined, undefined]);
});

test("a checkpoint without a signature by the key of the network gets its sender banned", async () => {
  const { ids, a } = open();
  await a.says(says(signCheckpoint([{ height: 2, id: ids[0] }], keyPairOf("somebody"))));
  expect(a.parting).toEqual({
    kind: "blacklisted",
    reason: `${a.label} Error processing checkpoint: GenericError(Invalid checkpoint signature)`,
  });
});

test("a checkpoint that contradicts blocks too deep to be removed changes nothing and causes no ban", async () => {
  const store = memoryStore({ rollbackDepth: 2 });
  const world = new LiveWorld({ store, settings: { chain: { checkpointKey: issuer.publicKey } } });
  for (let i = 0; i < 6; i++) world.forged();
  const a = world.network.connect();
  await a.says(says(signCheckpoint([{ height: 2, id: new Uint8Array(64) }], issuer)));
  expect(a.parting).toBeUndefined();
  expect(world.node.log.lines.some(({ message }) => /too deep/.test(message))).toBe(true);
  expect(world.node.chain.tip.height).toBe(7);
});
