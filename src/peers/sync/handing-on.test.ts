/** A fault of this node while it delivers a peer's blocks costs one connection, and nothing else. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { LoaderWorld } from "../testing/loader-world.ts";
import type { ScriptedPeer } from "../testing/scripted-network.ts";

const MINUTE = 60_000;
const unhandled: unknown[] = [];
const note = (error: unknown): void => {
  unhandled.push(error);
};

beforeEach(() => {
  unhandled.length = 0;
  process.on("unhandledRejection", note);
});

afterEach(() => {
  process.off("unhandledRejection", note);
});

/** Node.js reports unhandled rejections at the end of a turn of the event loop. */
async function endOfTurn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

function broken(): never {
  throw new TypeError("broken");
}

/** A node with blocks 0 to 99, and a peer that lists these blocks after them. */
async function listing(...numbers: readonly number[]): Promise<[LoaderWorld, ScriptedPeer]> {
  const world = new LoaderWorld({ start: 99 * MINUTE });
  const peer = world.network.connect("8.8.8.8");
  await world.leads(peer, 100 + numbers.length);
  await world.lists(peer, [99, ...numbers]);
  return [world, peer];
}

const errorsOf = ({ log }: LoaderWorld): string[] =>
  log.lines.filter(({ level }) => level === "error").map(({ message }) => message);

test("a fault while checked blocks are delivered closes the connection, and others are asked", async () => {
  const [world, peer] = await listing(100);
  const other = world.network.connect("9.9.9.9");
  await world.leads(other, 101);
  const { offer } = world.chain;
  world.chain.offer = broken;
  await world.sends(peer, 100);
  await endOfTurn();
  expect(unhandled).toEqual([]);
  expect(peer.parting?.kind).toBe("closed");
  expect(errorsOf(world)).toHaveLength(1);
  // The next peer is asked in the same turn, and this time nothing fails.
  world.chain.offer = offer;
  expect(other.sent.map(({ type }) => type)).toEqual(["GetSignatures"]);
  await world.lists(other, [99, 100]);
  await world.sends(other, 100);
  expect(world.chain.score).toBe(101n);
  expect(other.isClosed).toBe(false);
});

test("a fault while an unsigned block is refused leaves no request open", async () => {
  const [world, peer] = await listing(100);
  world.unsigned.add(100);
  peer.blacklist = broken;
  await world.sends(peer, 100);
  await endOfTurn();
  expect(unhandled).toEqual([]);
  expect(peer.parting?.kind).toBe("closed");
  expect(world.loader.stage).toBe("idle");
  expect(errorsOf(world)).toHaveLength(1);
  expect(world.clock.pending).toBe(0);
});

test("a fault after the verdict on blocks drops them, and the node continues", async () => {
  const [world, peer] = await listing(100);
  peer.credit = broken;
  await world.sends(peer, 100);
  await endOfTurn();
  expect(unhandled).toEqual([]);
  expect(world.chain.score).toBe(101n);
  expect(errorsOf(world)).toHaveLength(1);
  const other = world.network.connect("9.9.9.9");
  await world.leads(other, 102);
  await world.lists(other, [100, 101]);
  await world.sends(other, 101);
  expect(world.chain.score).toBe(102n);
});

test("a fault while the next blocks are offered closes their connection", async () => {
  const [world, peer] = await listing(100);
  let goOn = (): void => {};
  world.chain.gate = new Promise((resolve) => {
    goOn = resolve;
  });
  await world.sends(peer, 100);
  // It has more blocks, which are offered once the first part is being applied.
  await world.leads(peer, 102);
  await world.lists(peer, [100, 101]);
  world.chain.offer = broken;
  await world.sends(peer, 101);
  goOn();
  await world.settle();
  await endOfTurn();
  expect(unhandled).toEqual([]);
  expect(peer.parting?.kind).toBe("closed");
  expect(world.loader.stage).toBe("idle");
});
