/** Payment for other accounts: sponsorships, and single transactions with a sponsor. */
import { createHash } from "node:crypto";
import { Anchor, CancelSponsorship, Sponsorship, Transfer } from "@ltonetwork/lto/transactions";
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

const hash = (): Uint8Array => new Uint8Array(createHash("sha256").update("1234").digest());

async function sponsors(people: People, { address }: Person): Promise<readonly string[]> {
  const { sponsor } = await people.node.client.call("GET /sponsorship/status/:address", {
    params: { address },
  });
  return sponsor;
}

/** Accounts that sponsor Bob, each with this many tokens left, oldest sponsorship first. */
async function sponsored(people: People, bob: Person, left: readonly number[]): Promise<Person[]> {
  const made: Person[] = [];
  for (const tokens of left) {
    const person = await people.person(5 + tokens);
    await people.send(person, new Sponsorship(bob));
    made.push(person);
  }
  return made;
}

const versions: [number, KeyType][] = [
  [1, "ed25519"],
  ...keyTypes.map((keyType): [number, KeyType] => [3, keyType]),
];

/** Bob, who has 10 tokens, transfers 5: balances of his sponsors before and after, and Bob's balance after. */
const payments: { name: string; before: number[]; after: number[]; kept: number }[] = [
  { name: "the sponsor pays", before: [5], after: [4], kept: 5 },
  { name: "the sender pays when the sponsor cannot", before: [0], after: [0], kept: 4 },
  { name: "the newest of two sponsors pays", before: [10, 10], after: [10, 9], kept: 5 },
  { name: "the older sponsor pays when the newest cannot", before: [10, 0], after: [9, 0], kept: 5 },
];

export const sponsorshipScenarios: Scenario[] = [
  ...versions.map(([version, keyType]) => ({
    name: `sponsorship, version ${version}, ${keyType}`,
    async run(people: People) {
      const [karen, bob] = await Promise.all([people.person(10, keyType), people.person()]);
      await people.send(karen, new Sponsorship(bob), { version });
      expect(await people.tokens(karen)).toBe(5);
      expect(await sponsors(people, bob)).toEqual([karen.address]);
    },
  })),
  ...payments.map(({ name, before, after, kept }) => ({
    name: `sponsorship: ${name}`,
    async run(people: People) {
      const [bob, charlie] = await Promise.all([people.person(10), people.person()]);
      const payers = await sponsored(people, bob, before);
      await people.send(bob, new Transfer(charlie, 5 * LTO_UNIT));
      expect(await Promise.all(payers.map((payer) => people.tokens(payer)))).toEqual(after);
      expect(await people.tokens(bob)).toBe(kept);
      expect(await people.tokens(charlie)).toBe(5);
    },
  })),
  {
    name: "sponsorship without funds",
    async run(people) {
      const [alice, dick] = await Promise.all([people.person(), people.person()]);
      await people.refused(alice, new Sponsorship(dick), noFunds);
    },
  },
  {
    name: "sponsorship of an account that already has a sponsor",
    async run(people) {
      const [alice, bob] = await Promise.all([people.person(15), people.person()]);
      await people.send(alice, new Sponsorship(bob));
      await people.refused(alice, new Sponsorship(bob), {
        error: 112,
        message: `${bob.address} is already sponsored by ${alice.address}`,
      });
    },
  },
  ...versions.map(([version, keyType]) => ({
    name: `cancel sponsorship, version ${version}, ${keyType}`,
    async run(people: People) {
      const [karen, bob] = await Promise.all([people.person(11, keyType), people.person()]);
      await people.send(karen, new Sponsorship(bob));
      await people.send(karen, new CancelSponsorship(bob), { version });
      expect(await people.tokens(karen)).toBe(5);
      expect(await sponsors(people, bob)).toEqual([]);
    },
  })),
  {
    name: "cancel sponsorship without funds",
    async run(people) {
      const [alice, bob] = await Promise.all([people.person(5), people.person()]);
      await people.send(alice, new Sponsorship(bob));
      await people.refused(alice, new CancelSponsorship(bob), noFunds);
      expect(await sponsors(people, bob)).toEqual([alice.address]);
    },
  },
  {
    name: "cancel an unknown sponsorship",
    async run(people) {
      const [alice, bob] = await Promise.all([people.person(6), people.person()]);
      await people.refused(alice, new CancelSponsorship(bob), {
        error: 112,
        message: `${bob.address} is not sponsored by ${alice.address}`,
      });
    },
  },
  ...keyTypes.map((keyType) => ({
    name: `sponsored transaction, ${keyType}`,
    async run(people: People) {
      const [karen, bob] = await Promise.all([people.person(5, keyType), people.person(3)]);
      const answer = await people.send(bob, new Anchor(hash()), { sponsor: karen });
      expect(answer).toMatchObject({ sponsor: karen.address, sponsorKeyType: keyType });
      expect(await people.tokens(karen)).toBe(4.65);
      expect(await people.tokens(bob)).toBe(3);
    },
  })),
  {
    name: "sponsored transaction whose sponsor is sponsored",
    async run(people) {
      const [alice, bob] = await Promise.all([people.person(5), people.person(5)]);
      const [charlie] = await sponsored(people, alice, [5]);
      await people.send(bob, new Anchor(hash()), { sponsor: alice });
      expect(await people.tokens(bob)).toBe(5);
      expect(await people.tokens(alice)).toBe(5);
      expect(await people.tokens(charlie)).toBe(4.65);
    },
  },
  {
    name: "sponsored transaction whose sponsor has no funds",
    async run(people) {
      const [alice, bob] = await Promise.all([people.person(), people.person(3)]);
      await people.refused(bob, new Anchor(hash()), noFunds, alice);
    },
  },
];
