/** Clocks that are set while the node forges. */
import { expect, test } from "vitest";
import { addressOf } from "../crypto/addresses.ts";
import { dev } from "../profiles/index.ts";
import { DevNode, keyPairOf, rootKeyPair } from "../testing/dev-node.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const LTO = 100_000_000n;

function warnings(node: DevNode): unknown[] {
  return node.log.lines
    .filter(({ level }) => level === "warn")
    .filter(({ message }) => message.includes("clock"))
    .map(({ message, facts }) => [message, facts.seconds]);
}

test("logs within a minute that the clock was set by an hour, and when forging continues", () => {
  const node = new DevNode();
  node.forger.start();
  node.clock.advance(5 * MINUTE);
  node.clock.set(node.clock.now() + HOUR);
  node.clock.advance(MINUTE);
  expect(warnings(node)).toEqual([["The clock was set forward", 3600]]);
  const { height, keyBlock } = node.chain.tip;
  expect(Number(keyBlock.timestamp)).toBeGreaterThan(node.clock.now() - MINUTE);
  expect(node.forger.state).toBe("mining microblocks");

  node.clock.set(node.clock.now() - HOUR);
  expect(node.forger.state).toMatch(/^error: The clock is 3\d\d\d s behind the newest block$/);
  node.clock.advance(MINUTE);
  expect(warnings(node).slice(1)).toEqual([
    ["The clock was set back", 3600],
    ["The clock is behind the newest block: forging is paused until it has caught up", expect.any(Number)],
  ]);
  node.clock.advance(50 * MINUTE);
  expect(node.chain.tip.height).toBeLessThanOrEqual(height + 1);
  expect(node.forger.state).toMatch(/^error: The clock is \d+ s behind the newest block$/);
  node.clock.advance(11 * MINUTE);
  expect(node.chain.tip.height).toBeGreaterThan(height + 5);
  expect(node.forger.state).toBe("mining microblocks");
  expect(warnings(node)).toHaveLength(3);
  expect(node.log.lines.map(({ message }) => message)).toContain(
    "The clock has caught up with the newest block",
  );
});

test("detects a jump forward within a minute, however far the next block is", () => {
  const alice = keyPairOf("alice");
  const to = ({ publicKey }: { publicKey: Uint8Array }, amount: bigint) => ({
    recipient: addressOf(publicKey, dev.chainId),
    amount,
  });
  const transactions = [to(alice, 1_000n * LTO), to(rootKeyPair, 999_000n * LTO)];
  const genesis = { ...dev.genesis, initialBaseTarget: 10n, signature: undefined, transactions };
  const node = new DevNode({ profile: { ...dev, genesis }, accounts: [alice] });
  node.forger.start();
  const [due] = node.forger.minerInfo();
  expect(due.timestamp - node.clock.now()).toBeGreaterThan(10 * MINUTE);
  node.clock.set(due.timestamp + 1_000);
  node.clock.advance(MINUTE + 2_000);
  expect(node.chain.tip.height).toBe(2);
});

test("a machine that slept does not count as a set clock", () => {
  const node = new DevNode();
  node.forger.start();
  node.clock.jump(node.clock.now() + HOUR);
  node.clock.advance(2 * MINUTE);
  expect(warnings(node)).toEqual([]);
  node.forger.stop();
  expect(node.clock.pending).toBe(0);
});
