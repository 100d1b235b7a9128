import { describe, expect, test } from "vitest";
import type { Connection } from "../interfaces.ts";
import { SeededRandom } from "./seeded-random.ts";
import { type Direction, type Host, SimulatedNetwork } from "./simulated-network.ts";
import { VirtualClock } from "./virtual-clock.ts";

const way: Direction = { latencyMs: 20, jitterMs: 30, bytesPerMs: 100, loss: 10 };
const at = (address: string): Host => ({ address, run: (task) => task() });

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** What a connection delivers, and whether it has ended. */
function follow(connection: Connection) {
  const seen = { bytes: [] as number[], pieces: 0, ended: false };
  connection.onData((bytes) => {
    seen.bytes.push(...bytes);
    seen.pieces++;
  });
  connection.onClose(() => {
    seen.ended = true;
  });
  return seen;
}

class Net {
  readonly clock = new VirtualClock(0);
  readonly network: SimulatedNetwork;
  readonly one = at("10.0.0.1");
  readonly two = at("10.0.0.2");

  constructor(seed = 1) {
    this.network = new SimulatedNetwork(this.clock, new SeededRandom(seed), () => way);
  }

  async run(ms: number): Promise<void> {
    for (const end = this.clock.monotonic() + ms; this.clock.step(end); ) await settled();
  }

  /** A connection from the first host to the second. */
  async connect(): Promise<readonly [Connection, Connection]> {
    let far: Connection | undefined;
    await this.network.transportOf(this.two).listen("0.0.0.0", 6863, (connection) => {
      far = connection;
    });
    const dialled = this.network.transportOf(this.one).dial("10.0.0.2", 6863, 1_000);
    await this.run(500);
    const near = await dialled;
    if (far === undefined) throw new Error("no connection arrived");
    return [near, far];
  }
}

const numbers = (from: number, count: number): Uint8Array =>
  Uint8Array.from({ length: count }, (_, i) => (from + i) & 0xff);

describe("a connection of the simulated network", () => {
  test("delivers bytes in order, in pieces of any size that depend on the seed", async () => {
    const runs = [];
    for (const seed of [3, 3, 4]) {
      const net = new Net(seed);
      const [near, far] = await net.connect();
      const seen = follow(far);
      for (let i = 0; i < 40; i++) near.write(numbers(i * 1_000, 1_000));
      await net.run(5_000);
      expect(Uint8Array.from(seen.bytes)).toEqual(numbers(0, 40_000));
      expect(far).toMatchObject({ host: "10.0.0.1", received: 40_000 });
      expect(near).toMatchObject({ host: "10.0.0.2", port: 6863, sent: 40_000 });
      runs.push(seen.pieces);
    }
    expect(runs[0]).toBe(runs[1]);
    expect(runs[0]).toBeGreaterThan(1);
  });

  test("makes the sender wait for a receiver that does not read", async () => {
    const net = new Net();
    const [near, far] = await net.connect();
    let go = (): void => {};
    far.onData(() => new Promise((resolve) => (go = resolve)));
    let isTaken = false;
    near.write(new Uint8Array(200_000)).then(() => {
      isTaken = true;
    });
    await net.run(10_000);
    expect(isTaken).toBe(false);
    expect(net.network.mostWaiting("10.0.0.1")).toBeGreaterThan(100_000);
    for (let i = 0; i < 40; i++) {
      go();
      await settled();
      await net.run(10_000);
    }
    expect(isTaken).toBe(true);
    expect(far.received).toBe(200_000);
  });

  test("ends for the other side after the data in transit", async () => {
    const net = new Net();
    const [near, far] = await net.connect();
    const [here, there] = [follow(near), follow(far)];
    near.write(numbers(0, 100));
    await net.run(0);
    near.close();
    expect(here.ended).toBe(true);
    expect(there.ended).toBe(false);
    await expect(near.write(numbers(0, 1))).rejects.toThrow("has ended");
    await net.run(2_000);
    expect(there).toMatchObject({ ended: true, bytes: [...numbers(0, 100)] });
    expect(net.network.size).toBe(0);
  });

  test("holds data during a partition", async () => {
    const net = new Net();
    const [near, far] = await net.connect();
    const seen = follow(far);
    near.write(numbers(0, 10));
    net.network.partition([["10.0.0.1"], ["10.0.0.2"]]);
    await net.run(60_000);
    near.write(numbers(10, 10));
    const dialled = net.network.transportOf(net.one).dial("10.0.0.2", 6863, 1_000);
    const refused = expect(dialled).rejects.toThrow("no answer");
    await net.run(60_000);
    await refused;
    expect(seen.bytes).toEqual([]);
    net.network.heal();
    near.write(numbers(20, 10));
    await net.run(1_000);
    expect(seen.bytes).toEqual([...numbers(0, 30)]);
  });

  test("ends for both sides after a reset, and for the remaining one when a host vanishes", async () => {
    const net = new Net();
    const [near, far] = await net.connect();
    const seen = [follow(near), follow(far)];
    expect(net.network.reset(100)).toBe(1);
    expect(seen).toMatchObject([{ ended: true }, { ended: true }]);

    const dialled = net.network.transportOf(net.one).dial("10.0.0.2", 6863, 1_000);
    await net.run(500);
    const last = follow(await dialled);
    net.network.switchOff(net.two);
    await net.run(1_000);
    expect(last.ended).toBe(true);
    const again = net.network.transportOf(net.one).dial("10.0.0.2", 6863, 1_000);
    const refused = expect(again).rejects.toThrow("refused");
    await net.run(1_000);
    await refused;
  });
});
