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

async function render(others: Readonly<Record<string, unknown>>): Promise<string> {
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
  const { html } = await renderPage({ url, path: "", query: new URLSearchParams(), fetch });
  return textOf(html);
}

test("a page of a syncing node shows the blocks that it has", async () => {
  const network = { displayName: "dev", chainId: 90 };
  const sync = { network, behind: true, height: 1, targetHeight: 400, peers: 1 };
  expect(await render({ "node/sync": sync })).toMatch(/height 1 .* just now/);
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
  expect(await render({})).toContain("5 min ago");
});
