import { expect, test } from "vitest";
import { RoundRobinLanes } from "./round-robin-lanes.ts";
import { VerificationBatch } from "./verification-batch.ts";

/** A batch of one-block pieces. */
function batchOf(pieces: number, serial: number, lane: number): VerificationBatch {
  const batch = VerificationBatch.create({ bytes: pieces, blocks: pieces, transactions: 0 });
  batch.clear();
  for (let i = 0; i < pieces; i++)
    batch.addBlock(Uint8Array.of(i), { offsets: new Int32Array(0), length: 1 });
  batch.publish(serial, lane);
  return batch;
}

function order(lanes: RoundRobinLanes): number[] {
  const serials: number[] = [];
  for (let piece = lanes.claim(); piece !== undefined; piece = lanes.claim())
    serials.push(piece.batch.serial);
  return serials;
}

test("takes pieces of the lanes in turn, and batches of one lane in order", () => {
  const lanes = new RoundRobinLanes();
  for (const [pieces, serial, lane] of [
    [4, 1, 1],
    [2, 2, 1],
    [2, 3, 2],
    [1, 4, 0],
  ])
    lanes.add(batchOf(pieces, serial, lane));
  expect(order(lanes)).toEqual([1, 3, 4, 1, 3, 1, 1, 2, 2]);
  expect(lanes.claim()).toBeUndefined();
});

test("skips pieces that others have claimed", () => {
  const lanes = new RoundRobinLanes();
  const [first, second] = [batchOf(2, 1, 1), batchOf(1, 2, 1)];
  lanes.add(first);
  lanes.add(second);
  while (first.claim() !== undefined);
  expect(order(lanes)).toEqual([2]);
});

test("treats a refilled batch as a new one", () => {
  const lanes = new RoundRobinLanes();
  const batch = batchOf(1, 1, 1);
  lanes.add(batch);
  expect(order(lanes)).toEqual([1]);
  batch.clear();
  batch.addBlock(Uint8Array.of(1), { offsets: new Int32Array(0), length: 1 });
  batch.publish(5, 1);
  lanes.add(batch);
  lanes.add(batch);
  expect(order(lanes)).toEqual([5]);
});
