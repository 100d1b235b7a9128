import { expect, test } from "vitest";
import { ChainBusyError, ChainClosedError, WriteQueue } from "./write-queue.ts";

test("grants the lock in order, each when the one before releases it", async () => {
  const queue = new WriteQueue();
  const order: string[] = [];
  const lock = queue.acquireNow();
  expect(queue.isHeld).toBe(true);
  expect(() => queue.acquireNow()).toThrow(ChainBusyError);
  const first = queue.acquire().then((taken) => {
    order.push("first");
    return taken;
  });
  const task = queue.whenFree(() => {
    order.push("task");
    queue.acquireNow().release();
  });
  const failing = queue.whenFree(() => {
    throw new RangeError("a fault of the task");
  });
  const last = queue.whenFree(() => order.push("last"));
  lock.release();
  const taken = await first;
  expect(order).toEqual(["first"]);
  taken.release();
  await task;
  await expect(failing).rejects.toThrow("a fault of the task");
  await last;
  expect(order).toEqual(["first", "task", "last"]);
  expect(queue.isHeld).toBe(false);
  expect(await queue.whenFree(() => 7)).toBe(7);
});

test("rejects changes when the queue is full", async () => {
  const queue = new WriteQueue();
  const lock = queue.acquireNow();
  const waiting = Array.from({ length: 100 }, (_, i) => queue.whenFree(() => i));
  await expect(queue.whenFree(() => 0)).rejects.toThrow(ChainBusyError);
  lock.release();
  expect((await Promise.all(waiting)).at(-1)).toBe(99);
});

test("grants no lock once closed, and closing waits for the running change", async () => {
  const queue = new WriteQueue();
  const lock = queue.acquireNow();
  const waiting = queue.acquire();
  let closed = false;
  const closing = queue.close().then(() => {
    closed = true;
  });
  await expect(waiting).rejects.toThrow(ChainClosedError);
  const again = queue.close();
  expect(closed).toBe(false);
  lock.release();
  await Promise.all([closing, again]);
  expect(() => queue.acquireNow()).toThrow(ChainClosedError);
  await expect(queue.whenFree(() => 0)).rejects.toThrow(ChainClosedError);
});
