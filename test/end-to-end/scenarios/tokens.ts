/** Transfers, mass transfers, leases, burning. */
import { Burn, CancelLease, Lease, MassTransfer, Transfer } from "@ltonetwork/lto/transactions";
import { expect } from "vitest";
import {
  type KeyType,
  keyTypes,
  LTO_UNIT,
  noFunds,
  type People,
  type Person,
  type Scenario,
} from "../people.ts";

/** The newest version with each key type, and the previous version with its only key type. */
const versions = (old: number): [number, KeyType][] => [
  [old, "ed25519"],
  ...keyTypes.map((keyType): [number, KeyType] => [3, keyType]),
];

const unavailable = { error: 112, message: "Attempt to transfer unavailable funds" };

async function leasedTo(people: People, holder: Person, lender: Person): Promise<bigint[]> {
  const active = await people.node.client.call("GET /leasing/active/:address", {
    params: { address: holder.address },
  });
  return active.filter(({ sender }) => sender === lender.address).map(({ amount }) => BigInt(String(amount)));
}

const transfers: Scenario[] = [
  ...versions(2).map(([version, keyType]) => ({
    name: `transfer, version ${version}, ${keyType}`,
    async run(people: People) {
      const [karen, bob] = await Promise.all([people.person(15, keyType), people.person()]);
      await people.send(karen, new Transfer(bob, 5 * LTO_UNIT), { version });
      expect(await people.tokens(karen)).toBe(9);
      expect(await people.tokens(bob)).toBe(5);
    },
  })),
  {
    name: "transfer without funds",
    async run(people) {
      const [alice, bob] = await Promise.all([people.person(), people.person()]);
      await people.refused(alice, new Transfer(bob, 10 * LTO_UNIT), unavailable);
    },
  },
  {
    name: "transfer with a fee below the minimum",
    async run(people) {
      const [alice, bob] = await Promise.all([people.person(5), people.person()]);
      const transfer = new Transfer(bob, LTO_UNIT);
      transfer.fee = LTO_UNIT - 1;
      const message = "Fee for transfer transaction (99999999) does not exceed minimal value of 100000000";
      await people.refused(alice, transfer, { error: 112, message });
    },
  },
  {
    name: "transfer signed by another key",
    async run(people) {
      const [alice, bob] = await Promise.all([people.person(5), people.person()]);
      const thief = { ...alice, sign: bob.sign };
      await people.refused(thief, new Transfer(bob, LTO_UNIT), {
        error: 112,
        message: `Proof doesn't validate as signature of ${alice.address}`,
      });
    },
  },
  ...versions(1).map(([version, keyType]) => ({
    name: `mass transfer, version ${version}, ${keyType}`,
    async run(people: People) {
      const [karen, bob, charlie] = await Promise.all([
        people.person(10, keyType),
        people.person(),
        people.person(),
      ]);
      const shares = [
        { recipient: bob.address, amount: 2 * LTO_UNIT },
        { recipient: charlie.address, amount: LTO_UNIT },
      ];
      await people.send(karen, new MassTransfer(shares), { version });
      expect(await people.tokens(karen)).toBe(5.8);
      expect(await people.tokens(bob)).toBe(2);
      expect(await people.tokens(charlie)).toBe(1);
    },
  })),
  {
    name: "mass transfer without funds",
    async run(people) {
      const [alice, bob, charlie] = await Promise.all([people.person(), people.person(), people.person()]);
      const shares = [
        { recipient: bob.address, amount: 10 * LTO_UNIT },
        { recipient: charlie.address, amount: 15 * LTO_UNIT },
      ];
      await people.refused(alice, new MassTransfer(shares), unavailable);
    },
  },
];

const leases: Scenario[] = [
  ...versions(2).map(([version, keyType]) => ({
    name: `lease, version ${version}, ${keyType}`,
    async run(people: People) {
      const [karen, bob] = await Promise.all([people.person(10, keyType), people.person()]);
      await people.send(karen, new Lease(bob, 5 * LTO_UNIT), { version });
      expect(await people.tokens(karen)).toBe(9);
      expect(await leasedTo(people, bob, karen)).toEqual([BigInt(5 * LTO_UNIT)]);
    },
  })),
  {
    name: "lease without funds",
    async run(people) {
      const [alice, bob] = await Promise.all([people.person(), people.person()]);
      const message = "Cannot lease more than own: Balance:0";
      await people.refused(alice, new Lease(bob, 10 * LTO_UNIT), { error: 112, message });
    },
  },
  ...versions(2).map(([version, keyType]) => ({
    name: `cancel lease, version ${version}, ${keyType}`,
    async run(people: People) {
      const [karen, bob] = await Promise.all([people.person(11, keyType), people.person()]);
      const lease = await people.send(karen, new Lease(bob, 9 * LTO_UNIT));
      await people.send(karen, new CancelLease(lease.id), { version });
      expect(await people.tokens(karen)).toBe(9);
      expect(await leasedTo(people, bob, karen)).toEqual([]);
    },
  })),
  {
    name: "cancel an unknown lease",
    async run(people) {
      const alice = await people.person(5);
      await people.refused(alice, new CancelLease("5eykts78UM2NsHT6NdaBStepfKqqdwJGKBzdaQf3nqUW"), {
        error: 199,
        message: "The lease is not active",
      });
    },
  },
  {
    name: "cancel the lease of another account",
    async run(people) {
      const [alice, bob] = await Promise.all([people.person(10), people.person(5)]);
      const lease = await people.send(alice, new Lease(bob, 5 * LTO_UNIT));
      const message = "LeaseTransaction was leased by other sender";
      await people.refused(bob, new CancelLease(lease.id), { error: 112, message });
    },
  },
  {
    name: "transfer of tokens that are leased out",
    async run(people) {
      const [alice, bob] = await Promise.all([people.person(11), people.person()]);
      await people.send(alice, new Lease(bob, 5 * LTO_UNIT));
      await people.refused(alice, new Transfer(bob, 6 * LTO_UNIT), {
        error: 112,
        message: "State check failed. Reason: negative effective balance",
      });
      expect(await people.tokens(alice)).toBe(10);
    },
  },
];

export const tokenScenarios: Scenario[] = [
  ...transfers,
  ...leases,
  ...keyTypes.map((keyType) => ({
    name: `burn, ${keyType}`,
    async run(people: People) {
      const alice = await people.person(1000, keyType);
      await people.send(alice, new Burn(500 * LTO_UNIT));
      expect(await people.tokens(alice)).toBe(499);
    },
  })),
  {
    name: "burn without funds",
    async run(people) {
      const alice = await people.person();
      await people.refused(alice, new Burn(LTO_UNIT), noFunds);
    },
  },
];
