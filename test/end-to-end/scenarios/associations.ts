/** Associations: issued, revoked, issued again. */
import { Association, RevokeAssociation } from "@ltonetwork/lto/transactions";
import { expect } from "vitest";
import { type KeyType, keyTypes, noFunds, type People, type Person, type Scenario } from "../people.ts";

const values = { my_string: "hello", my_int: 10, my_bool: true };

/** Associations that an account has issued to another and not revoked. */
async function issued(people: People, sender: Person, recipient: Person) {
  const { outgoing } = await people.node.client.call("GET /associations/status/:address", {
    params: { address: sender.address },
  });
  return outgoing.filter((one) => one.recipient === recipient.address);
}

const issuing: [number, KeyType][] = [
  [1, "ed25519"],
  ...keyTypes.map((keyType): [number, KeyType] => [3, keyType]),
  ...keyTypes.map((keyType): [number, KeyType] => [4, keyType]),
];

export const associationScenarios: Scenario[] = [
  ...issuing.map(([version, keyType]) => ({
    name: `issue association, version ${version}, ${keyType}`,
    async run(people: People) {
      const [karen, bob] = await Promise.all([people.person(10, keyType), people.person()]);
      expect(await issued(people, karen, bob)).toEqual([]);
      await people.send(karen, new Association(1, bob), { version });
      expect(await issued(people, karen, bob)).toMatchObject([{ type: 1n }]);
      expect(await people.tokens(karen)).toBe(9.5);
    },
  })),
  {
    name: "issue association without funds",
    async run(people) {
      const [alice, bob] = await Promise.all([people.person(), people.person()]);
      await people.refused(alice, new Association(1, bob), noFunds);
    },
  },
  ...issuing.map(([version, keyType]) => ({
    name: `revoke association, version ${version}, ${keyType}`,
    async run(people: People) {
      const [karen, bob] = await Promise.all([people.person(10.5, keyType), people.person()]);
      await people.send(karen, new Association(1, bob));
      await people.send(karen, new RevokeAssociation(1, bob), { version });
      expect(await issued(people, karen, bob)).toEqual([]);
      expect(await people.tokens(karen)).toBe(9.5);
    },
  })),
  {
    name: "revoke association without funds",
    async run(people) {
      const [alice, bob] = await Promise.all([people.person(0.5), people.person()]);
      await people.send(alice, new Association(1, bob));
      expect(await people.tokens(alice)).toBe(0);
      await people.refused(alice, new RevokeAssociation(1, bob), noFunds);
      expect(await issued(people, alice, bob)).toHaveLength(1);
    },
  },
  {
    name: "issue a revoked association again",
    async run(people) {
      const [alice, bob] = await Promise.all([people.person(10), people.person()]);
      await people.send(alice, new Association(5, bob));
      await people.send(alice, new RevokeAssociation(5, bob));
      expect(await issued(people, alice, bob)).toEqual([]);
      // Within a block, a revocation counts as later than every issue.
      await people.nextBlock();
      await people.send(alice, new Association(5, bob));
      expect(await issued(people, alice, bob)).toMatchObject([{ type: 5n }]);
    },
  },
  {
    name: "revoke association with a subject",
    async run(people) {
      const [alice, bob] = await Promise.all([people.person(10), people.person()]);
      const subject = new TextEncoder().encode("qwerty");
      await people.send(alice, new Association(76, bob, subject));
      await people.refused(alice, new RevokeAssociation(76, bob), {
        error: 199,
        message: "The association doesn't exist",
      });
      await people.send(alice, new RevokeAssociation(76, bob, subject));
      expect(await issued(people, alice, bob)).toEqual([]);
    },
  },
  {
    name: "association of an account with itself",
    async run(people) {
      const alice = await people.person(10);
      await people.send(alice, new Association(9, alice));
      expect(await issued(people, alice, alice)).toHaveLength(1);
      await people.send(alice, new RevokeAssociation(9, alice));
      expect(await issued(people, alice, alice)).toEqual([]);
    },
  },
  ...Object.entries(values).map(([key, value]) => ({
    name: `association with data, a ${typeof value}`,
    async run(people: People) {
      const [alice, bob] = await Promise.all([people.person(10), people.person()]);
      const { id } = await people.send(
        alice,
        new Association(1, bob, undefined, undefined, { [key]: value }),
        { version: 4 },
      );
      const { json } = await people.get(`/transactions/info/${id}`);
      expect(json.data).toMatchObject([{ key, value }]);
      expect(await issued(people, alice, bob)).toHaveLength(1);
    },
  })),
  {
    name: "association with data, overwritten",
    async run(people) {
      const [alice, bob] = await Promise.all([people.person(10), people.person()]);
      for (const foo of [10, 42])
        await people.send(alice, new Association(1, bob, undefined, undefined, { foo }), { version: 4 });
      const [one, ...others] = await issued(people, alice, bob);
      expect(others).toEqual([]);
      expect(one).toMatchObject({ data: [{ key: "foo", value: 42n }] });
    },
  },
];
