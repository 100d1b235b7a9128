/** JSON of answers: exact integers, order of members, no white space. Page 06 §2.4, §5; page 00, part B. */
import { describe, expect, it } from "vitest";
import { encodeBase58 } from "../../bytes/base58.ts";
import { JsonNumber, printJson } from "../../bytes/json.ts";
import { encodeUtf8 } from "../../bytes/utf8.ts";
import { addressOf, addressText } from "../../crypto/addresses.ts";
import { keyPairFromSeed } from "../../crypto/seeds.ts";
import { failures } from "../../http/errors.ts";
import { Refusal } from "../../ledger/refusal.ts";
import { dev } from "../../profiles/index.ts";
import { parseTransaction, transactionFromRequest } from "../../transactions/index.ts";
import { refusalFailure, validationFailure } from "../refusals.ts";
import { isoDate } from "../routes/node/node.ts";
import { fakeControl } from "../testing/control.ts";
import { API_KEY, testServer } from "../testing/server.ts";
import { emptyBlock, fakeChain } from "../testing/snapshot.ts";

const root = keyPairFromSeed(encodeUtf8("root"));
const rootAddress = addressOf(root.publicKey, dev.chainId);
const address = addressText(rootAddress);
const other = addressText(addressOf(new Uint8Array(32), dev.chainId));
const key = { "x-api-key": API_KEY };
const HUGE = 2n ** 63n - 1n;

describe("answers", () => {
  it("have exact integers", async () => {
    const account = { balance: HUGE, leaseIn: 0n, leaseOut: 1n, unbonding: 2n };
    const server = await testServer({
      chain: {
        accounts: { info: () => account, generatingBalance: () => HUGE, balance: () => HUGE - 1n },
      },
    });
    const text = async (url: string): Promise<string> => (await server.inject({ url })).body;
    expect(await text(`/addresses/balance/address:${address}`)).toBe(
      `{"address":"${address}","confirmations":0,"balance":9223372036854775807}`,
    );
    expect(await text(`/addresses/balance/${address}/05`)).toBe(
      `{"address":"${address}","confirmations":5,"balance":9223372036854775806}`,
    );
    expect(await text(`/addresses/balance/details/${address}`)).toBe(
      `{"address":"${address}","regular":9223372036854775807,"available":9223372036854775804,"leasing":1,"unbonding":2,` +
        '"effective":9223372036854775806,"generating":9223372036854775807}',
    );
    await server.close();
  });

  it("show consensus data of blocks under both names, the second one last", async () => {
    const server = await testServer({ chain: fakeChain([emptyBlock(1, { version: 1 }), emptyBlock(2)]) });
    const text = async (url: string): Promise<string> => (await server.inject({ url })).body;
    const signature = encodeBase58(new Uint8Array(64).fill(7).subarray(0, 32));
    const consensus = `"nxt-consensus":{"base-target":100,"generation-signature":"${signature}"}`;
    const alias = `"nxtconsensus":{"basetarget":100,"generationsignature":"${signature}"}`;
    const [one, two] = [1, 2].map((byte) => encodeBase58(new Uint8Array(64).fill(byte)));
    const generator = encodeBase58(new Uint8Array(26));
    const header =
      `{"version":4,"timestamp":2000,"reference":"${one}",${consensus},"features":[],"feeVote":0,` +
      `"generator":"${generator}","signature":"${two}","blocksize":300,"transactionCount":0`;
    expect(await text("/blocks/headers/last")).toBe(`${header},"height":2,${alias}}`);
    expect(await text("/blocks/last")).toBe(
      `${header},"transactions":[],"fee":0,"burnedFees":0,"miningReward":0,"generatorReward":0,"height":2,${alias}}`,
    );
    expect(await text(`/blocks/child/${one}`)).toBe(`${header},"transactions":[],${alias}}`);
    // Versions 1 and 2 have no feature votes.
    expect(await text("/blocks/headers/at/1")).not.toContain("features");
    await server.close();
  });

  it("keep fees, amounts and data that exceed a double", async () => {
    const control = fakeControl([root], dev.chainId);
    const server = await testServer({ control });
    const submit = async (payload: string): Promise<string> =>
      (await server.inject({ method: "POST", url: "/transactions/submit", headers: key, payload })).body;
    const lease = await submit(
      `{"type":4,"sender":"${address}","recipient":"${other}","amount":9007199254740993,"fee":100000000}`,
    );
    expect(lease).toContain('"amount":9007199254740993');
    const data = await submit(
      `{"type":12,"sender":"${address}","fee":100000000,"data":[{"key":"k","type":"integer","value":-9223372036854775808}]}`,
    );
    expect(data).toContain('"value":-9223372036854775808');
    expect(control.broadcasts.map((bytes) => parseTransaction(bytes, dev).type)).toEqual([4, 12]);
    await server.close();
  });

  it("have version 1 and a signature for leases", async () => {
    const control = fakeControl([root], dev.chainId);
    const server = await testServer({
      control,
      chain: { leases: { isActive: () => true }, transactions: { requestRefusal: () => undefined } },
    });
    const post = async (url: string, payload: object) =>
      (await server.inject({ method: "POST", url, headers: key, payload })).json();
    const lease = await post("/leasing/lease", {
      sender: address,
      recipient: `address:${other}`,
      amount: 5,
      fee: 100_000_000,
    });
    expect(lease).toMatchObject({ type: 8, version: 1, sender: address, recipient: other });
    expect(lease.signature).toMatch(/^\w{80,}$/);
    expect(lease).not.toHaveProperty("proofs");
    const cancel = await post("/leasing/cancel", { sender: address, leaseId: lease.id, fee: 100_000_000 });
    expect(cancel).toMatchObject({ type: 9, version: 1, leaseId: lease.id });
    expect(control.broadcasts).toHaveLength(2);
    const nobody = await post("/leasing/lease", { recipient: other, amount: 5, fee: 1 });
    expect(nobody).toMatchObject({
      error: 1,
      validationErrors: { "obj.sender": [{ msg: ["error.path.missing"], args: [] }] },
    });
    await server.close();
  });

  it("stream the pool as one list", async () => {
    const control = fakeControl([root], dev.chainId);
    const server = await testServer({ control });
    const list = async (): Promise<string> =>
      (await server.inject({ url: "/transactions/unconfirmed" })).body;
    expect(await list()).toBe("[]");
    const sent: string[] = [];
    for (let amount = 1; amount <= 5; amount++) {
      const answer = await server.inject({
        method: "POST",
        url: "/transactions/submit/transfer",
        headers: key,
        payload: JSON.stringify({ sender: address, recipient: other, amount, fee: 100_000_000 }),
      });
      sent.push(answer.body);
    }
    expect(await list()).toBe(`[${sent.join(",")}]`);
    await server.close();
  });

  it("find a transaction that moves from the pool to the chain meanwhile", async () => {
    const hash = new Uint8Array(32).fill(9);
    let moved = false;
    const anchor = { transactionId: new Uint8Array(32), height: 7, position: 0 };
    const server = await testServer({
      chain: { anchors: { first: () => (moved ? anchor : undefined) } },
      control: fakeControl([], dev.chainId, {
        pool: {
          anchor: async () => {
            moved = true;
            return undefined;
          },
        },
      }),
    });
    const answer = await server.inject({ url: `/hash/${Buffer.from(hash).toString("hex")}` });
    expect(answer.json().chainpoint).toMatchObject({
      block: { height: "7" },
      transaction: { position: "0" },
    });
    await server.close();
  });
});

describe("failures", () => {
  const made = transactionFromRequest(
    new Map<string, JsonNumber | string>([
      ["type", new JsonNumber("4")],
      ["fee", new JsonNumber("1")],
      ["amount", new JsonNumber("1")],
      ["recipient", other],
      ["senderPublicKey", encodeBase58(root.publicKey)],
    ]),
    { network: dev },
  );
  if (!made.ok) throw new Error("the request is valid");
  const { transaction } = made.value;

  it.each([
    ["InvalidAddress", ["Bad address checksum"], 102, "invalid address"],
    ["NegativeAmount", [-5n, "lto"], 111, "negative amount: -5 of lto"],
    ["InsufficientFee", ["insufficient fee"], 112, "insufficient fee"],
    ["TooBigArray", [], 10, "Too big sequences requested"],
    ["OverflowError", [], 113, "overflow error"],
    ["ToSelf", [], 114, "Transaction to yourself"],
    ["MissingSenderPrivateKey", [], 115, "no private key for sender address in wallet"],
    ["GenericError", ["Empty key found"], 199, "Empty key found"],
    ["Mistiming", ["too old"], 303, "too old"],
    ["UnsupportedVersion", [4], 199, "UnsupportedVersion(4)"],
    ["UnsupportedTransactionType", [], 199, "UnsupportedTransactionType"],
    ["AlreadyInTheState", ["abc", 0], 199, "Transaction abc is already in the state on a height of 0"],
  ])("%s: error", (kind, args, error, message) => {
    expect(validationFailure({ kind, args })).toEqual({ status: 400, body: { error, message } });
  });

  it("of the state check include the transaction", () => {
    const refusal = new Refusal("GenericError", ["no"], transaction);
    const { status, body } = refusalFailure(refusal);
    expect(status).toBe(400);
    expect(printJson(body)).toMatch(
      /^\{"error":112,"message":"State check failed. Reason: no","tx":\{"type":4,/,
    );
    expect(refusalFailure(new Refusal("Mistiming", ["late"], transaction)).body).toEqual({
      error: 303,
      message: "late",
    });
  });

  it("of scripts include script and variables", () => {
    const record = { script: "FALSE", vars: [{ name: "a", value: "1" }] };
    const refused = refusalFailure(new Refusal("TransactionNotAllowedByScript", [], transaction, record));
    expect(refused.body).toMatchObject({
      error: 307,
      message: "Transaction not allowed by account-script",
      script: "FALSE",
      vars: [[{ name: "a", value: "1" }]],
    });
    const failed = refusalFailure(new Refusal("ScriptExecutionError", ["boom"], transaction, record));
    expect(failed.body).toMatchObject({ error: 306, message: "Error while executing account-script: boom" });
    expect(Object.keys(failed.body)).toEqual(["error", "message", "transaction", "script", "vars"]);
  });

  it("of HTTP have their status as id", () => {
    for (const { status, body } of [failures.notFound, failures.methodNotAllowed, failures.tooManyRequests]) {
      expect(body.error).toBe(status);
    }
  });
});

describe("texts", () => {
  it.each([
    [1_687_263_279_853, "2023-06-20T12:14:39.853Z"],
    [1_687_263_279_850, "2023-06-20T12:14:39.850Z"],
    [1_687_263_279_000, "2023-06-20T12:14:39Z"],
  ])("formats dates without zero milliseconds: %d", (ms, text) => {
    expect(isoDate(ms)).toBe(text);
  });
});
