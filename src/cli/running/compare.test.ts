/** `holdfast compare` with two fake nodes. */
import { afterEach, expect, test } from "vitest";
import { encodeBase58 } from "../../bytes/base58.ts";
import { addressText } from "../../crypto/addresses.ts";
import { ExitCode } from "../exit-codes.ts";
import { fakeNode, runCommand } from "../testing/fake-node.ts";

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

const account = (chainId: string, i: number) =>
  addressText(Uint8Array.from([1, chainId.charCodeAt(0), i, ...Array(23).fill(7)]));

interface Chain {
  readonly height: number;
  /** First height with other blocks than the common ones. */
  readonly forksAt?: number;
  readonly chainId?: string;
  readonly balance?: string;
}

/** Serves a chain whose ids depend on the height and on the branch. */
async function nodeOf({ height, forksAt = Number.POSITIVE_INFINITY, chainId = "N", balance = "5" }: Chain) {
  const id = (at: number) =>
    encodeBase58(Uint8Array.from([at & 255, at >> 8, at >= forksAt ? 1 : 0, chainId.charCodeAt(0), 9]));
  const header = (at: number) => ({
    version: 3,
    timestamp: 1_000 * at + (at >= forksAt ? 1 : 0),
    reference: id(at - 1),
    "nxt-consensus": { "base-target": 100, "generation-signature": "g" },
    generator: account(chainId, at % 3),
    signature: id(at),
    blocksize: 10,
    transactionCount: 0,
    height: at,
  });
  const answers: Record<string, unknown> = {
    "GET /blocks/height": { height },
    "GET /blocks/headers/last": header(height),
    [`GET /blocks/headers/seq/${Math.max(1, height - 99)}/${height}`]: Array.from(
      { length: Math.min(100, height) },
      (_, i) => header(Math.max(1, height - 99) + i),
    ),
  };
  for (let at = 1; at <= height; at++) answers[`GET /blocks/headers/at/${at}`] = header(at);
  for (let i = 0; i < 4; i++)
    answers[`GET /addresses/balance/details/${account(chainId, i)}`] = () => ({
      regular: Number(balance),
      generating: 1,
      available: 2,
      effective: 3,
    });
  const node = await fakeNode(answers);
  closers.push(node.close);
  return node;
}

async function compare(one: Chain, other: Chain, ...flags: string[]) {
  const nodes = [await nodeOf(one), await nodeOf(other)];
  const result = await runCommand(["compare", nodes[1].url, "--node", nodes[0].url, ...flags], {
    environment: { HOLDFAST_API_KEY: "secret" },
  });
  const requests = nodes.flatMap((node) => node.requests);
  expect(requests.filter(({ headers }) => "x-api-key" in headers)).toEqual([]);
  const text = (result.out + result.err).replaceAll(nodes[0].url, "A").replaceAll(nodes[1].url, "B");
  return { ...result, text, requests };
}

test("finds no difference, and compares the balances of generators and given accounts", async () => {
  const same = await compare({ height: 300 }, { height: 300 }, "--address", account("N", 3));
  expect(same.code).toBe(0);
  expect(same.text).toBe(
    "A  height 300\nB  height 300\nThe blocks up to height 300 are the same.\nThe balances of 4 accounts are the same.\n",
  );
});

test("reports a node that is ahead, which is not a difference", async () => {
  const { code, text } = await compare({ height: 298 }, { height: 300 });
  expect(code).toBe(0);
  expect(text).toContain("The blocks up to height 298 are the same; B has 2 more blocks.\n");
  expect(text).toContain("Balances were not compared");
});

test.each([2, 3, 150, 299, 300])(
  "finds the first different block at %i with few requests",
  async (forksAt) => {
    const { code, text, requests } = await compare({ height: 300 }, { height: 400, forksAt });
    expect(code).toBe(ExitCode.nodesDisagree);
    expect(text).toContain(
      `The blocks differ from height ${forksAt} on; they are the same up to ${forksAt - 1}.\n`,
    );
    expect(text).toContain(`  timestamp  A  ${1_000 * forksAt}\n             B  ${1_000 * forksAt + 1}\n`);
    expect(text).not.toContain("  parent");
    expect(text.includes("may still be replaced")).toBe(forksAt === 300);
    expect(requests.length).toBeLessThan(40);
  },
);

test("shows balances that differ", async () => {
  const { code, out } = await compare({ height: 10 }, { height: 10, balance: "9" }, "--json");
  expect(code).toBe(ExitCode.nodesDisagree);
  const { balances } = JSON.parse(out);
  expect(balances.compared).toBe(3);
  expect(balances.differences).toHaveLength(3);
  expect(balances.differences[0]).toMatchObject({ name: "regular", values: ["5", "9"] });
});

test("refuses a node of another network, and names both networks", async () => {
  const { code, out, text } = await compare({ height: 10 }, { height: 10, chainId: "T" });
  expect({ code, out }).toEqual({ code: ExitCode.usage, out: "" });
  expect(text).toMatch(
    /^The nodes belong to different networks: A \(chain id 'N', genesis block .+…\), B \(testnet, chain id 'T', .+\)\n$/,
  );
});
