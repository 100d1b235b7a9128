import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeBase58 } from "../../bytes/base58.ts";
import { encodeBase64 } from "../../bytes/base64.ts";
import { encodeHex } from "../../bytes/hex.ts";
import { addressOf, addressText } from "../../crypto/addresses.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { RemoteNodeApi } from "../data/node-api.ts";
import { ScriptedNode } from "../testing/scripted-node.ts";
import { findCandidates } from "./find-candidates.ts";
import { parseSearch } from "./parse-search.ts";

const Z = 90;
const ADDRESS = "3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt";
const BLOCK = "53KvG3HPs4adaf5uurmqxiUr6TqWsm7hyumxXZHC55ocqmBgn36QTSBiVtmQCWrW9BSvWHRFxkBhajdJbq2PnhQn";
const TRANSACTION = "BtBa1PzKM5tcx5D2TwDL95vRxmff6SMCBgnTPHyaEAU8";
const SHA256 = "34b4a6b1ce9ced82394644fdb3136e531714a780170a3aaaf29d8ee39a17f127";

/** Candidates in short form, or the message. */
function read(text: string): string[] {
  const reading = parseSearch(text, Z);
  if (reading.kind === "nothing") return [reading.message];
  return reading.candidates.map((one) => {
    switch (one.kind) {
      case "hash":
        return `${one.encoding} ${one.text}`;
      case "did":
        return one.text;
      case "public key":
        return "public key";
      default:
        return `${one.kind} ${one.text}`;
    }
  });
}

describe("a search text", () => {
  test.each([
    ["1", "height 1"],
    [" 12,345 ", "height 12345"],
    ["12 345", "height 12345"],
    ["#7", "height 7"],
    ["2147483647", "height 2147483647"],
    [ADDRESS, `address ${ADDRESS}`],
    [`address:${ADDRESS}`, `address ${ADDRESS}`],
    [`\u200b"${ADDRESS}".`, `address ${ADDRESS}`],
    [`${ADDRESS.slice(0, 20)}\n  ${ADDRESS.slice(20)}`, `address ${ADDRESS}`],
    [`did:lto:${ADDRESS}`, `did:lto:${ADDRESS}`],
    [
      `did:lto:${ADDRESS}?versionTime=2026-01-31T12:00:00Z#sign`,
      `did:lto:${ADDRESS}?versionTime=2026-01-31T12:00:00Z#sign`,
    ],
    [`did:lto:${ADDRESS}:derived:4mwxvZ`, `did:lto:${ADDRESS}:derived:4mwxvZ`],
    [`http://127.0.0.1:6869/explorer/address/${ADDRESS}?tab=leases`, `address ${ADDRESS}`],
    [`https://h.example/p/explorer/identity/did%3Alto%3A${ADDRESS}`, `did:lto:${ADDRESS}`],
    ["https://h.example/explorer/block/17", "height 17"],
    [`https://h.example/explorer/search?q=${ADDRESS}`, `address ${ADDRESS}`],
    [`https://other.example/#/addresses/${ADDRESS}`, `address ${ADDRESS}`],
  ])("'%s' is %s", (text, what) => expect(read(text)).toEqual([what]));

  test("of 64 bytes can be a block, a transaction of the first block, or a hash", () => {
    expect(read(BLOCK).map((one) => one.split(" ")[0])).toEqual(["block", "transaction", "Base58"]);
    expect(read(`https://h.example/explorer/block/${BLOCK}`)[0]).toBe(`block ${BLOCK}`);
  });

  test("of 32 bytes can be a transaction, a hash or a public key", () => {
    expect(read(TRANSACTION).map((one) => one.split(" ")[0])).toEqual(["transaction", "Base58", "public"]);
  });

  test("in hex is a hash, and can be an id", () => {
    expect(read(`0x${SHA256.toUpperCase()}`)[0]).toBe(`hex ${SHA256}`);
    expect(read(SHA256)[1]).toMatch(/^transaction /);
    expect(read(`urn:sha256:${SHA256}`)[0]).toBe(`hex ${SHA256}`);
  });

  test("is recognised as a hash in every encoding and length", () => {
    fc.assert(
      fc.property(
        fc
          .constantFrom(16, 20, 32, 48, 64)
          .chain((length) => fc.uint8Array({ minLength: length, maxLength: length })),
        (bytes) => {
          const hex = encodeHex(bytes);
          const hashes = (text: string) => read(text).filter((one) => one.endsWith(` ${hex}`));
          expect(hashes(hex)).toEqual([`hex ${hex}`]);
          expect(hashes(encodeBase58(bytes))).toContain(`Base58 ${hex}`);
          const base64 = encodeBase64(bytes);
          // By chance all its characters may be hex digits.
          if (/[^0-9a-fA-F]/.test(base64.replace(/=+$/, "")))
            expect(hashes(base64)).toContain(`Base64 ${hex}`);
          const url = base64.replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
          if (/[^0-9a-fA-F]/.test(url)) expect(hashes(url)).toContain(`Base64 ${hex}`);
        },
      ),
    );
  });

  const other = addressText(addressOf(new Uint8Array(32), 76));
  test.each([
    ["", "Enter a text to search for."],
    [" \u200b ", "Enter a text to search for."],
    ["0", "Block heights range from 1 to 2,147,483,647."],
    ["2147483648", "Block heights range from 1 to 2,147,483,647."],
    ["1,0", "A height is a whole number, such as 12345 or 12,345."],
    ["hello world", "No block, transaction, address, DID or hash matches this text."],
    ["<script>alert(1)</script>", "No block, transaction, address, DID or hash matches this text."],
    [SHA256.slice(1), "Odd number of hex digits: one is missing or extra."],
    [
      SHA256.slice(2),
      "Hex text of 31 bytes: hashes have 16, 20, 32, 48 or 64 bytes (SHA-256: 64 hex digits).",
    ],
    [`${ADDRESS.slice(0, -1)}u`, "Checksum mismatch: probably a typo in the address."],
    [other, "This address belongs to another network (L); this node is on network Z."],
    [`did:lto:${other}`, "This address belongs to another network (L); this node is on network Z."],
    ["did:lto:", "did:lto: must be followed by an address."],
    ["did:web:example.org", "Unknown DID method “web”."],
    ["did::", "A DID includes its method, as in did:lto:3N…."],
    [`${TRANSACTION.slice(0, -1)}0`, "This looks like an id, but Base58 has no 0, O, I or l."],
    ["https://example.org/about", "This URL contains no id, address or hash."],
    ["x".repeat(3_000), "The text is too long: 3,000 characters."],
  ])("'%s' matches nothing, with a reason", (text, message) => {
    const reading = parseSearch(text, Z);
    expect(reading).toMatchObject({ kind: "nothing", message });
    if (reading.kind === "nothing") expect(reading.advice).toMatch(/[.…]$/);
  });

  test("of any kind is parsed without an exception", () => {
    const texts = fc.oneof(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc
        .tuple(
          fc.constantFrom("", "did:lto:", "https://", "http://a/", "address:", "0x", "#"),
          fc.array(fc.constantFrom(..."0123456789abcdefABCDEFxyzXYZ+/=_ %.#?-"), { maxLength: 100 }),
        )
        .map(([before, characters]) => before + characters.join("")),
    );
    fc.assert(fc.property(texts, (text) => void parseSearch(text, Z)));
  });
});

describe("findings", () => {
  async function find(text: string, answers: Readonly<Record<string, unknown>>) {
    const node = new ScriptedNode();
    for (const [path, json] of Object.entries(answers)) node.answers.set(path, { json });
    const { client } = new RemoteNodeApi({
      location: { url: "http://node/", servesPage: true },
      fetch: node.fetch,
      clock: new VirtualClock(0),
    });
    const reading = parseSearch(text, Z);
    if (reading.kind === "nothing") throw new Error(reading.message);
    const findings = await findCandidates(client, reading.candidates);
    return findings.map(({ found, summary }) => `${found ? "+" : "-"} ${summary}`);
  }

  test("tell which candidates exist", async () => {
    expect(await find("5", { "/blocks/height": { height: 9 } })).toEqual(["+ Block 5"]);
    expect(await find("10", { "/blocks/height": { height: 9 } })).toEqual([
      "- Block 10 does not exist yet: the chain has height 9",
    ]);
    expect(await find(ADDRESS, {})).toEqual(["+ Address"]);
    expect(await find(BLOCK, { [`/blocks/height/${BLOCK}`]: { height: 1 } })).toEqual([
      "+ Block 1",
      "- No transaction with this id on the chain or in the pool",
      "- No anchor of this hash and no statement about it (read as Base58)",
    ]);
    expect(
      await find(TRANSACTION, { [`/transactions/unconfirmed/info/${TRANSACTION}`]: { type: 4 } }),
    ).toContain("+ Pending transaction");
    expect(await find(SHA256, { [`/hash/${SHA256}`]: { chainpoint: { targetHash: SHA256 } } })).toEqual([
      "+ Anchored hash (read as hex)",
      "- No transaction with this id on the chain or in the pool",
    ]);
    const key = "HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ";
    const answers = {
      [`/addresses/publicKey/${key}`]: { address: ADDRESS },
      [`/identities/${ADDRESS}`]: { id: "x" },
    };
    expect(await find(key, answers)).toContain("+ Public key of an account");
  });
});
