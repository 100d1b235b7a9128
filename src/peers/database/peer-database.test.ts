/** Known, banned, suspended and unverified peers. Page 04 §17. */
import { describe, expect, test } from "vitest";
import { INT64_MAX } from "../../bytes/int64.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { formatPeerAddress, type PeerAddress, parsePeerAddress } from "../peer-address.ts";
import { peerDatabase } from "../testing/peer-database.ts";
import type { PeerDatabaseSettings } from "./peer-database.ts";

const at = (text: string): PeerAddress => parsePeerAddress(text);

function open(change: Partial<PeerDatabaseSettings> = {}) {
  const clock = new VirtualClock(1_000);
  const database = peerDatabase(clock, change);
  const known = () => database.knownPeers().map(({ address }) => formatPeerAddress(address));
  /** Returns all candidates that are chosen until only known ones are left. */
  const drawn = (...excluded: string[]) => {
    const all = new Set<string>();
    for (let i = 0; i < 40; i++) {
      const address = database.choose(excluded.map(at));
      if (address !== undefined) all.add(formatPeerAddress(address));
    }
    return [...all].sort();
  };
  return { clock, database, known, drawn };
}

describe("known peers", () => {
  test("are those in use within the last day", () => {
    const { clock, database, known } = open();
    database.touch(at("1.1.1.1:1"));
    clock.advance(10);
    database.touch(at("2.2.2.2:2"));
    expect(database.knownPeers()).toEqual([
      { address: at("1.1.1.1:1"), lastSeen: 1_000n },
      { address: at("2.2.2.2:2"), lastSeen: 1_010n },
    ]);
    clock.advance(86_399_990);
    expect(known()).toEqual(["2.2.2.2:2"]);
    database.touch(at("2.2.2.2:2"));
    clock.advance(86_399_999);
    expect(known()).toEqual(["2.2.2.2:2"]);
    clock.advance(1);
    expect(known()).toEqual([]);
  });

  test("are the configured ones as long as the node runs", () => {
    const { clock, database, drawn } = open({ knownPeers: [at("peer.example.org:6868"), at("1.1.1.1:1")] });
    database.touch(at("1.1.1.1:1"));
    clock.advance(10 * 86_400_000);
    expect(database.knownPeers()).toEqual([
      { address: at("peer.example.org:6868"), lastSeen: INT64_MAX },
      { address: at("1.1.1.1:1"), lastSeen: INT64_MAX },
    ]);
    expect(drawn()).toEqual(["1.1.1.1:1", "peer.example.org:6868"]);
  });

  test("are hidden while they are banned, but not while they are suspended", () => {
    const { clock, database, known, drawn } = open({ knownPeers: [at("1.1.1.1:1")] });
    database.touch(at("2.2.2.2:2"));
    database.blacklist("1.1.1.1", "it lied");
    database.suspend(at("2.2.2.2:2"));
    expect(known()).toEqual(["2.2.2.2:2"]);
    expect(drawn()).toEqual([]);
    clock.advance(60_000);
    expect(known()).toEqual(["2.2.2.2:2"]);
    expect(drawn()).toEqual(["2.2.2.2:2"]);
    clock.advance(840_000);
    expect(drawn()).toEqual(["1.1.1.1:1", "2.2.2.2:2"]);
  });

  test("are bounded per host and in total, keeping the most recent ones", () => {
    const { database, known } = open({ knownPeers: [at("9.9.9.9:9")] });
    for (let port = 1; port <= 70; port++) database.touch({ host: "1.1.1.1", port });
    expect(known()).toHaveLength(65);
    expect(known()).toContain("1.1.1.1:70");
    expect(known()).not.toContain("1.1.1.1:6");
    for (let i = 1; i <= 100; i++) database.touch({ host: `2001:db8::${i}`, port: 1 });
    expect(known()).toHaveLength(129);
    for (let i = 0; i < 2_500; i++) database.touch({ host: `2.2.${i >> 8}.${i & 255}`, port: 1 });
    expect(known()).toHaveLength(2_001);
    expect(known().slice(0, 1)).toEqual(["9.9.9.9:9"]);
    expect(known()).toContain("2.2.9.195:1");
  });
});

describe("unverified addresses", () => {
  test("are chosen once, the oldest first, and known once they prove to be peers", () => {
    const { database, known } = open();
    database.addCandidates([at("1.1.1.1:1")], "8.8.8.8");
    database.addCandidates([at("1.1.1.1:1"), at("2.2.2.2:2")], "8.8.8.8");
    const first = database.choose([]);
    expect(first).toEqual(at("1.1.1.1:1"));
    database.touch(at("1.1.1.1:1"));
    expect(known()).toEqual(["1.1.1.1:1"]);
    database.addCandidates([at("1.1.1.1:1")], "8.8.8.8");
    database.suspend(at("1.1.1.1:1"));
    expect(database.choose([])).toEqual(at("2.2.2.2:2"));
    expect(database.choose([])).toBeUndefined();
  });

  test("exclude those that lead nowhere", () => {
    const { database, drawn } = open({ knownPeers: [at("5.5.5.5:5")] });
    database.addCandidates(
      ["0.0.0.0", "127.0.0.1", "5.5.5.5"].map((host) => ({ host, port: host === "5.5.5.5" ? 5 : 6868 })),
      "8.8.8.8",
    );
    database.addCandidates([{ host: "1.1.1.1", port: 0 }], "8.8.8.8");
    expect(drawn("5.5.5.5:5")).toEqual([]);
    database.addCandidates([at("127.0.0.1:6869"), at("10.0.0.1:1")], "8.8.8.8");
    expect(drawn("5.5.5.5:5")).toEqual(["10.0.0.1:1", "127.0.0.1:6869"]);
    const onInternet = open({ publicOnly: true });
    onInternet.database.addCandidates([at("127.0.0.1:6869"), at("10.0.0.1:1"), at("8.8.4.4:1")], "8.8.8.8");
    expect(onInternet.drawn()).toEqual(["8.8.4.4:1"]);
  });

  test("leave the queue when they are excluded, banned or suspended", () => {
    const { clock, database, drawn } = open();
    database.addCandidates([at("1.1.1.1:1"), at("1.1.1.1:2"), at("2.2.2.2:2"), at("3.3.3.3:3")], "8.8.8.8");
    expect(
      database.choose([at("1.1.1.1:1"), at("1.1.1.1:2"), at("2.2.2.2:2"), at("3.3.3.3:3")]),
    ).toBeUndefined();
    expect(drawn()).toEqual([]);
    database.addCandidates([at("1.1.1.1:1"), at("2.2.2.2:2"), at("3.3.3.3:3")], "8.8.8.8");
    database.blacklist("1.1.1.1", "it lied");
    database.suspend(at("2.2.2.2:2"));
    clock.advance(900_000);
    expect(drawn()).toEqual(["3.3.3.3:3"]);
  });

  test("of a source with many displace only those of the same source", () => {
    const { database, drawn } = open({ maxUnverified: 10 });
    for (const [i, source] of ["7.7.7.1", "7.7.7.2", "7.7.7.3"].entries())
      database.addCandidates([{ host: "1.1.1.1", port: i + 1 }], source);
    const many = Array.from({ length: 1_000 }, (_, i) => ({ host: "6.6.6.6", port: i + 1 }));
    for (let times = 0; times < 10; times++) database.addCandidates(many, "8.8.8.8");
    const left = drawn();
    expect(left).toHaveLength(10);
    expect(left.slice(0, 3)).toEqual(["1.1.1.1:1", "1.1.1.1:2", "1.1.1.1:3"]);
    const none = open({ maxUnverified: 0 });
    none.database.addCandidates(many, "8.8.8.8");
    expect(none.drawn()).toEqual([]);
  });
});

describe("suspensions", () => {
  test("apply to one address and port: known nodes of the host are dialled, unverified ones later", () => {
    const { clock, database, drawn } = open({ knownPeers: [at("1.1.1.1:1"), at("1.1.1.1:2")] });
    database.addCandidates([at("1.1.1.1:3"), at("1.1.1.1:4")], "8.8.8.8");
    database.suspend(at("1.1.1.1:1"));
    clock.advance(10);
    database.suspend(at("1.1.1.1:4"));
    expect(database.suspended()).toEqual([{ host: "1.1.1.1", since: 1_010 }]);
    expect(drawn()).toEqual(["1.1.1.1:2"]);
    clock.advance(60_000);
    expect(drawn()).toEqual(["1.1.1.1:1", "1.1.1.1:2", "1.1.1.1:3"]);
  });
});

describe("the blacklist", () => {
  test("treats an IPv6 network as one origin, shown by its last banned address", () => {
    const { database, known, drawn } = open();
    database.touch(at("[2001:db8:1:2::5]:5"));
    database.touch(at("[2001:db8:1:3::5]:5"));
    database.addCandidates([at("[2001:db8:1:2::6]:6")], "8.8.8.8");
    for (let i = 1; i <= 1_000; i++) database.blacklist(`2001:db8:1:2::${i.toString(16)}`, `it lied ${i}`);
    expect(database.blacklisted()).toEqual([
      { host: "2001:db8:1:2::3e8", since: 1_000, reason: "it lied 1000" },
    ]);
    expect(database.isBlacklisted("2001:db8:1:2:ffff::1")).toBe(true);
    expect(database.isBlacklisted("2001:db8:1:3::1")).toBe(false);
    expect(known()).toEqual(["[2001:db8:1:3::5]:5"]);
    expect(drawn()).toEqual(["[2001:db8:1:3::5]:5"]);
  });

  test("lists IP addresses with time and reason; another ban restarts the time", () => {
    const { clock, database } = open();
    database.blacklist("::ffff:1.1.1.1", "first");
    clock.advance(899_999);
    database.blacklist("1.1.1.1", "x".repeat(3_000));
    clock.advance(899_999);
    expect(database.isBlacklisted("1.1.1.1")).toBe(true);
    expect(database.blacklisted()).toEqual([
      { host: "1.1.1.1", since: 900_999, reason: `${"x".repeat(2_000)}…` },
    ]);
    clock.advance(1);
    expect(database.isBlacklisted("1.1.1.1")).toBe(false);
    expect(database.blacklisted()).toEqual([]);
  });

  test("keeps other bans when one sender is banned 10,000 times", () => {
    const { database } = open();
    const others = ["192.0.2.1", "2001:db8:5:5::1"];
    for (const host of others) database.blacklist(host, "it lied");
    for (let i = 0; i < 10_000; i++) database.blacklist(`2001:db8:1:${i.toString(16)}::1`, "it lied");
    expect(database.blacklisted()).toHaveLength(10_000);
    expect(others.map((host) => database.isBlacklisted(host))).toEqual([true, true]);
    expect(database.isBlacklisted("2001:db8:1:0::1")).toBe(false);
  });

  test("can be cleared without the suspensions, is bounded and can be disabled", () => {
    const { database } = open();
    for (let i = 0; i < 10_001; i++) database.blacklist(`1.1.${i >> 8}.${i & 255}`, "it lied");
    expect(database.blacklisted()).toHaveLength(10_000);
    database.suspend(at("2.2.2.2:2"));
    database.clearBlacklist();
    expect(database.blacklisted()).toEqual([]);
    expect(database.suspended()).toEqual([{ host: "2.2.2.2", since: 1_000 }]);
    expect({
      suspended: database.isSuspended(at("2.2.2.2:2")),
      other: database.isSuspended(at("1.1.1.1:1")),
    }).toEqual({ suspended: true, other: false });
    const off = open({ blacklisting: false });
    off.database.blacklist("1.1.1.1", "it lied");
    expect(off.database.isBlacklisted("1.1.1.1")).toBe(false);
  });
});
