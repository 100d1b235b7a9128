/** Pages of blocks, transactions and anchors, rendered from the answers of a whole node. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ExampleNode, exampleNode } from "../../../test/support/example-node.ts";
import { encodeBase58 } from "../../bytes/base58.ts";
import { encodeHex } from "../../bytes/hex.ts";
import { encodeUtf8 } from "../../bytes/utf8.ts";
import { addressOf, addressText } from "../../crypto/addresses.ts";
import { sha256 } from "../../crypto/hashes.ts";
import { dev } from "../../profiles/index.ts";
import type { PageFetch } from "../data/node-api.ts";
import type { PageContext } from "../page.ts";
import { contextOf, renderPage, type TestLive, testContext } from "../testing/page-context.ts";
import { anchorPage } from "./anchor.tsx";
import { blockPage } from "./block.tsx";
import { transactionPage } from "./transaction.tsx";

const HOSTILE = `<img src=x onerror=alert(1)>\u202e${"long ".repeat(20)}`;
const headers = { host: "localhost" };

let node: ExampleNode;
let context: PageContext & { readonly live: TestLive };
/** Ids of two confirmed transactions and a pending one. */
let sent = "";
let data = "";
let waiting = "";
let height = 0;
let sender = "";

async function submit(type: string, members: object): Promise<string> {
  const answer = await node.server.inject({
    method: "POST",
    url: `/transactions/submit/${type}`,
    headers,
    payload: members,
  });
  const { id } = answer.json<{ id?: string }>();
  if (id === undefined) throw new Error(answer.body);
  return id;
}

beforeAll(async () => {
  node = await exampleNode();
  const fetch: PageFetch = async (url) => {
    const { pathname, search } = new URL(url);
    const answer = await node.server.inject({ url: pathname + search, headers });
    const type = String(answer.headers["content-type"]);
    return new Response(Uint8Array.from(answer.rawPayload), {
      status: answer.statusCode,
      headers: { "content-type": type },
    });
  };
  node.clock.advance(60_000);
  const addresses = await node.server.inject({ url: "/wallet/addresses", headers });
  [sender] = addresses.json<string[]>();
  const recipient = addressText(addressOf(new Uint8Array(32).fill(3), dev.chainId));
  const common = { sender, fee: 500_000_000 };
  const attachment = encodeBase58(encodeUtf8(HOSTILE));
  sent = await submit("transfer", { ...common, recipient, amount: 123_456_789, attachment });
  const entry = (i: number) => ({ key: `${HOSTILE.slice(0, 30)}${i}`, type: "string", value: HOSTILE });
  data = await submit("data", { ...common, data: Array.from({ length: 30 }, (_, i) => entry(i)) });
  node.clock.advance(30_000);
  waiting = await submit("burn", { ...common, amount: 5 });
  context = await testContext(fetch);
  const info = await node.server.inject({ url: `/transactions/info/${sent}`, headers });
  ({ height } = info.json<{ height: number }>());
});
afterAll(() => node.node.stop());

/** The same node and live data, with nothing loaded. */
const fresh = (): typeof context => ({ ...contextOf(context.node), live: context.live });

const transaction = (id: string) => renderPage(transactionPage, { id }, fresh());

describe("a transaction", () => {
  test("shows a sentence, all details and the bytes", async () => {
    const { text, html } = await transaction(sent);
    expect(text).toContain("Transaction transfer");
    expect(text).toMatch(/3QX\S+ sent 1 \.23456789 to 3Q\S+ ; in block [\d,]+ , not final yet; fee 1 \./);
    for (const label of ["Sender's key", "Recipient", "Attachment", "Fee offered", "Signature", "Height"])
      expect(html).toContain(`<dt>${label}</dt>`);
    expect(text).toContain("the hash of the signed part is the id");
    expect(text).toMatch(/26 Recipient 3Qc\w+ Copy address signed/);
  });

  test("escapes hostile texts", async () => {
    for (const id of [sent, data]) {
      const { text, html } = await transaction(id);
      expect(html).not.toContain("<img");
      expect(html).not.toContain("\u202e");
      expect(text).toContain("<img src=x onerror=alert(1)>⟨U+202E⟩long");
      expect(html).not.toMatch(/ style="/);
    }
    expect((await transaction(data)).text).toContain("Show all 30");
  });

  test("is pending, also after its block was reverted", async () => {
    expect((await transaction(waiting)).text).toContain(
      "Pending . This page updates when a block includes it.",
    );
    const known = await context.node.client.call("GET /transactions/unconfirmed/info/:id", {
      params: { id: waiting },
    });
    context.live.transactions.value = [{ transaction: known, height: undefined, reverted: true }];
    expect((await transaction(waiting)).text).toContain("Reverted . Its block left the chain");
    context.live.transactions.value = [];
  });

  test("becomes final at 100 confirmations", async () => {
    const tip = (more: number) => ({ height: height + more, sequence: 0, id: "x", timestamp: 0n });
    context.live.tip.value = tip(99);
    const { text } = await transaction(sent);
    expect(text).toContain("99 confirmations ; final at 100.");
    expect(text.match(/99 confirmations/g)).toHaveLength(1);
    context.live.tip.value = tip(100);
    const final = (await transaction(sent)).text;
    expect(final).toMatch(/in block [\d,]+ , final; fee/);
    expect(final).toContain("100 confirmations : no fork can undo the block.");
    context.live.tip.value = undefined;
  });

  test("keeps an unknown id open, and rejects a malformed one", async () => {
    expect((await transaction(encodeBase58(sha256(encodeUtf8("nowhere"))))).text).toContain(
      "has no transaction with this id",
    );
    await expect(transaction("<script>")).rejects.toMatchObject({ kind: "malformed" });
  });
});

describe("a block", () => {
  const block = (id: string) => renderPage(blockPage, { id }, fresh());
  const header = (at: number) =>
    fresh().node.client.call("GET /blocks/headers/at/:height", { params: { height: at } });

  test("shows header, fees and transactions, by height or id", async () => {
    const { text } = await block(String(height));
    const { signature } = await header(height);
    expect(text).toContain(`Block ${height}`);
    for (const words of ["Generator 3QX", "Base target", "Transaction fees", "Mining reward"])
      expect(text).toContain(words);
    expect(text).toContain("Fee vote unchanged");
    expect(text).toMatch(/transfer 3QX\S+ sent 1 \.23456789 to 3Q/);
    expect(text).toContain("wrote 30 data entries");
    const { text: byId } = await block(signature);
    expect(byId).toBe(text);
  });

  test("links to the adjacent blocks", async () => {
    expect((await block(String(height))).html).toContain(`href="block/${height + 1}"`);
    const first = await block("1");
    expect(first.html).not.toContain('rel="prev"');
    expect(first.text).toContain("The first block gave");
  });

  test("rejects unknown heights and ids, and malformed ones", async () => {
    await expect(block("9999")).rejects.toMatchObject({
      kind: "unknown",
      advice: expect.stringContaining("wait until it has finished"),
    });
    await expect(block("0")).rejects.toMatchObject({ kind: "unknown" });
    await expect(block(encodeBase58(new Uint8Array(64).fill(9)))).rejects.toMatchObject({ kind: "unknown" });
    await expect(block("no")).rejects.toMatchObject({ kind: "malformed" });
  });

  test("shows a reverted block with a link to its replacement", async () => {
    const before = await header(height + 2);
    // A new transaction in the block before makes the replacement differ.
    await submit("burn", { sender, fee: 500_000_000, amount: 6 });
    await node.node.control.chain.rollback(height, true);
    node.clock.advance(60_000);
    const { text, html } = await block(before.signature);
    expect(text).toContain("No longer on the chain.");
    expect(html).toContain(`href="block/${(await header(height + 2)).signature}"`);
  });
});

describe("an anchor", () => {
  const page = (hash?: string) => renderPage(anchorPage, hash === undefined ? {} : { hash }, fresh());

  test("offers a field for a file and one for a hash", async () => {
    const { text, html } = await page();
    expect(text).toContain("Drop a file anywhere on this page, or choose one");
    expect(html).toContain('type="file"');
    expect(html).toContain('<label for="anchor-hash">');
  });

  test("accepts a hash in the path", async () => {
    const hash = sha256(encodeUtf8("a file"));
    expect((await page(encodeHex(hash))).text).toContain("Drop a file");
    expect((await page(encodeBase58(hash))).text).toContain("Drop a file");
    await expect(page("nothing")).rejects.toMatchObject({ kind: "malformed" });
  });
});
