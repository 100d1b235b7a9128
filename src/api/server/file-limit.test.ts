import { expect, test } from "vitest";
import { jsonTextReply, type Reply } from "../../http/responses/reply.ts";
import type { ReaderThread } from "../reading/reader-queue.ts";
import { bareServer } from "../testing/server.ts";

test("a client gets one file at a time, and pages meanwhile", async () => {
  /** Ends the reads in progress, oldest first. */
  const running: (() => void)[] = [];
  const thread: ReaderThread = {
    read: () =>
      new Promise<Reply>((resolve) => {
        running.push(() => resolve(jsonTextReply("[]")));
      }),
    cancel: () => {},
  };
  const server = await bareServer({ readerThreads: Array.from({ length: 9 }, () => thread) });
  const ask = (url: string, remoteAddress: string) =>
    server.inject({ url, remoteAddress }).then((answer) => answer);
  const [one, other] = ["192.0.2.1", "192.0.2.2"];
  const csv = "/blocks/newest?format=csv";
  const first = ask(csv, one);
  await expect.poll(() => running.length).toBe(1);
  const refused = await ask("/blocks/newest?format=json", one);
  expect([refused.statusCode, refused.headers["retry-after"]]).toEqual([429, "1"]);
  expect(refused.json().message).toMatch(/^another file is being sent/);
  // Other clients, pages, and local requests are not limited.
  const others = [ask(csv, other), ask("/blocks/newest", one), ask(csv, "127.0.0.1"), ask(csv, "127.0.0.1")];
  await expect.poll(() => running.length).toBe(5);
  for (const end of running.splice(0)) end();
  for (const answer of [first, ...others]) expect((await answer).statusCode).toBe(200);
  const next = ask(csv, one);
  await expect.poll(() => running.length).toBe(1);
  running.pop()?.();
  expect((await next).statusCode).toBe(200);
  await server.close();
});
