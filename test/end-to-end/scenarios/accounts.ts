/** Data of accounts: registered keys, certificates, scripts. */
import {
  Anchor,
  Association,
  CancelLease,
  CancelSponsorship,
  Data,
  Lease,
  MassTransfer,
  Register,
  RevokeAssociation,
  SetScript,
  Sponsorship,
  Transfer,
} from "@ltonetwork/lto/transactions";
import { expect } from "vitest";
import { type EcdsaKeys, generateEcdsaKeys, selfIssuedCertificate } from "../../support/ecdsa.ts";
import { keyTypes, LTO_UNIT, noFunds, type People, type Person, type Scenario } from "../people.ts";

const DAY = 86_400_000;

const registering: Scenario[] = [
  ...keyTypes.map((keyType) => ({
    name: `register a ${keyType} key`,
    async run(people: People) {
      const [karen, other] = await Promise.all([people.person(5), people.person(0, keyType)]);
      const answer = await people.send(karen, new Register(other));
      expect(answer.accounts).toEqual([{ keyType, publicKey: other.publicKey }]);
      expect(await people.tokens(karen)).toBe(4.65);
      expect((await people.get(`/identities/${other.address}`)).json.id).toBe(`did:lto:${other.address}`);
    },
  })),
  {
    name: "register a bls12-381 key",
    async run(people) {
      const alice = await people.person(5);
      const publicKey = "6aeaDwyiCaA9bmigRWq9cQ1YnBnWi9FDbXb2McLaHtmYbzZLENGjGPgPsj6cBdKZsW";
      const accounts = [{ keyType: "bls12-381", publicKey }];
      const answer = await people.sendRequest(alice, { type: 20, accounts, fee: 35_000_000 });
      expect(answer.accounts).toEqual(accounts);
      expect(await people.tokens(alice)).toBe(4.65);
    },
  },
  {
    name: "register an invalid key",
    async run(people) {
      const alice = await people.person(5);
      const wrong = { keyType: "ed25519" as const, publicKey: "C4zLBLkGgUu34tx6S95NWmEpPdW" };
      await people.refused(alice, new Register(wrong), { error: 199, message: "Invalid key length" });
    },
  },
  {
    name: "register without funds",
    async run(people) {
      const [bob, other] = await Promise.all([people.person(), people.person()]);
      await people.refused(bob, new Register(other), noFunds);
    },
  },
];

/** A certificate of the keys, valid until a day after that time. */
function certificateAt(keys: EcdsaKeys, time: number): string {
  const der = selfIssuedCertificate(keys, "Alice", time);
  return `-----BEGIN CERTIFICATE-----\n${Buffer.from(der).toString("base64")}\n-----END CERTIFICATE-----`;
}

async function holder(people: People): Promise<{ alice: Person; keys: EcdsaKeys }> {
  const keys = generateEcdsaKeys("secp256r1");
  const alice = people.personOf(keys, "secp256r1");
  await people.give(alice, 10);
  return { alice, keys };
}

const certificate = (text?: string) => ({ type: 24, fee: 5 * LTO_UNIT, certificate: text });

const certificates: Scenario[] = [
  {
    name: "certificate",
    async run(people) {
      const { alice, keys } = await holder(people);
      await people.sendRequest(alice, certificate(certificateAt(keys, Date.now())));
      const { json } = await people.get(`/certificates/${alice.address}`);
      expect(json).toMatchObject({ status: "untrusted", subject: "CN=Alice", issuer: "CN=Alice" });
      expect(await people.tokens(alice)).toBe(5);
    },
  },
  {
    name: "certificate that has expired",
    async run(people) {
      const { alice, keys } = await holder(people);
      await people.sendRequest(alice, certificate(certificateAt(keys, Date.now() - 10 * DAY)));
      const { json } = await people.get(`/certificates/${alice.address}`);
      expect(json).toMatchObject({ status: "expired", subject: "CN=Alice" });
    },
  },
  {
    name: "certificate removed by an empty one",
    async run(people) {
      const { alice, keys } = await holder(people);
      await people.sendRequest(alice, certificate(certificateAt(keys, Date.now())));
      await people.sendRequest(alice, certificate());
      const { status, json } = await people.get(`/certificates/${alice.address}`);
      expect(status).toBe(404);
      expect(json).toEqual({ error: "Certificate not found" });
    },
  },
  {
    name: "certificate of another account",
    async run(people) {
      const [bob, charlie] = await Promise.all([people.person(10), people.person(10, "secp256r1")]);
      const text = certificateAt(generateEcdsaKeys("secp256r1"), Date.now());
      await people.refusedRequest(bob, certificate(text), {
        error: 112,
        message: "Key type in certificate does not match sender's key type",
      });
      await people.refusedRequest(charlie, certificate(text), {
        error: 112,
        message: "does not match sender's public key",
      });
    },
  },
];

const ownSignature = "sigVerify(tx.bodyBytes, tx.proofs[0], tx.senderPublicKey)";

/** Creates an account with that script and this many tokens left. */
async function scripted(people: People, text: string, tokens = 100): Promise<Person> {
  const alice = await people.person(tokens + 5);
  await people.send(alice, await people.compile(text));
  expect(await people.tokens(alice)).toBe(tokens);
  expect(await scriptOf(people, alice)).toBeTypeOf("string");
  return alice;
}

async function scriptOf(people: People, { address }: Person): Promise<unknown> {
  return (await people.get(`/addresses/scriptInfo/${address}`)).json.script;
}

const scripts: Scenario[] = [
  {
    name: "script set",
    async run(people) {
      await scripted(people, ownSignature, 95);
    },
  },
  {
    name: "script removed",
    async run(people) {
      const alice = await scripted(people, ownSignature);
      await people.send(alice, new SetScript());
      expect(await scriptOf(people, alice)).toBeUndefined();
      expect(await people.tokens(alice)).toBe(95);
    },
  },
  {
    name: "script replaced",
    async run(people) {
      const alice = await scripted(people, ownSignature);
      const before = await scriptOf(people, alice);
      await people.send(alice, await people.compile("true"));
      expect(await scriptOf(people, alice)).not.toBe(before);
      expect(await people.tokens(alice)).toBe(95);
    },
  },
  {
    name: "every transaction that a script can read, from a scripted account",
    async run(people) {
      const [alice, bob, charlie] = await Promise.all([
        scripted(people, ownSignature),
        people.person(),
        people.person(),
      ]);
      const share = (recipient: Person, tokens: number) => ({
        recipient: recipient.address,
        amount: tokens * LTO_UNIT,
      });
      await people.send(alice, new Transfer(bob, 10 * LTO_UNIT));
      await people.send(alice, new MassTransfer([share(bob, 2), share(charlie, 1)]));
      await people.send(alice, new Association(1, bob));
      await people.send(alice, new RevokeAssociation(1, bob));
      await people.send(alice, new Data({ foo: "bar" }));
      const { id } = await people.send(alice, new Lease(bob, 10 * LTO_UNIT));
      await people.send(alice, new CancelLease(id));
      await people.send(alice, new Sponsorship(bob));
      await people.send(alice, new CancelSponsorship(bob));
      await people.send(alice, new Register(charlie));
      expect(await people.tokens(bob)).toBe(12);
    },
  },
  {
    name: "script that forbids some transactions",
    async run(people) {
      const [alice, bob] = await Promise.all([
        scripted(
          people,
          `match tx {
             case t: TransferTransaction => false
             case m: MassTransferTransaction => false
             case s: SetScriptTransaction => false
             case _ => ${ownSignature}
           }`,
        ),
        people.person(),
      ]);
      const refusal = { error: 307, message: "Transaction not allowed by account-script" };
      await people.refused(alice, new Transfer(bob, 10 * LTO_UNIT), refusal);
      await people.refused(alice, new SetScript(), refusal);
      await people.send(alice, new Anchor(new Uint8Array(32).fill(7)));
    },
  },
];

export const accountScenarios: Scenario[] = [...registering, ...certificates, ...scripts];
