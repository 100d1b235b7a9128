import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { renderPage } from "./server.tsx";
import { textOf } from "./testing/page-context.ts";

const START = 1_700_000_000_000;
const MINUTE_MS = 60_000;

const header = {
  height: 1,
  signature: "53KvG3HPs4adaf5uurmqxiUr6TqWsm7hyumxXZHC55ocqmBgn36QTSBiVtmQCWrW9BSvWHRFxkBhajdJbq2PnhQn",
  generator: "3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt",
  timestamp: START,
  transactionCount: 0,
  fee: 0,
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: START });
});

afterEach(() => {
  vi.useRealTimers();
});

async function render(others: Readonly<Record<string, unknown>>, path = ""): Promise<string> {
  const answers: Readonly<Record<string, unknown>> = {
    "node/sync": { network: { displayName: "dev", chainId: 90 } },
    "blocks/headers/last": header,
    "blocks/headers/seq/1/1": [header],
    ...others,
  };
  const url = "http://node/";
  const fetch = async (target: string): Promise<Response> => {
    const answer = answers[target.slice(url.length)];
    return Response.json(answer ?? { message: "not found" }, { status: answer === undefined ? 404 : 200 });
  };
  return (await renderPage({ url, path, query: new URLSearchParams(), fetch })).html;
}

test("a page of a syncing node shows the blocks that it has", async () => {
  const network = { displayName: "dev", chainId: 90 };
  const sync = { network, behind: true, height: 1, targetHeight: 400, peers: 1 };
  expect(textOf(await render({ "node/sync": sync }))).toMatch(/height 1 .* just now/);
});

test("a page contains the rows of a list that a window shows", async () => {
  const address = header.generator;
  const row = {
    type: 4,
    name: "transfer",
    position: 0,
    timestamp: START,
    direction: "in",
    recipients: 1,
    fee: 0,
  };
  const rows = Array.from({ length: 100 }, (_, i) => ({
    ...row,
    id: `id${i}`,
    height: i + 1,
    amount: 1,
    leased: 0,
  }));
  const list = {
    [`addresses/transactions/${address}?limit=100`]: rows,
    "transactions/newest/rows?limit=100": rows,
  };
  const countRows = (html: string): number => html.split(" data-index=").length - 1;
  // On the page of an account, the list begins further down.
  expect(countRows(await render(list, `address/${address}`))).toBe(10);
  expect(countRows(await render(list, "transactions"))).toBe(30);
});

test("a page of a node that is starting is left to the browser", async () => {
  const url = "http://node/";
  const fetch = async (): Promise<Response> =>
    Response.json({ error: 0, message: "starting" }, { status: 503 });
  const page = renderPage({ url, path: "", query: new URLSearchParams(), fetch });
  await expect(page).rejects.toMatchObject({ status: 503 });
});

test("a page shows the present time after another page could not be rendered", async () => {
  vi.setSystemTime(START + MINUTE_MS);
  await expect(render({ "transactions/newest?limit=30": [{}] })).rejects.toThrow("Invalid time value");
  vi.setSystemTime(START + 5 * MINUTE_MS);
  expect(textOf(await render({}))).toContain("5 min ago");
});
