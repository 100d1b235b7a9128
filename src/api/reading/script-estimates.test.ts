/** The server finds the estimating route by its flag. */
import { expect, test } from "vitest";
import { jsonTextReply } from "../../http/responses/reply.ts";
import { findSlowScript } from "../../script/index.ts";
import type { Route } from "../route.ts";
import { routes } from "../routes/all.ts";
import { API_KEY, bareServer } from "../testing/server.ts";
import { unestimated } from "../testing/unestimated-script.ts";
import type { ReaderThread } from "./reader-queue.ts";

const ESTIMATE = "/utils/script/estimate";
const withScripts = (routes as readonly Route[]).filter(
  ({ request, runsInReader, method, path }) =>
    request?.body?.kind === "json" && runsInReader !== true && method === "POST" && !path.includes(":"),
);

test("has a route that estimates scripts in a thread", () => {
  const found = (routes as readonly Route[]).filter(({ path }) => path === ESTIMATE);
  expect(
    found.map(({ runsInReader, request, access }) => [runsInReader, request?.body?.kind, access]),
  ).toEqual([[true, "text", undefined]]);
  expect(withScripts.length).toBeGreaterThan(8);
});

test("estimates a script in a JSON body in a thread first", async () => {
  const asked: string[] = [];
  const thread: ReaderThread = {
    async read({ route }) {
      asked.push(route.path);
      return jsonTextReply('{"complexity":7}');
    },
    cancel() {},
  };
  const server = await bareServer({ readerThreads: [thread] });
  for (const [i, { path: url }] of withScripts.entries()) {
    const script = unestimated(1_000 + i);
    expect(findSlowScript(script)).toBeDefined();
    const payload = JSON.stringify({ type: 13, script });
    await server.inject({ method: "POST", url, headers: { "x-api-key": API_KEY }, payload });
    expect([url, ...asked.splice(0)]).toEqual([url, ESTIMATE]);
  }
  await server.close();
});
