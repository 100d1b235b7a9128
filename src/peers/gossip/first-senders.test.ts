import { expect, test } from "vitest";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { ScriptedNetwork } from "../testing/scripted-network.ts";
import { FirstSenders, MAX_REMEMBERED_OF_PEER, REMEMBER_MS } from "./first-senders.ts";

function open() {
  const clock = new VirtualClock(0);
  const network = new ScriptedNetwork();
  return { clock, senders: new FirstSenders(clock), a: network.connect(), b: network.connect() };
}

function idOf(serial: number): Uint8Array {
  const id = new Uint8Array(32);
  new DataView(id.buffer).setUint32(0, serial);
  return id;
}

test("returns the first sender once, and not after half an hour", () => {
  const { clock, senders, a, b } = open();
  senders.add(idOf(1), a);
  senders.add(idOf(1), b);
  expect(senders.take(idOf(1))).toEqual(a);
  expect(senders.take(idOf(1))).toBeUndefined();
  senders.add(idOf(2), a);
  senders.add(idOf(3), a);
  clock.advance(REMEMBER_MS - 1);
  expect(senders.take(idOf(2))).toBe(a);
  clock.advance(1);
  senders.add(idOf(3), b);
  expect(senders.take(idOf(3))).toBe(b);
  senders.add(idOf(4), a);
  clock.advance(REMEMBER_MS);
  expect(senders.take(idOf(4))).toBeUndefined();
  expect(senders.size).toBe(0);
});

test("evicts only the oldest transactions of a flooding peer", () => {
  const { senders, a, b } = open();
  senders.add(idOf(0), b);
  for (let i = 1; i <= MAX_REMEMBERED_OF_PEER + 10; i++) senders.add(idOf(i), a);
  expect(senders.size).toBe(MAX_REMEMBERED_OF_PEER + 1);
  expect([10, 11, 0].map((serial) => senders.take(idOf(serial)))).toEqual([undefined, a, b]);
});

test("forgets a peer's transactions when it disconnects", () => {
  const { senders, a, b } = open();
  senders.add(idOf(1), a);
  senders.add(idOf(2), b);
  a.leaves();
  senders.forget(a);
  senders.add(idOf(3), a);
  expect(senders.size).toBe(1);
  expect([1, 2, 3].map((serial) => senders.take(idOf(serial)))).toEqual([undefined, b, undefined]);
});
