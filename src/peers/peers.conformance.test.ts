/** Recorded behaviour between nodes. Page 04 §10, §17. */
import { describe, expect, test } from "vitest";
import { data, FILE, section } from "../../test/support/network-vectors.ts";
import { expectKnown, hasVectors } from "../../test/vectors.ts";
import { encodeHex } from "../bytes/hex.ts";
import { encodeUtf8 } from "../bytes/utf8.ts";
import { SeededRandom } from "../testing/seeded-random.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { parsePeersFile, peersFileBytes } from "./database/known-peers-store.ts";
import { ChainHistory } from "./history/chain-history.ts";
import { HistoryReplier } from "./history/history-replier.ts";
import { formatPeerAddress, type PeerAddress, parsePeerAddress } from "./peer-address.ts";
import { ScoreObserver } from "./scores/score-observer.ts";
import { Branch, defaultSyncOptions } from "./testing/branch.ts";
import { peerDatabase } from "./testing/peer-database.ts";
import { ScriptedNetwork } from "./testing/scripted-network.ts";

interface Choice {
  readonly channel: string;
  readonly score: number;
}
interface ObserverCase {
  readonly steps: readonly string[];
  readonly emits?: readonly (Choice | null)[];
  readonly last_emitted?: Choice | null;
  readonly note?: string;
}
interface DatabaseCase {
  readonly steps: readonly string[];
  readonly expect: string;
  readonly then?: readonly string[];
  readonly expect_then?: string;
}
interface TimedCase {
  readonly steps: readonly string[];
}
interface ReplyCase {
  readonly persisted: number;
  readonly liquid: boolean;
  readonly request: readonly string[];
  readonly reply: readonly string[] | null;
  readonly count?: number;
  readonly note?: string;
}
interface Scenario {
  readonly name: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly cases: readonly unknown[];
}

/** Sections tested next to their code. */
const ELSEWHERE = [
  "microblock_synchronizer",
  "pushed_blocks",
  "idle_detector",
  "client_handshake",
  "extension_loader",
  "score_after_failure_and_rollback",
];

function observed(debounceMs: number, localScore: bigint) {
  const clock = new VirtualClock(0);
  const emits: (Choice | null)[] = [];
  const asked: string[] = [];
  const observer = new ScoreObserver<string>({
    clock,
    random: new SeededRandom(1),
    debounceMs,
    localScore,
    groupOf: () => "",
    onEvent: ({ syncWith }) => {
      emits.push(syncWith === undefined ? null : { channel: syncWith.peer, score: Number(syncWith.score) });
      if (syncWith !== undefined) asked.push(`${(clock.now() / 1_000).toFixed(1)} ${syncWith.peer}`);
    },
  });
  return { clock, observer, emits, asked };
}

function runObserver({ steps, emits: wanted, last_emitted: last, note }: ObserverCase): void {
  const { clock, observer, emits } = observed(0, 0n);
  let before = 0;
  for (const step of steps) {
    before = emits.length;
    const [, local, peer, score, closed] = /^(?:local (\d+)|remote (\w) (\d+)|closed (\w))$/.exec(step) ?? [];
    if (local !== undefined) observer.localChanged(BigInt(local));
    else if (peer !== undefined) observer.received(peer, BigInt(score));
    else if (closed !== undefined) observer.closed(closed);
    else throw new Error(`step "${step}"`);
    clock.advance(0);
  }
  if (wanted !== undefined) expect(emits).toEqual(wanted);
  else if (last !== undefined) expect(emits.at(-1)).toEqual(last);
  else if (note === "the last step emits nothing") expect(emits).toHaveLength(before);
  else throw new Error("nothing is expected");
}

/** For each case: the events by second, and the sync peer then; as a new node where the file says so. */
const timed: Readonly<Record<string, (world: ReturnType<typeof observed>) => void>> = {
  "0.0 A score L+5": ({ clock, observer, asked }) => {
    observer.received("A", 105n);
    clock.advance(9_000);
    expect(asked).toEqual(["1.0 A"]);
  },
  "0.0, 0.4, 0.8, 1.2, 1.6, 2.0: A sends six different higher scores": ({ clock, observer, asked }) => {
    for (let i = 0; i < 6; i++) {
      observer.received("A", 105n + BigInt(i));
      if (i < 5) clock.advance(400);
    }
    clock.advance(9_000);
    expect(asked).toEqual(["3.0 A"]);
  },
  "0.0 A score L+10; 0.4 A closes; 5.0 B score L+5": ({ clock, observer, asked }) => {
    observer.received("A", 110n);
    clock.advance(400);
    observer.closed("A");
    clock.advance(4_600);
    observer.received("B", 105n);
    clock.advance(90_000);
    expect(asked).toEqual(["6.0 B"]);
  },
  "A is being synced with; B score higher than A's": ({ clock, observer, asked }) => {
    observer.received("A", 105n);
    clock.advance(1_000);
    observer.received("B", 106n);
    clock.advance(1_000);
    clock.advance(500);
    observer.closed("A");
    // The loader is busy with A and ignores the event at 2.0; the closing event comes at once.
    expect(asked).toEqual(["1.0 A", "2.0 B", "2.5 B"]);
  },
  "A score L+10; A <- GetSignatures; A: Signatures []": ({ clock, observer, asked }) => {
    observer.received("A", 110n);
    clock.advance(1_000);
    observer.markUnfounded("A");
    clock.advance(4_000);
    observer.received("A", 111n);
    clock.advance(1_000);
    expect(asked).toEqual(["1.0 A", "6.0 A"]);
  },
  "local miner and A both add blocks in step, scores equal": ({ clock, observer, asked }) => {
    for (let score = 101n; score < 105n; score++) {
      observer.localChanged(score);
      observer.received("A", score);
      clock.advance(5_000);
    }
    expect(asked).toEqual([]);
  },
};

const DAY_MS = 86_400_000;

function runDatabase(vector: DatabaseCase): void {
  const blacklisting = !vector.steps.includes("enable-blacklisting = no");
  const clock = new VirtualClock(1_000);
  const database = peerDatabase(clock, {
    knownPeerMs: DAY_MS,
    blacklisting,
    listen: { host: "0.0.0.0", port: 6863 },
  });
  let excluded: PeerAddress[] = [];
  let touched = "";
  const run = (step: string): void => {
    const [, what, text = "", twice] =
      /^(addCandidate|touch|blacklist|randomPeer excluding) ([\d.:]+)( twice)?$/.exec(step) ?? [];
    if (step === "peers-data-residence-time passes") clock.advance(DAY_MS);
    else if (step === "enable-blacklisting = no") return;
    else if (what === "addCandidate")
      for (let i = 0; i < (twice === undefined ? 1 : 2); i++)
        database.addCandidates([parsePeerAddress(text)], "8.8.8.8");
    else if (what === "touch") {
      touched = text;
      database.touch(parsePeerAddress(text));
    } else if (what === "blacklist") database.blacklist(text, "a reason");
    else if (what === "randomPeer excluding") excluded = [parsePeerAddress(text)];
    else throw new Error(`step "${step}"`);
  };
  const draw = () => {
    const address = database.choose(excluded);
    return address === undefined ? "none" : formatPeerAddress(address);
  };
  const known = () => database.knownPeers().map(({ address }) => formatPeerAddress(address));
  const check = (expectation: string): void => {
    const [, drawn] = /^(?:randomPeer(?:\(\))? (?:= )?)?(none|[\d.]+:\d+)$/.exec(expectation) ?? [];
    if (drawn !== undefined) expect(draw()).toBe(drawn);
    else if (expectation === "knownPeers empty") expect(known()).toEqual([]);
    else if (expectation === "knownPeers contains it") expect(known()).toEqual([touched]);
    else if (expectation === "ten calls of randomPeer return both")
      expect(new Set(Array.from({ length: 10 }, draw)).size).toBe(2);
    else if (expectation === "refused (wildcard address)") expect(draw()).toBe("none");
    else if (expectation === "blacklist stays empty") expect(database.blacklisted()).toEqual([]);
    else throw new Error(`expectation "${expectation}"`);
  };
  vector.steps.forEach(run);
  vector.expect.split(/[;,] /).forEach(check);
  vector.then?.forEach(run);
  vector.expect_then?.split(/[;,] /).forEach(check);
}

/** Blocks of a branch by their names in the scenario. */
function namedIds(branch: Branch, persisted: number): Map<string, Uint8Array> {
  const ids = new Map<string, Uint8Array>();
  const { ids: all } = branch;
  for (let height = 1; height <= persisted; height++) ids.set(`b${height}`, all[height - 1]);
  ids.set("genesis", all[0]);
  return ids;
}

function runReplies(cases: readonly ReplyCase[]): void {
  // From the longest chain to the shortest, so that one is forged and then cut.
  const long = new Branch();
  for (const one of [...cases].sort((a, b) => b.persisted - a.persisted)) {
    expectKnown(Object.keys(one), ["persisted", "liquid", "request", "reply", "count", "note"], "history");
    const { persisted, liquid, request, reply } = one;
    const branch = persisted > 0 ? long : new Branch();
    const { chain, clock } = branch.node;
    const history = new ChainHistory(chain, clock, defaultSyncOptions);
    if (persisted > 0 && branch.height <= persisted) branch.forge(persisted + 1 - branch.height);
    if (persisted > 0) chain.removeAfter(branch.ids[persisted - 1], { returnTransactions: false });
    const ids = namedIds(branch, persisted);
    if (liquid && persisted > 0)
      for (const name of ["K", "m1", "m2"]) {
        if (name === "K") branch.forge(1);
        else branch.grow();
        ids.set(name, chain.tip.id);
      }
    if (reply?.includes("K2") === true) ids.set("K2", branch.forge(1).node.chain.tip.id);
    const network = new ScriptedNetwork();
    const replier = new HistoryReplier({ network, history, clock, log: branch.node.log });
    const peer = network.connect();
    const idOf = (name: string): Uint8Array => ids.get(name) ?? new Uint8Array(64).fill(name.charCodeAt(0));
    void peer.says({ type: "GetSignatures", ids: request.map(idOf) });
    clock.advance(0);
    replier.end();
    history.close();
    // Every peer gets an answer: page 04 §26, rule 12.
    const names = new Map(Array.from(ids, ([name, id]) => [encodeHex(id), name]));
    expect(
      peer
        .take()
        .map((message) =>
          message.type === "Signatures" ? message.ids.map((id) => names.get(encodeHex(id))) : message,
        ),
    ).toEqual([reply ?? []]);
    if (one.count !== undefined) expect(reply).toHaveLength(one.count);
  }
}

// The runs below check each step and member.
const runs: Readonly<Record<string, (scenario: Scenario) => void>> = {
  score_observer: ({ settings, cases }) => {
    expect(settings).toEqual({ score_ttl: "1m", remote_debounce: "0s", initial_local_score: 0 });
    for (const one of cases as ObserverCase[]) {
      expectKnown(Object.keys(one), ["steps", "emits", "last_emitted", "note"], "score_observer");
      runObserver(one);
    }
  },
  score_and_connection: ({ settings, cases }) => {
    expect(settings).toEqual({ remote_debounce: "1s", synchronization_timeout: "60s", score_ttl: "90s" });
    for (const { steps } of cases as TimedCase[]) {
      const run = timed[steps.join("; ")];
      if (run === undefined) throw new Error(`steps "${steps.join("; ")}"`);
      run(observed(1_000, 100n));
    }
  },
  history_replier: ({ cases }) => runReplies(cases as ReplyCase[]),
  peer_database: ({ cases }) => {
    for (const one of cases as DatabaseCase[]) {
      expectKnown(Object.keys(one), ["steps", "expect", "then", "expect_then"], "peer_database");
      runDatabase(one);
    }
  },
};

describe.skipIf(!hasVectors(FILE))(FILE, () => {
  section("scenarios", data.scenarios, (scenarios) => {
    test("are known", () => {
      expectKnown(
        scenarios.map(({ name }) => name),
        [...Object.keys(runs), ...ELSEWHERE],
        FILE,
      );
    });
    for (const scenario of scenarios) {
      if (ELSEWHERE.includes(scenario.name)) continue;
      test(scenario.name, () => {
        expectKnown(
          Object.keys(scenario),
          ["name", "origin", "source", "note", "settings", "cases", "verified"],
          scenario.name,
        );
        expect(scenario.cases.length).toBeGreaterThan(0);
        runs[scenario.name](scenario);
      });
    }
  });

  section("peers_file", data.peers_file, ({ example }) => {
    test("is read and written", () => {
      const addresses = parsePeersFile(encodeUtf8(example));
      expect(addresses.map(formatPeerAddress)).toEqual(["203.0.113.7:6868", "198.51.100.20:6863"]);
      expect(parsePeersFile(peersFileBytes(addresses))).toEqual([...addresses].reverse());
    });
  });
});
