/** Bans, slots and budgets apply to the same origin. Page 04 §4.2. */
import { describe, expect, test } from "vitest";
import { originOf } from "../../bytes/ip.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { peerDatabase } from "../testing/peer-database.ts";
import { InboundGate } from "./inbound-gate.ts";

function open() {
  const clock = new VirtualClock(0);
  const database = peerDatabase(clock, { publicOnly: true });
  const options = { maxInbound: 30, maxInboundOfHost: 3 };
  const gate = new InboundGate({ clock, database, options, makeRoom: () => false });
  return { clock, database, gate };
}

/** Returns another address of a network at each call. */
const addressOf = (network: string, i: number): string => `${network}${(i + 1).toString(16)}`;

describe("a sender with a whole /64", () => {
  test("is rejected 4,555 times after one of its addresses was banned", () => {
    const { clock, database, gate } = open();
    let admitted = 0;
    for (let i = 0; i < 4_555; i++) {
      const host = addressOf("2001:db8:1:2::", i);
      const entered = gate.enter(host);
      if (entered.ok) {
        admitted++;
        database.blacklist(host, "it lied");
        entered.value();
      }
      // 15 minutes for all.
      clock.advance(197);
    }
    expect({ admitted, bans: database.blacklisted().length }).toEqual({ admitted: 1, bans: 1 });
    expect(gate.enter("2001:db8:1:3::1").ok).toBe(true);
  });

  test("has the slots and the connection budget of one address", () => {
    const { gate } = open();
    const entered = Array.from({ length: 200 }, (_, i) => gate.enter(addressOf("2001:db8:1:2::", i)));
    const refusals = entered.flatMap((one) => (one.ok ? [] : [one.error]));
    expect({ entered: entered.length - refusals.length, refusals: new Set(refusals) }).toEqual({
      entered: 3,
      refusals: new Set([
        "too many connections from this origin",
        "too many connections in a short time from this origin",
      ]),
    });
    expect(gate.enter("2001:db8:1:3::1").ok).toBe(true);
  });
});

describe("newcomers that displace others when all slots are taken", () => {
  /** A node with all slots taken, and the number of displacements per host. */
  function full() {
    const { clock, database } = open();
    const options = { maxInbound: 0, maxInboundOfHost: 3 };
    let asked: (() => boolean) | undefined;
    const makeRoom = (_: string, mayDisplace: () => boolean) => {
      asked = mayDisplace;
      return false;
    };
    const gate = new InboundGate({ clock, database, options, makeRoom });
    const mayDisplace = (host: string): boolean | undefined => {
      gate.enter(host);
      return asked?.();
    };
    return { clock, mayDisplace };
  }

  test("use up the budget of their site and leave some for the neighbours in their range", () => {
    const { clock, mayDisplace } = full();
    const displaced = Array.from({ length: 20 }, (_, i) => mayDisplace(`198.51.100.${i}`));
    expect(displaced.filter((one) => one)).toHaveLength(1);
    expect(mayDisplace("198.51.7.1")).toBe(true);
    clock.advance(600_000);
    expect(mayDisplace("198.51.100.1")).toBe(true);
    expect(mayDisplace("198.51.100.2")).toBe(false);
  });

  test("from many sites of one range displace four connections in ten minutes", () => {
    const { clock, mayDisplace } = full();
    const sites = (first: number) => Array.from({ length: 20 }, (_, i) => `198.51.${first + i}.1`);
    expect(sites(0).filter(mayDisplace)).toHaveLength(4);
    expect(mayDisplace("203.0.113.1")).toBe(true);
    clock.advance(150_001);
    // A site that displaced nothing, because its range had no budget left, was not charged.
    expect(["198.51.0.1", "198.51.19.1"].map(mayDisplace)).toEqual([false, true]);
  });
});

const isBanned = (entered: ReturnType<InboundGate["enter"]>): boolean =>
  !entered.ok && entered.error === "banned";

test("bans apply to the same origin as slots and budgets", () => {
  const hosts = [
    "192.0.2.1",
    "192.0.2.2",
    "2001:db8:1:2::1",
    "2001:db8:1:2:ff::1",
    "2001:db8:1:3::1",
    "::ffff:192.0.2.1",
  ];
  for (const banned of hosts)
    for (const other of hosts) {
      const { database, gate } = open();
      database.blacklist(banned, "it lied");
      expect({ banned, other, isRefused: isBanned(gate.enter(other)) }).toEqual({
        banned,
        other,
        isRefused: originOf(banned) === originOf(other),
      });
    }
});
