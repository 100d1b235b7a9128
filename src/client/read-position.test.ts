import { expect, test } from "vitest";
import { testServer } from "../api/testing/server.ts";
import { createClient, type Fetch } from "./client.ts";
import { ReadPosition } from "./read-position.ts";
import { serverClient } from "./testing/checked-fetch.ts";

const id = (letter: string): string => letter.repeat(88);

test("remembers the newest position, and on a fork the last one of the same height", () => {
  const position = new ReadPosition();
  expect(position.text).toBe(undefined);
  for (const [seen, kept] of [
    ["7.2.A", "7.2.A"],
    ["7.1.B", "7.2.A"],
    ["6.9.B", "7.2.A"],
    ["7.2.C", "7.2.C"],
    ["8.0.D", "8.0.D"],
    ["10.0.E", "10.0.E"],
    ["9.5.F", "10.0.E"],
  ]) {
    const text = (short: string): string => short.replace(/[A-F]$/, id);
    position.remember(text(seen));
    expect(position.text).toBe(text(kept));
  }
});

test.each([
  "",
  "7",
  "7.2",
  "7.2.x",
  `7.2.${id("0")}`,
  ` 7.2.${id("A")}`,
  `7.2.${id("A")}\n`,
  `-7.2.${id("A")}`,
])("ignores '%s'", (text) => {
  const position = new ReadPosition(`1.0.${id("A")}`);
  position.remember(text);
  expect(position.text).toBe(`1.0.${id("A")}`);
});

test("clients that share a position ask for it, and learn it from answers", async () => {
  const server = await testServer();
  const position = new ReadPosition();
  const urls: string[] = [];
  const fetch: Fetch = async (url) => {
    urls.push(url);
    return {
      status: 200,
      headers: { get: () => "application/json" },
      text: async () => '{"height":1}',
      arrayBuffer: async () => new ArrayBuffer(0),
    };
  };
  await serverClient(server, undefined, position).call("GET /blocks/height");
  const other = createClient({ url: "http://b", fetch, position });
  await other.call("GET /blocks/height");
  await createClient({ url: "http://c", fetch }).call("GET /blocks/height");
  expect(position.text).toMatch(/^1\.0\./);
  expect(urls).toEqual([`http://b/blocks/height?atLeast=${position.text}`, "http://c/blocks/height"]);
  await server.close();
});
