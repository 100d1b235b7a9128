import { describe, expect, test } from "vitest";
import { encodeBase58 } from "../../bytes/base58.ts";
import { formatApiKeyEntry, parseApiKeys } from "./api-key-list.ts";
import { InvalidValueError } from "./kinds.ts";

const hashes = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte));
const [first, second] = hashes.map(encodeBase58);

function problem(text: string): string {
  try {
    parseApiKeys(text);
  } catch (error) {
    if (error instanceof InvalidValueError) return error.message;
    throw error;
  }
  throw new Error("This file was accepted");
}

describe("the file of API keys", () => {
  test("has keys with scopes and an optional expiry", () => {
    const text = `
# Keys of this node.
- name: backup
  scopes: [wallet, read]
  hash: ${first}
- { name: ci-2, scopes: admin, hash: "${second}", expires: 2027-01-31 }
`;
    expect(parseApiKeys(text)).toEqual([
      { name: "backup", scopes: ["read", "wallet"], hash: hashes[0] },
      { name: "ci-2", scopes: ["admin"], hash: hashes[1], expiresAt: Date.UTC(2027, 0, 31) },
    ]);
    expect(parseApiKeys("[]")).toEqual([]);
  });

  test("accepts the entries that the node prints", () => {
    const keys = [
      { name: "1", scopes: ["read"] as const, hash: hashes[0] },
      { name: "null", scopes: ["read", "admin"] as const, hash: hashes[1], expiresAt: 1_800_000_000_000 },
    ];
    expect(parseApiKeys(keys.map(formatApiKeyEntry).join(""))).toEqual(keys);
  });

  test.each([
    ["", "the file is empty: write [] for no keys"],
    ["# only a comment", "the file is empty: write [] for no keys"],
    ["name: x", "expected a list of keys"],
    ["- [", /^invalid YAML: /],
    ["- *a", /^invalid YAML: /],
    ["- 5", "key 1: expected name, scopes and hash"],
    [`- {scopes: read, hash: ${first}}`, /^key 1: invalid name "undefined": expected 1 to 50 /],
    [`- {name: a b, scopes: read, hash: ${first}}`, /^key 1: invalid name "a b"/],
    [`- {name: 5, scopes: read, hash: ${first}}`, /^key 1: invalid name "5"/],
    [`- {name: api-key, scopes: read, hash: ${first}}`, /^key 1: the name api-key is reserved/],
    [`- {name: a, hash: ${first}}`, "key 1: it has no scopes: expected some of read, wallet, admin"],
    [`- {name: a, scopes: [], hash: ${first}}`, /^key 1: it has no scopes/],
    [`- {name: a, scopes: [read, write], hash: ${first}}`, /^key 1: unknown scope "write": expected some of/],
    [`- {name: a, scopes: {read: 1}, hash: ${first}}`, /^key 1: unknown scope/],
    ["- {name: a, scopes: read}", /^key 1: invalid hash \(not shown\)/],
    [
      `- {name: a, scopes: read, hash: ${first}, expires: soon}`,
      /^key 1: invalid expires "soon": expected a date/,
    ],
    [`- {name: a, scopes: read, hash: ${first}, expires: 2027-02-30}`, /^key 1: invalid expires/],
    [`- {name: a, scope: read, hash: ${first}}`, /^key 1: unknown member "scope"/],
    [
      `- {name: a, scopes: read, hash: ${first}}\n- {name: a, scopes: read, hash: ${second}}`,
      "key 2: the name a occurs twice",
    ],
    [
      `- {name: a, scopes: read, hash: ${first}}\n- {name: b, scopes: read, hash: ${first}}`,
      "key 2: another entry has the same hash",
    ],
    ["x".repeat(70_000), "the file exceeds 64 KiB"],
    ["- 5\n".repeat(101), "the file has more than 100 keys"],
  ])("refuses %j", (text, expected) => {
    expect(problem(text)).toMatch(expected);
  });

  test("never shows a key that is in the wrong place", () => {
    expect(problem("- {name: a, scopes: read, hash: my-secret-key}")).not.toContain("my-secret-key");
  });
});
