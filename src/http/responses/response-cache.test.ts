import { expect, test } from "vitest";
import { testServer } from "../../api/testing/server.ts";
import { emptyBlock } from "../../api/testing/snapshot.ts";
import { ChunkedBody, jsonChunksReply, jsonReply, jsonTextReply, Reply } from "./reply.ts";
import { ResponseCache } from "./response-cache.ts";

test("an answer is kept while the chain stands where it stood", () => {
  const state = { name: "a" };
  const kept = new ResponseCache();
  expect(kept.find(state.name, "/x")).toBeUndefined();
  kept.store("/x", jsonTextReply("1"));
  expect(kept.find(state.name, "/x")?.body).toBe("1");
  expect(kept.find(state.name, "/y")).toBeUndefined();
  state.name = "b";
  expect(kept.find(state.name, "/x")).toBeUndefined();
  expect(kept.bytes).toBe(0);
  // An answer made from another state is not cached.
  kept.store("/x", jsonTextReply("1"), "a");
  expect(kept.find(state.name, "/x")).toBeUndefined();
  kept.store("/x", jsonTextReply("2"), "b");
  expect(kept.find(state.name, "/x")?.body).toBe("2");
});

test("no more is kept than may be, nor what is too long, no success, or sent once", () => {
  const kept = new ResponseCache({ maxTotalBytes: 10_000, maxAnswerBytes: 4_000 });
  const isKept = (url: string): boolean => kept.find("a", url) !== undefined;
  isKept("/");
  for (let i = 0; i < 100; i++) {
    kept.store(`/${i}`, jsonTextReply("x".repeat(500)));
    // A popular answer stays.
    expect(isKept("/0")).toBe(true);
    expect(kept.bytes).toBeLessThanOrEqual(10_000);
  }
  expect(isKept("/1")).toBe(false);
  expect(isKept("/90")).toBe(false);
  expect(isKept("/98")).toBe(true);
  expect(isKept("/99")).toBe(true);
  kept.store("/long", jsonChunksReply([new Uint8Array(3_000), new Uint8Array(3_000)]));
  kept.store("/failure", jsonReply(404, {}));
  kept.store("/once", new Reply({ body: "", onSent: () => {} }));
  kept.store("/soon", new Reply({ body: "", cacheable: false }));
  expect(["/long", "/failure", "/once", "/soon"].map(isKept)).toEqual([false, false, false, false]);
  kept.store("/pieces", jsonChunksReply([new Uint8Array(1_000)]));
  expect(kept.find("a", "/pieces")?.body).toBeInstanceOf(ChunkedBody);
});

test("a short answer is admitted if it was requested before", () => {
  const cache = new ResponseCache();
  const admits = (key: string, length = 1): boolean => cache.admits(key, jsonTextReply("x".repeat(length)));
  expect(admits("/x")).toBe(false);
  expect(admits("/x")).toBe(true);
  cache.find("b", "/x");
  expect(admits("/x")).toBe(true);
  for (let i = 0; i < 1_024; i++) expect(admits(`/${i}`)).toBe(false);
  expect(admits("/x")).toBe(false);
  expect(admits("/long", 8_193)).toBe(true);
  // Long keys are not remembered.
  expect(admits("/".repeat(513))).toBe(true);
});

test("a server stores an answer at its second request, and computes it again when the chain has moved", async () => {
  const state = { name: "a" };
  let made = 0;
  const at = (height: number) => {
    made++;
    return emptyBlock(height);
  };
  const server = await testServer({ chain: { state: () => state.name, blocks: { at } } });
  const ask = () => server.inject({ url: "/blocks/at/7" });
  const first = await ask();
  await ask();
  expect(made).toBe(2);
  const second = await ask();
  expect(made).toBe(2);
  expect(second.statusCode).toBe(200);
  expect(second.body).toEqual(first.body);
  expect({ ...second.headers, date: "" }).toEqual({ ...first.headers, date: "" });
  // `Accept` also applies to cached answers.
  const refused = await server.inject({ url: "/blocks/at/7", headers: { accept: "text/html" } });
  expect(refused.statusCode).toBe(404);
  state.name = "b";
  await ask();
  await ask();
  expect(made).toBe(3);
  await server.close();
});
