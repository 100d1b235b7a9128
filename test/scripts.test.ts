/**
 * Scripted accounts on a whole node: the real client sets, uses, replaces and clears scripts. Includes the scripts of
 * the guide.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LTO } from "@ltonetwork/lto";
import type { Account } from "@ltonetwork/lto/accounts";
import { SetScript, Transfer } from "@ltonetwork/lto/transactions";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { encodeBase58 } from "../src/bytes/base58.ts";
import type { KeyPair } from "../src/crypto/signatures.ts";
import {
  confirmed,
  type NodeProcess,
  removeFolder,
  runCli,
  startNodeProcess,
  temporaryFolder,
} from "./support/node-process.ts";
import { signedRequest, walletKeys } from "./support/sign-request.ts";

const chainId = "Z".charCodeAt(0);
const UNIT = 100_000_000;
const dataDir = temporaryFolder("scripts");
const guide = join(import.meta.dirname, "..", "docs", "scripts");

let node: NodeProcess;
let lto: LTO;
let root: Account;

beforeAll(async () => {
  node = await startNodeProcess({ dataDir });
  lto = new LTO("Z");
  lto.nodeAddress = node.url;
  root = lto.account({ seed: "root" });
});

afterAll(async () => {
  await node.stop();
  removeFolder(dataDir);
});

async function inBlock(transaction: { id?: string }) {
  return confirmed(node, transaction.id as string);
}

async function funded(seed: string): Promise<Account> {
  const account = lto.account({ seed });
  await inBlock(await lto.transfer(root, account, 1_000 * UNIT));
  return account;
}

/** Sends a request with signatures of these keys, in this order. Returns the answer. */
async function send(
  request: Record<string, unknown>,
  sender: KeyPair,
  ...signers: readonly (KeyPair | undefined)[]
) {
  const plain = JSON.parse(signedRequest({ fee: 500_000_000, ...request }, sender, chainId));
  const proofs = signers.map((keys) =>
    keys === undefined
      ? ""
      : JSON.parse(
          signedRequest(
            {
              fee: 500_000_000,
              ...request,
              timestamp: plain.timestamp,
              senderKeyType: "ed25519",
              senderPublicKey: encodeBase58(sender.publicKey),
            },
            keys,
            chainId,
          ),
        ).proofs[0],
  );
  return node.post("/transactions/broadcast", { ...plain, proofs });
}

/** Compiles a script on the node, like a client, and sets it on the account. */
async function setScript(account: Account, text: string): Promise<void> {
  const transaction = await lto.node.compile(text);
  await inBlock(await transaction.signWith(account).broadcastTo(lto.node));
}

describe.concurrent("the real client", () => {
  test("sets, uses, replaces and clears a script", async () => {
    const owner = await funded("script owner");
    await setScript(owner, "sigVerify(tx.bodyBytes, tx.proofs[0], tx.senderPublicKey) && height > 0");
    const info = (await node.get(`/addresses/scriptInfo/${owner.address}`)).json;
    expect(info).toMatchObject({ address: owner.address, extraFee: UNIT });
    expect(info.script).toMatch(/^base64:/);
    expect(info.complexity).toBeGreaterThan(100);
    await inBlock(await lto.transfer(owner, root, UNIT));

    await setScript(owner, "match tx { case s: SetScriptTransaction => true case _ => false }");
    const refused = await new Transfer(root, UNIT)
      .signWith(owner)
      .broadcastTo(lto.node)
      .then(
        () => undefined,
        (error: { response?: unknown }) => error,
      );
    expect(refused).toBeDefined();
    const answer = await send(
      { type: 4, recipient: root.address, amount: 1 },
      walletKeys("script owner"),
      walletKeys("script owner"),
    );
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ error: 307, message: "Transaction not allowed by account-script" });
    expect(Object.keys(answer.json)).toEqual(["error", "message", "transaction", "script", "vars"]);

    await inBlock(await new SetScript().signWith(owner).broadcastTo(lto.node));
    expect((await node.get(`/addresses/scriptInfo/${owner.address}`)).json).toEqual({
      address: owner.address,
      complexity: 0,
      extraFee: 0,
    });
    await inBlock(await lto.transfer(owner, root, UNIT));
  });

  test("receives the error of a script that throws", async () => {
    const owner = await funded("script thrower");
    await setScript(owner, 'match tx { case s: SetScriptTransaction => true case _ => throw("not today") }');
    const answer = await send(
      { type: 4, recipient: root.address, amount: 1 },
      walletKeys("script thrower"),
      walletKeys("script thrower"),
    );
    expect(answer.status).toBe(400);
    expect(answer.json.error).toBe(306);
    expect(answer.json.message).toContain("Error while executing account-script: not today");
  });

  test("receives the compiler's errors", async () => {
    const answer = await node.post("/utils/script/compile", "1 + 1", { "content-type": "text/plain" });
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual({ error: 305, message: "Script should return boolean" });
  });
});

describe.concurrent("the scripts of the guide", () => {
  const alice = walletKeys("guide alice");
  const bob = walletKeys("guide bob");
  const carol = walletKeys("guide carol");
  const administrator = walletKeys("guide administrator");

  /** The guide's text with keys and addresses of this chain in place of the example ones. */
  function guideScript(name: string, replacements: Record<string, string>): string {
    let text = readFileSync(join(guide, `${name}.ride`), "utf8");
    for (const [variable, value] of Object.entries(replacements)) {
      const before = text;
      text = text.replace(new RegExp(`(let ${variable} = ).*`), `$1${value}`);
      expect(text).not.toBe(before);
    }
    return text;
  }
  const key = (keys: KeyPair) => `base58'${encodeBase58(keys.publicKey)}'`;
  const transfer = (amount = UNIT, recipient = root.address) => ({ type: 4, recipient, amount, fee: UNIT });

  test("two of three", async () => {
    const owner = await funded("guide two of three");
    const keys = walletKeys("guide two of three");
    await setScript(
      owner,
      guideScript("two-of-three", { alice: key(alice), bob: key(bob), carol: key(carol) }),
    );
    expect((await send(transfer(), keys, keys)).json.error).toBe(307);
    expect((await send(transfer(), keys, alice)).json.error).toBe(307);
    expect((await send(transfer(1), keys, alice, alice)).json.error).toBe(307);
    const answer = await send(transfer(2), keys, alice, undefined, carol);
    expect(answer.status, answer.text).toBe(200);
    await confirmed(node, answer.json.id);
  });

  test("allow-list", async () => {
    const owner = await funded("guide allow-list");
    const keys = walletKeys("guide allow-list");
    const shop = lto.account({ seed: "guide shop" }).address;
    const list = { shop: `addressFromString("${shop}")`, savings: `addressFromString("${root.address}")` };
    await setScript(owner, guideScript("allow-list", list));
    const stranger = lto.account({ seed: "guide stranger" }).address;
    expect((await send(transfer(1, stranger), keys, keys)).json.error).toBe(307);
    expect((await send({ type: 8, recipient: shop, amount: UNIT }, keys, keys)).json.error).toBe(307);
    expect((await send(transfer(1, shop), keys, keys)).status).toBe(200);
    await inBlock(await new SetScript().signWith(owner).broadcastTo(lto.node));
  });

  test("frozen until a height", async () => {
    const owner = await funded("guide frozen");
    const keys = walletKeys("guide frozen");
    const height = (await node.get("/blocks/height")).json.height as number;
    const text = readFileSync(join(guide, "frozen-until-height.ride"), "utf8").replace(
      "height >= 1000000",
      `height >= ${height + 2}`,
    );
    expect(text).toContain(`height >= ${height + 2}`);
    await setScript(owner, text);
    let answer = await send(transfer(1), keys, keys);
    expect(answer.json.error).toBe(307);
    while (((await node.get("/blocks/height")).json.height as number) < height + 2) {
      answer = await send(transfer(1), keys, keys);
    }
    answer = await send(transfer(2), keys, keys);
    expect(answer.status, answer.text).toBe(200);
  });

  test("anchors only", async () => {
    const owner = await funded("guide anchors");
    const keys = walletKeys("guide anchors");
    await setScript(owner, guideScript("anchors-only", { administrator: key(administrator) }));
    expect((await send({ type: 15, anchors: [encodeBase58(new Uint8Array(32))] }, keys, keys)).status).toBe(
      200,
    );
    expect((await send(transfer(1), keys, keys)).json.error).toBe(307);
    expect((await send(transfer(2), keys, administrator)).status).toBe(200);
  });

  test("a limit for one transfer", async () => {
    const owner = await funded("guide limit");
    const keys = walletKeys("guide limit");
    await setScript(owner, guideScript("transfer-limit", { administrator: key(administrator) }));
    expect((await send(transfer(99 * UNIT), keys, keys)).status).toBe(200);
    expect((await send(transfer(100 * UNIT), keys, keys)).json.error).toBe(307);
    expect((await send(transfer(100 * UNIT), keys, administrator)).status).toBe(200);
  });
});

describe.concurrent("holdfast script", () => {
  test("compiles, estimates and decompiles", async () => {
    const file = join(guide, "two-of-three.ride");
    const compiled = await runCli(["script", "compile", file]);
    expect(compiled.code).toBe(0);
    expect(compiled.stdout).toMatch(/^base64:\S+\n$/);
    const path = join(dataDir, "compiled.base64");
    writeFileSync(path, compiled.stdout);
    const estimate = await runCli(["script", "estimate", path]);
    expect(estimate.stdout).toMatch(/^\d+\n$/);
    expect(compiled.stderr).toContain(`complexity ${estimate.stdout.trim()}`);
    const text = await runCli(["script", "decompile", path]);
    expect(text.stdout).toContain("FUNCTION_CALL(Native(500)");
    const wrong = await runCli(["script", "estimate", file]);
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toContain("is not a compiled script");
    const missing = await runCli(["script", "compile", join(dataDir, "nothing.ride")]);
    expect(missing.code).toBe(1);
  });
});
