/** Anchors, mapped anchors, data entries, statements. */
import { createHash, randomBytes } from "node:crypto";
import { Anchor, Data, MappedAnchor, Statement } from "@ltonetwork/lto/transactions";
import { expect } from "vitest";
import { encodeBase58 } from "../../../src/bytes/base58.ts";
import { type KeyType, keyTypes, noFunds, type People, type Person, type Scenario } from "../people.ts";

const hashOf = (text: string): Uint8Array => new Uint8Array(createHash("sha256").update(text).digest());

const values = { my_string: "hello", my_int: 10, my_bool: true };

async function dataOf(people: People, { address }: Person, key: string) {
  return people.node.client.call("GET /addresses/data/:address/:key", { params: { address, key } });
}

const withVersions: [number, KeyType][] = [
  [1, "ed25519"],
  ...keyTypes.map((keyType): [number, KeyType] => [3, keyType]),
];

export const anchorScenarios: Scenario[] = [
  ...withVersions.map(([version, keyType]) => ({
    name: `anchor, version ${version}, ${keyType}`,
    async run(people: People) {
      const karen = await people.person(5, keyType);
      const hash = hashOf("1234");
      const { id } = await people.send(karen, new Anchor(hash), { version });
      expect(await people.tokens(karen)).toBe(4.65);
      const { json } = await people.get(`/transactions/address/${karen.address}?type=anchor`);
      expect(json[0]).toMatchObject([{ id, sender: karen.address, anchors: [encodeBase58(hash)] }]);
    },
  })),
  {
    name: "anchor without funds",
    async run(people) {
      await people.refused(await people.person(), new Anchor(randomBytes(32)), noFunds);
    },
  },
  {
    name: "anchor of five hashes",
    async run(people) {
      const alice = await people.person(5);
      await people.send(alice, new Anchor(...Array.from({ length: 5 }, () => randomBytes(32))));
      expect(await people.tokens(alice)).toBe(4.25);
    },
  },
  {
    name: "anchor of more than 80 bytes",
    async run(people) {
      const alice = await people.person(5);
      // Random bytes may begin with a zero, which makes their Base58 shorter.
      await people.refused(alice, new Anchor(new Uint8Array(81).fill(0xff)), {
        error: 199,
        message: "invalid anchor",
      });
    },
  },
  ...keyTypes.map((keyType) => ({
    name: `mapped anchor, ${keyType}`,
    async run(people: People) {
      const karen = await people.person(5, keyType);
      const pair = { key: hashOf(`foo of ${keyType}`), value: hashOf("1234") };
      const { id } = await people.send(karen, new MappedAnchor(pair));
      expect(await people.tokens(karen)).toBe(4.65);
      const { json } = await people.get(`/transactions/address/${karen.address}?type=mapped-anchor`);
      const anchors = { [encodeBase58(pair.key)]: encodeBase58(pair.value) };
      expect(json[0]).toMatchObject([{ id, sender: karen.address, anchors }]);
    },
  })),
  {
    name: "mapped anchor without funds",
    async run(people) {
      const pair = { key: hashOf("foo"), value: hashOf("1234") };
      await people.refused(await people.person(), new MappedAnchor(pair), noFunds);
    },
  },
  ...keyTypes.map((keyType) => ({
    name: `data, ${keyType}`,
    async run(people: People) {
      const karen = await people.person(5, keyType);
      await people.send(karen, new Data({ foo: "bar" }));
      expect(await people.tokens(karen)).toBe(4.4);
      expect(await dataOf(people, karen, "foo")).toEqual({ key: "foo", type: "string", value: "bar" });
    },
  })),
  ...Object.entries(values).map(([key, value]) => ({
    name: `data, a ${typeof value}`,
    async run(people: People) {
      const alice = await people.person(10);
      await people.send(alice, new Data({ [key]: value }));
      const entry = await dataOf(people, alice, key);
      expect(entry.value).toBe(typeof value === "number" ? BigInt(value) : value);
    },
  })),
  {
    name: "data without funds",
    async run(people) {
      await people.refused(await people.person(), new Data({ foo: "bar" }), noFunds);
    },
  },
  ...keyTypes.map((keyType) => ({
    name: `statement, ${keyType}`,
    async run(people: People) {
      const karen = await people.person(5, keyType);
      const { id } = await people.send(karen, new Statement(1));
      expect(await people.tokens(karen)).toBe(4.5);
      const { json } = await people.get(`/transactions/address/${karen.address}?type=statement`);
      expect(json[0]).toMatchObject([{ id, sender: karen.address, statementType: 1 }]);
    },
  })),
  {
    name: "statement without funds",
    async run(people) {
      await people.refused(await people.person(), new Statement(1), noFunds);
    },
  },
  ...Object.entries(values).map(([key, value]) => ({
    name: `statement with data, a ${typeof value}`,
    async run(people: People) {
      const alice = await people.person(10);
      const answer = await people.send(alice, new Statement(1, undefined, undefined, { [key]: value }));
      expect(answer.data).toMatchObject([{ key, value: typeof value === "number" ? BigInt(value) : value }]);
    },
  })),
];
