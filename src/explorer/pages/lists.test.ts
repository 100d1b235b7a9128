import { expect, test } from "vitest";
import { renderPage, testContext } from "../testing/page-context.ts";
import { ScriptedNode } from "../testing/scripted-node.ts";
import { filterParameters, readFilters } from "./lists/filters.tsx";
import { blocksPage, largestPage, richestPage, transactionsPage } from "./lists/list-pages.tsx";

const ALICE = "3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt";
const BOB = "3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE";
const ID = "BtBa1PzKM5tcx5D2TwDL95vRxmff6SMCBgnTPHyaEAU8";
const row = {
  id: ID,
  type: 4,
  name: "mass-transfer",
  height: 12,
  position: 0,
  timestamp: 1_795_292_997_921,
  sender: ALICE,
  recipient: BOB,
  recipients: 1,
  amount: 3_193_391_230,
  fee: 100_000_000,
};

async function start(answers: Readonly<Record<string, unknown>>) {
  const node = new ScriptedNode();
  node.answers.set("/blocks/headers/at/1", { json: { generator: ALICE, signature: "g" } });
  for (const [path, json] of Object.entries(answers))
    node.answers.set(path, { json, headers: { "x-next-cursor": "c" } });
  return testContext(node.fetch);
}

test("the list of transactions has columns from, to, amount and block", async () => {
  const { recipient: _, ...others } = row;
  const several = { ...others, id: ID.replace("B", "C"), recipients: 40, amount: 0 };
  const context = await start({ "/transactions/newest/rows?limit=100": [row, several] });
  const { html, text } = await renderPage(transactionsPage, {}, context);
  expect(text).toMatch(/mass transfer 3QXw\S+ 3QV4\S+ 31 \.9339123 1 12/);
  expect(text).toContain("40 accounts 1 12");
  expect(html).toContain(`href="transaction/${ID}"`);
  expect(text).toContain("Show more");
});

test("filters are read from the URL, and sent to the node and to the export", async () => {
  const query = new URLSearchParams({ type: "transfer", from: "2026-11-01", minAmount: "1.5", other: "x" });
  const path = "/transactions/newest/rows?limit=100&from=2026-11-01&type=transfer&minAmount=150000000";
  const context = await start({ [path]: [row] });
  const { html, text } = await renderPage(transactionsPage, {}, context, query);
  expect(text).toContain("31 .9339123");
  expect(html).toMatch(/<option[^>]*value="transfer"[^>]*selected|<option[^>]*selected[^>]*value="transfer"/);
  const exported = /href="([^"]*format=csv)"/.exec(html)?.[1].replaceAll("&amp;", "&") ?? "";
  expect(Object.fromEntries(new URL(exported).searchParams)).toEqual({
    type: "transfer",
    from: "2026-11-01",
    minAmount: "150000000",
    format: "csv",
  });
});

test("an amount that is not a number is refused before a request", () => {
  const filters = readFilters(new URLSearchParams({ minAmount: "much" }), ["minAmount"]);
  expect(() => filterParameters(filters)).toThrow("Enter an amount in digits");
});

test("an unknown choice in the URL has no effect", async () => {
  const context = await start({ "/transactions/largest?limit=100": [row] });
  const { html, text } = await renderPage(
    largestPage,
    {},
    context,
    new URLSearchParams({ period: "century" }),
  );
  expect(text).toContain("31 .9339123");
  expect(html).toMatch(/<option[^>]* selected[^>]*>the whole chain</);
  expect(html).not.toContain("century");
});

test("the list of blocks shows forger, size, fees and reward", async () => {
  const block = {
    height: 12,
    id: ID,
    timestamp: 1_795_292_997_921,
    generator: ALICE,
    transactionCount: 3,
    size: 1_234,
    fees: 300_000_000,
    reward: 150_000_000,
  };
  const context = await start({ [`/blocks/newest?limit=100&generator=${ALICE}`]: [block] });
  const query = new URLSearchParams({ generator: ALICE });
  const { text } = await renderPage(blocksPage, {}, context, query);
  expect(text).toMatch(/12 \S.* 3QXw\S+ 3 1\.2 kB 3 1 \.5/);
});

test("the largest transfers of a day are selected in the URL", async () => {
  const context = await start({ "/transactions/largest?limit=100&period=day": [row] });
  const query = new URLSearchParams({ period: "day" });
  const { html, text } = await renderPage(largestPage, {}, context, query);
  expect(text).toMatch(/mass transfer 3QXw\S+ 3QV4\S+ 31 \.9339123 1 12/);
  expect(html).toMatch(/href="[^"]*transactions\/largest\?period=day&amp;format=csv"/);
  expect(html).toContain('href="richest"');
});

test("the richest accounts show rank, balance and share of the supply", async () => {
  const account = { rank: 3, address: ALICE, balance: 150_000_000, effective: 250_000_000, share: 0.125 };
  const context = await start({ "/addresses/richest?limit=100": [account] });
  const { text } = await renderPage(richestPage, {}, context);
  expect(text).toMatch(/3 3QXw\S+ 1 \.5 13 % 2 \.5/);
});
