import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { encodeBase58 } from "../../bytes/base58.ts";
import { encodeUtf8 } from "../../bytes/utf8.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { ApiKeyFile } from "./api-key-file.ts";

const entry = (name: string, byte: number, scopes = "read") =>
  `- {name: ${name}, scopes: [${scopes}], hash: ${encodeBase58(new Uint8Array(32).fill(byte))}}\n`;

let content: string | Error | undefined;
let clock: VirtualClock;
let lines: string[];
let file: ApiKeyFile;
let reported: (readonly string[])[];

beforeEach(() => {
  content = entry("first", 1);
  clock = new VirtualClock(0);
  lines = [];
  reported = [];
  const line = (message: string, fields: unknown) => lines.push(`${message} ${JSON.stringify(fields)}`);
  file = new ApiKeyFile(
    { path: "/keys.yaml", keys: [{ name: "first", scopes: ["read"], hash: new Uint8Array(32).fill(1) }] },
    {
      clock,
      log: { debug: line, info: line, warn: line, error: line },
      files: {
        read: async () => {
          if (content instanceof Error) throw content;
          return content === undefined ? undefined : encodeUtf8(content);
        },
        remove: async () => {},
      },
    },
  );
  file.onChange((keys) => reported.push(keys.map(({ name }) => name)));
  file.start();
});

afterEach(() => file.stop());

/** Lets time pass; the file is read between the seconds. */
async function pass(ms: number): Promise<void> {
  for (let i = 0; i < ms / 1_000; i++) {
    clock.advance(1_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const names = () => file.current.map(({ name }) => name);

describe("the file of API keys", () => {
  it("changes nothing while it stays the same", async () => {
    await pass(10_000);
    expect(names()).toEqual(["first"]);
    expect(reported).toEqual([]);
    expect(lines).toEqual([]);
  });

  it("takes effect within two seconds after it has changed, and is reported", async () => {
    await pass(5_000);
    content = entry("first", 1) + entry("second", 2);
    await pass(2_000);
    expect(names()).toEqual(["first", "second"]);
    expect(reported).toEqual([["first", "second"]]);
    content = "[]";
    await pass(2_000);
    expect(names()).toEqual([]);
    expect(lines).toEqual([
      'The API keys have changed {"path":"/keys.yaml","names":["first","second"]}',
      'The API keys have changed {"path":"/keys.yaml","names":[]}',
    ]);
  });

  it.each<[string, string | Error | undefined, string]>([
    ["has an unknown scope", entry("first", 1, "write"), 'key 1: unknown scope \\"write\\"'],
    ["is empty", "", "the file is empty"],
    ["is missing", undefined, "the file does not exist"],
    ["cannot be read", new Error("EACCES: permission denied"), "EACCES: permission denied"],
    ["is too long", "#".repeat(70_000), "the file exceeds 64 KiB"],
  ])("keeps the old keys if it %s, logs why once, and recovers", async (_, bad, reason) => {
    content = bad;
    await pass(20_000);
    expect(names()).toEqual(["first"]);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain("the previous keys remain in force");
    expect(lines[0]).toContain(reason);
    content = entry("second", 2);
    await pass(2_000);
    expect(names()).toEqual(["second"]);
  });

  it("is not used while it is being written", async () => {
    await pass(5_000);
    for (let i = 0; i < 5; i++) {
      content = `${entry("second", 2)}# ${i}\n- {name`;
      await pass(1_000);
    }
    content = entry("second", 2) + entry("third", 3);
    await pass(2_000);
    expect(names()).toEqual(["second", "third"]);
    expect(lines).toHaveLength(1);
  });

  it("is not read after the node has stopped", async () => {
    file.stop();
    content = "[]";
    await pass(10_000);
    expect(names()).toEqual(["first"]);
  });
});
