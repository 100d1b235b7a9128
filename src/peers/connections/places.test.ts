/** Inbound slots that attackers hold: which peers get in, and which stay. */
import { describe, expect, test } from "vitest";
import { type BareConnection, PeerTable, type TableNode } from "../testing/peer-table.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** A host that dials again whenever it is disconnected. */
class Dialler {
  connection: BareConnection | undefined;
  /** Number of accepted connections, and of displacements. */
  entered = 0;

  constructor(
    readonly table: PeerTable,
    readonly node: TableNode,
    readonly host: string,
    readonly introduces = true,
  ) {}

  get isIn(): boolean {
    return this.connection?.isClosed === false;
  }

  async dial(): Promise<void> {
    if (this.isIn) return;
    this.connection = this.introduces
      ? await this.table.connect(this.host, this.node)
      : await this.table.dial(this.host, this.node);
    await this.table.elapse(5);
    if (this.isIn) this.entered++;
  }
}

/** A node that credits each new transaction. */
async function open() {
  const table = new PeerTable();
  const node = await table.node("10.0.0.1", { maxOutbound: 0 });
  const seen = new Set<string>();
  node.peers.network.on("Transaction", (peer, { bytes }) => {
    const key = bytes.join();
    if (seen.has(key)) return;
    seen.add(key);
    peer.credit("transaction");
  });
  const dialler = (host: string, introduces = true) => new Dialler(table, node, host, introduces);
  let serial = 0;
  const brings = ({ connection }: Dialler): void => {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setUint32(0, serial++);
    connection?.say({ type: "Transaction", bytes });
  };
  return { table, node, dialler, brings };
}

const ranges = (count: number, first: number) =>
  Array.from({ length: count }, (_, i) => `10.${first + i}.0.1`);

describe("if thirty and more ranges hold all slots", () => {
  test("and send something valid now and then, honest nodes get in within minutes and stay", async () => {
    const { table, dialler, brings } = await open();
    const attackers = ranges(30, 1).map((host) => dialler(host));
    for (const one of attackers) await one.dial();
    const honest = ranges(5, 101).map((host) => dialler(host));
    const round = async (i: number): Promise<void> => {
      await table.elapse(10 * SECOND);
      // Repetitions are worth nothing.
      for (const one of attackers) one.connection?.say({ type: "Transaction", bytes: new Uint8Array(8) });
      if (i % 54 === 0) for (const one of attackers) if (one.isIn) brings(one);
      for (const one of attackers) await one.dial();
      // Honest nodes suspend a peer that rejected them for a minute, and pass on what others send them.
      if (i % 6 === 0) for (const one of honest) await one.dial();
      for (const [at, one] of honest.entries()) if (one.isIn && i % 5 === at) brings(one);
    };
    for (let i = 1; i <= 120; i++) await round(i);
    expect(honest.map(({ isIn }) => isIn)).toEqual([true, true, true, true, true]);
    const entered = honest.map((one) => one.entered);
    for (let i = 121; i <= 240; i++) await round(i);
    expect(honest.map(({ isIn }) => isIn)).toEqual([true, true, true, true, true]);
    expect(honest.map((one) => one.entered)).toEqual(entered);
  });

  test("and are silent, one connection after the other, an honest node gets in", async () => {
    const { dialler, brings } = await open();
    // More of them than slots: they displace each other first.
    const attackers = ranges(60, 1).map((host) => dialler(host, false));
    const honest = dialler("10.101.0.1");
    // They take a second to dial once each.
    for (let i = 0; i < 40; i++) {
      for (const [at, one] of attackers.entries()) {
        await one.dial();
        if (i % 10 === 5 && at === 30) await honest.dial();
      }
      if (honest.isIn) brings(honest);
    }
    expect({ isIn: honest.isIn, entered: honest.entered }).toEqual({ isIn: true, entered: 1 });
  });

  test("and serve well, they stay and newcomers displace each other only in the remaining slots", async () => {
    const { table, dialler, brings } = await open();
    const useful = ranges(30, 1).map((host) => dialler(host));
    for (const one of useful) await one.dial();
    const strangers = ranges(40, 101).map((host) => dialler(host));
    for (let i = 0; i < 30; i++) {
      await table.elapse(MINUTE);
      for (const one of useful) if (one.isIn) brings(one);
      for (const one of strangers) await one.dial();
    }
    expect(useful.filter(({ isIn }) => isIn).length).toBeGreaterThanOrEqual(22);
    expect(strangers.filter(({ entered }) => entered > 0).length).toBeGreaterThanOrEqual(8);
  });
});
