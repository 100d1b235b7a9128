/** Recorded bytes and scenarios on a whole connection. Page 04 §5, §6. */
import { describe, expect, test } from "vitest";
import { data, FILE, section } from "../../../test/support/network-vectors.ts";
import { expectKnown, hasVectors } from "../../../test/vectors.ts";
import { concatBytes } from "../../bytes/compare.ts";
import { decodeHex } from "../../bytes/hex.ts";
import { PeerTable } from "../testing/peer-table.ts";
import { encodeFrame } from "../wire/frame.ts";

interface IdleCase {
  readonly timeout_ms: number;
  readonly steps: readonly string[];
  readonly open: boolean;
}
interface StepCase {
  readonly steps: readonly string[];
  readonly expect: string;
}

const scenario = (name: string): readonly unknown[] => {
  const found = data.scenarios?.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no scenario ${name}`);
  return found.cases;
};

describe.skipIf(!hasVectors(FILE))(FILE, () => {
  test("idle_detector", async () => {
    for (const one of scenario("idle_detector") as IdleCase[]) {
      expectKnown(Object.keys(one), ["timeout_ms", "steps", "open"], "idle_detector");
      const table = new PeerTable();
      const node = await table.node("10.0.0.1", {
        idleTimeoutMs: one.timeout_ms,
        handshakeTimeoutMs: 60_000,
      });
      const client = await table.connect("10.0.0.2", node);
      for (const step of one.steps) {
        const [, ms] = /^(\d+) ms$/.exec(step) ?? [];
        if (ms !== undefined) await table.elapse(Number(ms));
        // A whole message counts as read.
        else if (step === "read") client.say({ type: "Score", score: 1n });
        else throw new Error(`step "${step}"`);
      }
      expect(client.isClosed).toBe(!one.open);
    }
  });

  test("client_handshake", async () => {
    const steps: Record<string, string> = {
      "outbound TCP connection established": "only the local handshake is written",
      "remote handshake received": "only now is the channel added to the set of connected channels",
    };
    const cases = scenario("client_handshake") as StepCase[];
    expect(Object.fromEntries(cases.map((one) => [one.steps.join("; "), one.expect]))).toEqual(steps);
    const table = new PeerTable();
    const came = await table.answer("10.0.0.2");
    const node = await table.node("10.0.0.1");
    node.peers.connect({ host: "10.0.0.2", port: 6863 });
    await table.elapse(1_000);
    const [remote] = came;
    expect(remote.types).toEqual(["Handshake"]);
    expect(node.peers.network.count).toBe(0);
    remote.introduce();
    await table.elapse(10);
    expect(node.peers.network.count).toBe(1);
  });

  section("handshake", data.handshake, ({ valid, invalid }) => {
    test.each(valid)("$name", async ({ hex, fields }) => {
      const [, character] = /^lto(.)$/.exec(fields.applicationName) ?? [];
      const table = new PeerTable(undefined, character);
      const node = await table.node("10.0.0.1");
      const client = await table.dial("10.0.0.2", node);
      client.write(concatBytes(decodeHex(hex), encodeFrame({ type: "GetPeers" })));
      await table.elapse(10);
      // Some are those of other programs.
      if (character === undefined) {
        const reason = `Remote application name ${fields.applicationName} does not match local ltoT`;
        expect(node.peers.database.blacklisted()).toMatchObject([{ reason }]);
        expect(client.received).toEqual([]);
        return;
      }
      expect(client.types).toEqual(["Handshake", "GetPeers", "Peers"]);
      const [peer] = node.peers.network.peers;
      expect(peer.handshake).toMatchObject({ nodeName: fields.nodeName, nonce: BigInt(fields.nodeNonce) });
    });

    test.each(invalid)("$name", async ({ name, hex, reference_reason: reason, first_error: first }) => {
      const table = new PeerTable(undefined, "L");
      const node = await table.node("10.0.0.1");
      const client = await table.dial("10.0.0.2", node);
      client.write(decodeHex(hex));
      await table.elapse(5);
      // The incomplete one may continue.
      if (name === "truncated_waits") await table.elapse(30_000);
      expect(client.isClosed).toBe(true);
      expect(client.received).toEqual([]);
      // Page 04 §25: an impossible port ends the connection at once.
      const banned = name.startsWith("declared_port") ? [] : [{ host: "10.0.0.2", reason: first ?? reason }];
      expect(node.peers.database.blacklisted()).toMatchObject(banned);
    });
  });

  section("frames_invalid", data.frames_invalid, (frames) => {
    test.each(frames)("$name", async (vector) => {
      const { name, bytes, reference_effect: effect, reference_reason: reason, first_error: first } = vector;
      const table = new PeerTable();
      const node = await table.node("10.0.0.1");
      const scores: bigint[] = [];
      node.peers.network.on("Score", (_, { score }) => void scores.push(score));
      const client = await table.connect("10.0.0.2", node);
      client.write(concatBytes(decodeHex(bytes), encodeFrame({ type: "Score", score: 5n })));
      await table.elapse(10);
      const banned = node.peers.database.blacklisted();
      // Accepted here: longer lists of peers, ten checkpoint items (page 04 §8.2, §25.6), and empty input.
      const isTaken = ["peers_1001", "checkpoint_ten_items", "outer_length_zero"].includes(name);
      expect(client.isClosed).toBe(!isTaken);
      expect(scores).toEqual(isTaken ? [5n] : []);
      if (isTaken || effect.startsWith("frame discarded")) expect(banned).toEqual([]);
      else {
        expect(banned).toHaveLength(1);
        const wanted = first ?? reason ?? "";
        // Where a runtime's text contains buffer positions, ours starts the same.
        const [fixed] = wanted.split(": readerIndex");
        expect(banned[0].reason.startsWith(fixed)).toBe(true);
        if (fixed === wanted) expect(banned[0].reason).toBe(wanted);
      }
      // Other peers are served as before, and the banned one may not come back.
      expect((await table.connect("10.0.0.3", node)).types).toEqual(["Handshake", "GetPeers"]);
      expect((await table.connect("10.0.0.2", node, { nonce: 9n })).isClosed).toBe(banned.length > 0);
    });
  });
});
