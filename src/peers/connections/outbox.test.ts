/** A fault while a frame is split must not leave a connection that never sends again. */
import { expect, test } from "vitest";
import type { Connection } from "../../interfaces.ts";
import { RecordingLog } from "../../testing/dev-node.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { ByteTotal, Outbox } from "./outbox.ts";

test("gives up a connection if there is no memory for a piece", async () => {
  const log = new RecordingLog();
  const connection: Connection = {
    host: "203.0.113.1",
    port: 6868,
    received: 0,
    sent: 0,
    onData: () => {},
    onClose: () => {},
    write: () => Promise.resolve(),
    close: () => {},
  };
  let faults = 0;
  const pendingTotal = new ByteTotal();
  const outbox = new Outbox({
    clock: new VirtualClock(0),
    connection,
    pendingTotal,
    log,
    onStuck: () => {},
    onFault: () => {
      faults++;
      outbox.close();
    },
  });
  const frame = Object.assign(new Uint8Array(100), {
    subarray: (): never => {
      throw new RangeError("Array buffer allocation failed");
    },
  });
  outbox.push(frame);
  await Promise.resolve();
  await Promise.resolve();
  expect(faults).toBe(1);
  expect(pendingTotal.bytes).toBe(0);
  expect(log.lines.map(({ level }) => level)).toEqual(["error"]);
});
