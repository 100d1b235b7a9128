/**
 * The real client library drives a whole node, started as an operator starts it. Our own code signs what the client
 * cannot (ECDSA signatures, certificates; page 02 §14), and the node must accept that as well.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { LTO } from "@ltonetwork/lto";
import type { Account } from "@ltonetwork/lto/accounts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decodeBase58, encodeBase58 } from "../src/bytes/base58.ts";
import { addressOf, addressText, parseAddress } from "../src/crypto/addresses.ts";
import { generateEcdsaKeys, selfIssuedCertificate } from "./support/ecdsa.ts";
import {
  confirmed,
  heightOf,
  type NodeProcess,
  removeFolder,
  startNodeProcess,
  temporaryFolder,
  transactionInfo,
  until,
} from "./support/node-process.ts";
import { signedRequest, walletKeys } from "./support/sign-request.ts";

const chainId = "Z".charCodeAt(0);
const LTO_UNIT = 100_000_000;
const UNIT = BigInt(LTO_UNIT);

let node: NodeProcess;
let follower: NodeProcess;
let lto: LTO;
let root: Account;
const dataDir = temporaryFolder("client");

beforeAll(async () => {
  node = await startNodeProcess({ dataDir: join(dataDir, "node") });
  follower = await startNodeProcess({
    dataDir: join(dataDir, "follower"),
    args: ["--follow", node.url],
  });
  lto = new LTO("Z");
  lto.nodeAddress = node.url;
  root = lto.account({ seed: "root" });
});

afterAll(async () => {
  expect(await follower.stop()).toBe(0);
  const code = await node.stop();
  removeFolder(dataDir);
  expect(code).toBe(0);
});

/** The node's answer about a confirmed transaction. The client fills `id` from the answer of the broadcast. */
async function inBlock(transaction: { id?: string }) {
  expect(transaction.id).toBeTypeOf("string");
  return confirmed(node, transaction.id as string);
}

/** In whole tokens and fractions, like the library. */
async function balance(address: string): Promise<number> {
  const answer = await node.client.call("GET /addresses/balance/:address", { params: { address } });
  return Number(answer.balance);
}

/** Creates a funded account, so that each test is independent. */
async function funded(seed: string, amount = 100 * LTO_UNIT): Promise<Account> {
  const account = lto.account({ seed });
  await inBlock(await lto.transfer(root, account, amount));
  return account;
}

describe.concurrent("the client library", () => {
  test("writes and reads at a node that follows the first one", async () => {
    const other = new LTO("Z");
    other.nodeAddress = follower.url;
    const account = other.account({ seed: "through a follower" });
    const { id } = await other.transfer(other.account({ seed: "root" }), account, 3 * LTO_UNIT);
    const params = { address: account.address };
    expect(await confirmed(follower, String(id))).toMatchObject({ id, amount: 3n * UNIT });
    expect(await other.getBalance(account)).toBe(3 * LTO_UNIT);
    // Each micro block of the tests beside this one changes the newest block's signature, so the nodes may differ once.
    await until("the follower answers like its node", async () => {
      const [first, second] = await Promise.all(
        [node, follower].map((each) => transactionInfo(each, String(id))),
      );
      return isDeepStrictEqual(first, second) || undefined;
    });
    for (const { client } of [node, follower])
      expect((await client.call("GET /addresses/balance/:address", { params })).balance).toBe(3n * UNIT);
  });

  test("sees the wallet's account and its balance", async () => {
    expect(root.address).toBe("3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt");
    expect(await lto.getBalance(root)).toBeGreaterThan(0);
    expect((await lto.node.status()).blockchainHeight).toBeGreaterThan(0);
    expect(await lto.node.version()).toMatch(/^Holdfast v\d+\.\d+\.\d+/);
  });

  test("transfers, with an attachment", async () => {
    const bob = lto.account({ seed: "transfer bob" });
    const answer = await inBlock(await lto.transfer(root, bob, 12 * LTO_UNIT, "hello"));
    expect(answer).toMatchObject({
      type: 4,
      sender: root.address,
      recipient: bob.address,
      amount: 12n * UNIT,
      attachment: encodeBase58(Buffer.from("hello")),
      effectiveFee: UNIT,
    });
    expect(answer.height).toBeGreaterThan(1);
    expect(await balance(bob.address)).toBe(12 * LTO_UNIT);
  });

  test("makes a mass transfer", async () => {
    const recipients = ["mass a", "mass b"].map((seed) => lto.account({ seed }));
    const [a, b] = recipients as [Account, Account];
    const answer = await inBlock(
      await lto.massTransfer(root, [
        { recipient: a.address, amount: LTO_UNIT },
        { recipient: b.address, amount: 2 * LTO_UNIT },
      ]),
    );
    expect(answer).toMatchObject({ type: 11, transferCount: 2n, totalAmount: 3n * UNIT });
    expect(await balance(a.address)).toBe(LTO_UNIT);
    expect(await balance(b.address)).toBe(2 * LTO_UNIT);
  });

  test("anchors a hash, for which the proof routes then return a proof", async () => {
    const hash = createHash("sha256").update("a document").digest();
    const answer = await inBlock(await lto.anchor(root, hash));
    expect(answer).toMatchObject({ type: 15, anchors: [encodeBase58(hash)] });
    const proof = await node.client.call("GET /hash/:hash", { params: { hash: hash.toString("hex") } });
    expect(proof.chainpoint).toMatchObject({
      "@context": "https://w3id.org/chainpoint/v2",
      type: "ChainpointSHA256v2",
      targetHash: hash.toString("hex"),
      anchors: [{ type: "LTODataTransaction", sourceId: answer.id }],
      block: { height: String(answer.height) },
    });
    expect(proof.chainpoint.transaction?.position).toMatch(/^\d+$/);
  });

  test("anchors mapped hashes", async () => {
    const pair = {
      key: createHash("sha256").update("key").digest(),
      value: createHash("sha256").update("value").digest(),
    };
    const answer = await inBlock(await lto.anchor(root, pair));
    expect(answer).toMatchObject({
      type: 22,
      anchors: { [encodeBase58(pair.key)]: encodeBase58(pair.value) },
    });
    const proof = await node.client.call("GET /hash/:hash", { params: { hash: pair.value.toString("hex") } });
    expect(proof.chainpoint.anchors[0].sourceId).toBe(answer.id);
  });

  test("leases and cancels the lease", async () => {
    const lender = await funded("lender");
    const forger = lto.account({ seed: "forger" });
    const lease = await inBlock(await lto.lease(lender, forger, 10 * LTO_UNIT));
    expect(lease).toMatchObject({ type: 8, status: "active", recipient: forger.address });
    const ofLender = { params: { address: lender.address } };
    const ofForger = { params: { address: forger.address } };
    expect(await node.client.call("GET /addresses/balance/details/:address", ofLender)).toEqual({
      address: lender.address,
      regular: 99n * UNIT,
      available: 89n * UNIT,
      leasing: 10n * UNIT,
      unbonding: 0n,
      effective: 89n * UNIT,
      generating: 0n,
    });
    const active = await node.client.call("GET /leasing/active/:address", ofForger);
    expect(active.map(({ id }) => id)).toEqual([lease.id]);

    const cancel = await inBlock(await lto.cancelLease(lender, lease.id));
    expect(cancel).toMatchObject({ type: 9, leaseId: lease.id, lease: { id: lease.id } });
    expect(await node.client.call("GET /leasing/active/:address", ofForger)).toEqual([]);
    expect((await transactionInfo(node, lease.id))?.status).toBe("canceled");
    expect(await node.client.call("GET /addresses/balance/details/:address", ofLender)).toMatchObject({
      leasing: 0n,
      unbonding: 10n * UNIT,
    });
  });

  test("stores data of every type", async () => {
    const owner = await funded("data owner");
    const entries = { count: 42, yes: true, text: "grüße", bytes: new Uint8Array([1, 2, 3]) };
    await inBlock(await lto.setData(owner, entries));
    const stored = await lto.getData(owner);
    expect(stored).toMatchObject({ count: 42, yes: true, text: "grüße" });
    expect(Buffer.from(stored.bytes as Uint8Array)).toEqual(Buffer.from([1, 2, 3]));
    const params = { address: owner.address, key: "count" };
    expect(await node.client.call("GET /addresses/data/:address/:key", { params })).toEqual({
      key: "count",
      type: "integer",
      value: 42n,
    });
  });

  test("registers keys, and their accounts then resolve", async () => {
    const stranger = lto.account({ seed: "registered stranger" });
    const answer = await inBlock(await lto.register(root, stranger));
    expect(answer.accounts).toEqual([{ keyType: "ed25519", publicKey: stranger.publicKey }]);
    const resolved = await lto.resolveAccount(stranger.address);
    expect(resolved.publicKey).toBe(stranger.publicKey);
    const params = { address: stranger.address };
    const document = await node.client.call("GET /identities/:address", { params });
    if (!("id" in document)) throw new Error("not the document form");
    expect(document.id).toBe(`did:lto:${stranger.address}`);
  });

  test("sponsors an account and cancels the sponsorship", async () => {
    const sponsor = await funded("sponsor");
    const poor = lto.account({ seed: "sponsored" });
    await inBlock(await lto.transfer(root, poor, 20 * LTO_UNIT));
    await inBlock(await lto.sponsor(sponsor, poor));
    const ofPoor = { params: { address: poor.address } };
    expect(await node.client.call("GET /sponsorship/status/:address", ofPoor)).toEqual({
      sponsor: [sponsor.address],
    });

    const paid = await inBlock(await lto.transfer(poor, root, LTO_UNIT));
    expect(paid.effectiveSponsor).toBe(sponsor.address);
    expect(await balance(poor.address)).toBe(19 * LTO_UNIT);
    expect(await balance(sponsor.address)).toBe((100 - 5 - 1) * LTO_UNIT);

    await inBlock(await lto.cancelSponsorship(sponsor, poor));
    expect(await node.client.call("GET /sponsorship/status/:address", ofPoor)).toEqual({ sponsor: [] });
  });

  test("issues and revokes an association", async () => {
    const issuer = await funded("issuer");
    const holder = lto.account({ seed: "holder" });
    const subject = createHash("sha256").update("diploma").digest();
    await inBlock(await lto.associate(issuer, 10, holder, subject, undefined, { grade: "A" }));
    const ofHolder = { params: { address: holder.address } };
    const status = await node.client.call("GET /associations/status/:address", ofHolder);
    expect(status.incoming).toMatchObject([
      { sender: issuer.address, type: 10n, recipient: holder.address, subject: encodeBase58(subject) },
    ]);
    expect(status.incoming[0].data).toEqual([{ key: "grade", type: "string", value: "A" }]);
    await inBlock(await lto.revokeAssociation(issuer, 10, holder, subject));
    const after = await node.client.call("GET /associations/status/:address", ofHolder);
    expect(after.incoming).toEqual([]);
  });

  test("makes a statement", async () => {
    const answer = await inBlock(
      await lto.makeStatement(root, 1, undefined, undefined, { note: "on record" }),
    );
    expect(answer).toMatchObject({ type: 23, statementType: 1n });
    expect(answer.data).toEqual([{ key: "note", type: "string", value: "on record" }]);
  });

  test("burns tokens, which reduces the supply", async () => {
    const before = await node.client.call("GET /supply");
    const burner = await funded("burner");
    await inBlock(await lto.burn(burner, 3 * LTO_UNIT));
    expect(await balance(burner.address)).toBe((100 - 3 - 1) * LTO_UNIT);
    const after = await node.client.call("GET /supply");
    expect(after.initial).toBe(before.initial);
    expect(after.total).toBe(after.initial - after.burned);
  });

  test("receives the protocol's error for a transfer without funds", async () => {
    const poor = lto.account({ seed: "nothing at all" });
    await expect(lto.transfer(poor, root, LTO_UNIT)).rejects.toThrow();
    const answer = await node.post(
      "/transactions/broadcast",
      signedRequest(
        { type: 4, recipient: root.address, amount: 1, fee: 100_000_000 },
        walletKeys("nothing at all"),
        chainId,
      ),
    );
    expect(answer.status).toBe(400);
    expect(answer.json.error).toBe(112);
    expect(answer.json.message).toContain("Attempt to transfer unavailable funds");
  });
});

describe.concurrent("a whole node accepts what the client cannot sign:", () => {
  for (const keyType of ["secp256k1", "secp256r1"] as const) {
    test(`transactions of a ${keyType} sender, each type`, async () => {
      const keys = generateEcdsaKeys(keyType);
      const sender = addressText(addressOf(keys.publicKey, chainId));
      await inBlock(await lto.transfer(root, sender, 200 * LTO_UNIT));
      const other = lto.account({ seed: `other of ${keyType}` });
      const fee = 600_000_000;
      const send = async (request: Record<string, unknown>) => {
        const answer = await node.post(
          "/transactions/broadcast",
          signedRequest({ fee, ...request }, keys, chainId),
        );
        expect(answer.text).toContain('"id"');
        expect(answer.status).toBe(200);
        return confirmed(node, answer.json.id);
      };
      const lease = await send({ type: 8, recipient: other.address, amount: LTO_UNIT });
      for (const request of [
        { type: 4, recipient: other.address, amount: LTO_UNIT },
        { type: 9, leaseId: lease.id },
        { type: 11, transfers: [{ recipient: other.address, amount: 5 }] },
        { type: 12, data: [{ key: "n", type: "integer", value: -1 }] },
        { type: 13 },
        { type: 15, anchors: [encodeBase58(createHash("sha256").update(keyType).digest())] },
        { type: 16, associationType: 3, recipient: other.address },
        { type: 17, associationType: 3, recipient: other.address },
        { type: 18, recipient: other.address },
        { type: 19, recipient: other.address },
        { type: 20, accounts: [{ keyType, publicKey: encodeBase58(keys.publicKey) }] },
        { type: 21, amount: 7 },
        { type: 22, anchors: { [encodeBase58(Buffer.from(keyType))]: encodeBase58(Buffer.from("value")) } },
        { type: 23, statementType: 9 },
        { type: 24 },
      ]) {
        const answer = await send(request);
        expect(answer).toMatchObject({ type: request.type, sender, senderKeyType: keyType });
      }
      const params = { address: sender, key: "n" };
      const entry = await node.client.call("GET /addresses/data/:address/:key", { params });
      expect(entry.value).toBe(-1n);
    });
  }

  test("a certificate of a secp256r1 account, stored, shown and removed", async () => {
    const keys = generateEcdsaKeys("secp256r1");
    const sender = addressText(addressOf(keys.publicKey, chainId));
    await inBlock(await lto.transfer(root, sender, 50 * LTO_UNIT));
    const der = selfIssuedCertificate(keys, "holdfast", Date.now());
    const pem = `-----BEGIN CERTIFICATE-----\n${Buffer.from(der).toString("base64")}\n-----END CERTIFICATE-----`;
    const set = signedRequest({ type: 24, fee: 500_000_000, certificate: pem }, keys, chainId);
    const answer = await node.post("/transactions/broadcast", set);
    expect(answer.status, answer.text).toBe(200);
    expect((await confirmed(node, answer.json.id)).certificate).toBe(pem);

    const ofSender = { params: { address: sender } };
    const shown = await node.client.call("GET /certificates/:address", ofSender);
    expect(shown).toMatchObject({
      subject: "CN=holdfast",
      issuer: "CN=holdfast",
      status: "untrusted",
      certificate: pem,
    });
    const raw = await fetch(`${node.url}/certificates/${sender}/raw`);
    expect(raw.headers.get("content-type")).toBe("application/pkix-cert");
    expect(Buffer.from(await raw.arrayBuffer())).toEqual(Buffer.from(der));
    expect(await node.client.call("GET /certificates/:address/raw", ofSender)).toEqual(new Uint8Array(der));

    const removal = signedRequest({ type: 24, fee: 500_000_000 }, keys, chainId);
    await confirmed(node, (await node.post("/transactions/broadcast", removal)).json.id);
    expect((await node.get(`/certificates/${sender}`)).status).toBe(404);
  });
});

describe("the forging account", () => {
  test("earns fees and rewards continuously", async () => {
    const height = await heightOf(node);
    const next = await until("the next key block", async () => {
      const now = await heightOf(node);
      return now > height ? now : undefined;
    });
    const params = { height: next };
    const block = await node.client.call("GET /blocks/headers/at/:height", { params });
    expect(block.generator).toBe(root.address);
    expect(parseAddress(block.generator, chainId)).toHaveLength(26);
    expect(decodeBase58(block.signature, 1_000)).toHaveLength(64);
  });
});
