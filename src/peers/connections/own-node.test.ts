/** This node's identity. Page 04 §5.1. */
import { describe, expect, test } from "vitest";
import { SeededRandom } from "../../testing/seeded-random.ts";
import { silentLog } from "../../testing/silent-log.ts";
import { noHosts } from "../../testing/simulated-environment.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { readHandshake } from "../wire/handshake.ts";
import { NodeNameError, OwnNode } from "./own-node.ts";

function own(changes: { nodeName?: string; nonce?: bigint; seed?: number } = {}): OwnNode {
  return new OwnNode({
    clock: new VirtualClock(1_700_000_000_999),
    random: new SeededRandom(changes.seed ?? 1),
    hosts: noHosts,
    log: silentLog,
    chainId: 0x4c,
    nodeName: changes.nodeName,
    nonce: changes.nonce,
    listen: undefined,
    declaredAddress: undefined,
  });
}

describe("this node", () => {
  test("rejects a name above 127 bytes", () => {
    expect(own({ nodeName: "é".repeat(63) }).nodeName).toHaveLength(63);
    expect(own({ nodeName: "x".repeat(127) }).nodeName).toHaveLength(127);
    expect(() => own({ nodeName: "é".repeat(64) })).toThrow(NodeNameError);
    expect(() => own({ nodeName: "x".repeat(128) })).toThrow(
      "requirement failed: Node name should have length less than 127 bytes",
    );
  });

  test("is named by its nonce by default, and draws a nonce of 0 to 1,998,000", () => {
    const nonces = Array.from({ length: 500 }, (_, seed) => own({ seed }).nonce);
    for (const nonce of nonces) expect(nonce >= 0n && nonce <= 1_998_000n).toBe(true);
    expect(new Set(nonces).size).toBeGreaterThan(480);
    expect(own({ nonce: -5n })).toMatchObject({ nonce: -5n, nodeName: "Node--5" });
  });

  test("sends a handshake of its network", () => {
    const { handshake } = readHandshake(own({ nonce: 3n, nodeName: "a" }).handshake()) ?? {};
    expect(handshake).toEqual({
      applicationName: "ltoL",
      version: { major: 1, minor: 8, patch: 0 },
      nodeName: "a",
      nonce: 3n,
      declaredAddress: undefined,
      time: 1_700_000_000n,
    });
  });
});
