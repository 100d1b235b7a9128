/** Sponsoring of roles by whole nodes: once for each account with a role, and for no other. */
import { expect, test } from "vitest";
import { JobQueue } from "../../anchoring/job-queue.ts";
import { RoleSponsoring } from "../../anchoring/role-sponsoring.ts";
import { bytesEqual } from "../../bytes/compare.ts";
import { indexState, putIndexState } from "../../chain/reading/index-states.ts";
import { addressOf } from "../../crypto/addresses.ts";
import type { KeyPair } from "../../crypto/signatures.ts";
import { parseTrustNetwork } from "../../indexes/trust/trust-network.ts";
import { dev } from "../../profiles/index.ts";
import { memoryStore } from "../../storage/memory-store.ts";
import { buildTransaction, typeOf } from "../../testing/build-transaction.ts";
import { keyPairOf } from "../../testing/dev-node.ts";
import type { SettingsChanges } from "../../testing/settings.ts";
import { encodeTransaction } from "../../transactions/index.ts";
import { Machine, MINUTE, payer, payerAddress } from "../testing/anchoring-machine.ts";

const trustNetwork = parseTrustNetwork(`{
  "root": { "issues": [{ "type": 100, "role": "university" }, { "type": 102, "role": "guest" }] },
  "university": { "sponsored": true },
  "guest": {}
}`);

const settings: SettingsChanges = {
  index: { trustNetwork },
  anchoring: { sponsorRoles: true, sponsorDepth: 3, sponsorBudget: 1_000 },
};

const people = ["first", "second", "third"].map((name) => addressOf(keyPairOf(name).publicKey, dev.chainId));
const [someone] = people;

const DAY = 86_400_000;

class Sponsor extends Machine {
  /** Grants or revokes a role. */
  async say(
    name: "issue association" | "revoke association",
    recipient = someone,
    associationType = 100n,
    sender: KeyPair = payer,
  ): Promise<void> {
    const revokes = name === "revoke association";
    const transaction = buildTransaction({
      type: typeOf(name),
      sender,
      fee: 1_000_000_000n,
      timestamp: this.clock.now(),
      chainId: dev.chainId,
      members: {
        associationType,
        recipient,
        subject: undefined,
        ...(revokes ? {} : { expires: undefined, data: [] }),
      },
    });
    const outcome = await this.node.control.pool.broadcast(encodeTransaction(transaction));
    expect(outcome.ok || outcome.error).toBe(true);
    // Wait for a block.
    await this.pass(1);
  }

  grant(recipient = someone): Promise<void> {
    return this.say("issue association", recipient);
  }

  /** Changes a sponsorship manually, as the operator. */
  async byHand(name: "sponsorship" | "cancel sponsorship", recipient = someone): Promise<void> {
    const transaction = buildTransaction({
      type: typeOf(name),
      sender: payer,
      fee: 1_000_000_000n,
      timestamp: this.clock.now(),
      chainId: dev.chainId,
      members: { recipient },
    });
    expect(await this.node.control.pool.broadcast(encodeTransaction(transaction))).toMatchObject({
      ok: true,
    });
    await this.pass(1);
  }

  sponsors(recipient = someone): boolean {
    return this.read((chain) =>
      chain.sponsors.of(recipient).some((sponsor) => bytesEqual(sponsor, payerAddress)),
    );
  }

  /** Counts the account's transactions of a type on the chain. */
  count(name: string): number {
    return this.read(
      (chain) =>
        chain.transactions.ofAddress(payerAddress, { types: [typeOf(name)], offset: 0, limit: 100 }).length,
    );
  }

  /** Forges blocks, and waits for their effects. */
  async blocks(count: number): Promise<void> {
    const { height } = this.node.chain.tip;
    for (let i = 0; i < 200 && this.node.chain.tip.height < height + count; i++) await this.pass(0.25);
  }
}

async function started(changes: SettingsChanges = {}): Promise<Sponsor> {
  const machine = new Sponsor([settings, changes]);
  await machine.start();
  await machine.blocks(1);
  return machine;
}

test("sponsors an account some blocks after it got a sponsored role, until the role is revoked", async () => {
  const machine = await started();
  await machine.grant();
  await machine.say("issue association", people[1], 102n);
  await machine.blocks(1);
  expect(machine.sponsors()).toBe(false);
  await machine.blocks(5);
  expect(people.map((one) => machine.sponsors(one))).toEqual([true, false, false]);
  // An account that cannot issue the role has no say, and another role does not count.
  await machine.byHand("sponsorship", people[1]);
  await machine.say("issue association", people[1], 100n, keyPairOf("first"));
  await machine.say("issue association", someone, 102n);
  await machine.blocks(1);
  await machine.say("revoke association", people[1], 100n, keyPairOf("first"));
  await machine.say("revoke association", someone, 102n);
  await machine.blocks(6);
  expect(people.map((one) => machine.sponsors(one))).toEqual([true, true, false]);
  await machine.say("revoke association");
  await machine.blocks(1);
  expect(machine.sponsors()).toBe(true);
  await machine.blocks(5);
  expect(machine.sponsors()).toBe(false);
  // Before the first is final.
  await machine.grant();
  await machine.blocks(6);
  expect(machine.sponsors()).toBe(true);
  expect(machine.count("sponsorship")).toBe(3);
  expect(machine.log.lines.filter(({ level }) => level === "error")).toEqual([]);
  await machine.stop();
});

test("sends nothing for an account that is already sponsored, or not sponsored", async () => {
  const machine = await started();
  await machine.byHand("sponsorship");
  await machine.grant();
  await machine.blocks(6);
  await machine.grant(people[1]);
  await machine.blocks(6);
  await machine.byHand("cancel sponsorship", people[1]);
  await machine.say("revoke association", people[1]);
  await machine.blocks(6);
  expect(machine.count("sponsorship")).toBe(2);
  expect(await machine.waiting()).toBe(0);
  expect(people.map((one) => machine.sponsors(one))).toEqual([true, false, false]);
  await machine.stop();
});

test("ignores a role that a fork removes in time", async () => {
  const machine = await started();
  await machine.blocks(2);
  const { height } = machine.node.chain.tip;
  await machine.grant();
  await machine.blocks(1);
  await machine.node.control.chain.rollback(height - 1, false);
  await machine.blocks(10);
  expect(machine.count("sponsorship")).toBe(0);
  expect(await machine.waiting()).toBe(0);
  await machine.stop();
});

test("scans the blocks of a deep fork, and sends nothing twice", async () => {
  const machine = await started();
  await machine.grant();
  await machine.blocks(5);
  expect(machine.sponsors()).toBe(true);
  const { height } = machine.node.chain.tip;
  await machine.node.control.chain.rollback(height - 5, false);
  await machine.grant(people[1]);
  await machine.grant();
  await machine.blocks(8);
  expect(people.map((one) => machine.sponsors(one))).toEqual([true, true, false]);
  expect(machine.count("sponsorship")).toBe(2);
  await machine.stop();
});

test("continues the next day when the budget is spent", async () => {
  const machine = await started({ anchoring: { sponsorBudget: 1 } });
  const fee = machine.read((chain) => chain.transactions.minimumFee(sponsorshipOf(machine)));
  expect(fee).toBeGreaterThan(0n);
  const perDay = Number(10n ** 8n / (fee ?? 1n));
  const many = Array.from({ length: 2 * perDay + 1 }, (_, i) =>
    addressOf(keyPairOf(`member ${i}`).publicKey, dev.chainId),
  );
  for (const one of many) await machine.grant(one);
  await machine.blocks(6);
  const sponsored = (): number => many.filter((one) => machine.sponsors(one)).length;
  expect(sponsored()).toBe(perDay);
  expect(machine.log.lines.filter(({ message }) => message.includes("budget"))).toHaveLength(1);
  await machine.stop();
  machine.clock.advance(DAY - (machine.clock.now() % DAY));
  await machine.start();
  await machine.blocks(6);
  expect(sponsored()).toBe(2 * perDay);
  await machine.stop();
});

function sponsorshipOf(machine: Sponsor) {
  return buildTransaction({
    type: typeOf("sponsorship"),
    sender: payer,
    fee: 1_000_000_000n,
    timestamp: machine.clock.now(),
    chainId: dev.chainId,
    members: { recipient: someone },
  });
}

test("does not scan while the node is behind, and skips nothing", async () => {
  const machine = await started({ anchoring: { sponsorRoles: false } });
  const queue = new JobQueue(memoryStore(), 10, () => {});
  let isBehind = false;
  const sponsoring = new RoleSponsoring(
    queue,
    {
      clock: machine.clock,
      log: machine.log,
      reader: machine.reader(),
      network: machine.profile,
      account: () => ({ address: payerAddress, keyType: payer.keyType, publicKey: payer.publicKey }),
      isBehind: () => isBehind,
      yieldToOthers: async () => {},
    },
    { depth: 3, budget: 10n ** 11n, roles: trustNetwork },
  );
  const look = async (): Promise<number> => {
    await sponsoring.scan(() => false);
    return queue.waitingCount;
  };
  expect(await look()).toBe(0);
  await machine.grant();
  await machine.blocks(6);
  isBehind = true;
  expect(await look()).toBe(0);
  isBehind = false;
  expect(await look()).toBe(1);
  await machine.stop();
});

test("waits for the index of roles", async () => {
  const machine = await started();
  const { chain } = machine.node;
  const { configurationText } = chain.read((reader) => indexState(reader, "trust")) ?? {};
  if (configurationText === undefined) throw new Error("there are no roles");
  const next = { height: chain.tip.height + 1, sequence: 0 };
  // As while the index is being built.
  chain.changeIndexes((batch) => putIndexState(batch, "trust", { kind: "partial", configurationText, next }));
  await machine.grant();
  await machine.blocks(6);
  expect(machine.sponsors()).toBe(false);
  expect(await machine.waiting()).toBe(0);
  await machine.stop();
  await machine.start();
  await machine.blocks(6);
  expect(machine.sponsors()).toBe(true);
  expect(machine.count("sponsorship")).toBe(1);
  await machine.stop();
});

test("waits while the queue is full", async () => {
  const hour = 60 * MINUTE;
  const machine = await started({
    anchoring: {
      mode: "merkle",
      treeMs: hour,
      queueLimit: 2,
    },
  });
  // They wait for their tree.
  for (const hash of [1, 2]) expect(await machine.take(new Uint8Array(32).fill(hash))).toBe(true);
  for (const one of people) await machine.grant(one);
  await machine.blocks(8);
  expect(await machine.waiting()).toBe(2);
  expect(machine.count("sponsorship")).toBe(0);
  await machine.pass(hour / MINUTE);
  await machine.blocks(8);
  expect(people.map((one) => machine.sponsors(one))).toEqual([true, true, true]);
  expect(machine.count("sponsorship")).toBe(3);
  await machine.stop();
});

test.each([0, 1, 2, 3, 4, 5, 6])(
  "a new start behind %i commits of the queue sends what is missing, once",
  async (commits) => {
    const machine = await started();
    await machine.grant();
    const { writeAsync } = machine.anchors;
    let left = commits;
    machine.anchors.writeAsync = function (writing) {
      if (left-- <= 0) this.faults.commits = 100;
      return writeAsync.call(this, writing) as never;
    };
    await machine.blocks(3);
    await machine.stop();
    machine.anchors.writeAsync = writeAsync;
    machine.anchors.faults.commits = 0;
    await machine.start();
    await machine.blocks(6);
    expect(machine.sponsors()).toBe(true);
    expect(machine.count("sponsorship")).toBe(1);
    await machine.stop();
  },
);

test("ignores roles from before it was enabled, or older than a day", async () => {
  const machine = await started({ anchoring: { sponsorRoles: false } });
  await machine.grant();
  await machine.blocks(3);
  await machine.stop();
  await machine.start({ anchoring: { sponsorRoles: true } });
  await machine.blocks(6);
  expect(machine.count("sponsorship")).toBe(0);
  await machine.grant(people[1]);
  await machine.stop();
  machine.clock.advance(26 * 3_600_000);
  await machine.start({ anchoring: { sponsorRoles: true } });
  await machine.blocks(6);
  expect(machine.count("sponsorship")).toBe(0);
  await machine.grant(people[2]);
  await machine.blocks(6);
  expect(people.map((one) => machine.sponsors(one))).toEqual([false, false, true]);
  await machine.stop();
});
