import { describe, expect, test } from "vitest";
import { renderPage, testContext } from "../testing/page-context.ts";
import { ScriptedNode } from "../testing/scripted-node.ts";
import { balancePoints, leaseBars, separateOutlier } from "./address/balances.tsx";
import { type Change, type ChangeRow, changeKey, loadChanges } from "./address/changes.ts";
import { addressPage } from "./address.tsx";

const OWN = "3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt";
const OTHER = "3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE";
const ID = "BtBa1PzKM5tcx5D2TwDL95vRxmff6SMCBgnTPHyaEAU8";
const POOL_ID = "FUXfWBzHuij433V1PdFxX1UiNvvEipAzcuwHGxsyLK2j";
const TIME = 1_795_292_997_921;

const change = (height: number, regular: number, more: object = {}) => ({
  height,
  block: `b${height}`,
  timestamp: TIME + height * 1_000,
  regular,
  available: regular,
  leasing: 0,
  unbonding: 0,
  effective: regular,
  forged: false,
  transactionCount: 1,
  transactions: [`t${height}`],
  ...more,
});
const transfer = (id: string, amount: number) => ({
  type: 4,
  version: 3,
  id,
  sender: OWN,
  senderKeyType: "ed25519",
  senderPublicKey: "HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ",
  fee: 100_000_000,
  timestamp: TIME,
  recipient: OTHER,
  amount,
  attachment: "",
  proofs: [],
});
const lease = (id: string, sender: string, recipient: string, amount: number) => ({
  ...transfer(id, amount),
  type: 8,
  sender,
  recipient,
  height: 3,
});

/** Answers about an account that has some of everything. */
function answersOf(address: string, limit = 100): Readonly<Record<string, unknown>> {
  return {
    "/blocks/headers/at/1": { generator: OWN, signature: "g", height: 1 },
    [`/addresses/balance/details/${address}`]: {
      address,
      regular: 900_719_925_474_099_301n,
      available: 400_000_000_000,
      leasing: 100_000_000,
      unbonding: 1,
      effective: 900_719_925_474_099_301n,
      generating: 7,
    },
    [`/addresses/balance/changes/${address}?limit=30`]: [
      change(5, 300),
      change(4, 200, { forged: true, transactionCount: 0, transactions: [] }),
    ],
    [`/addresses/balance/changes/${address}?limit=${limit}`]: [
      change(5, 300),
      change(4, 200, { forged: true, transactionCount: 0, transactions: [] }),
    ],
    [`/leasing/active/${address}?limit=500`]: [
      lease("l1", address, OTHER, 100_000_000),
      lease("l2", OTHER, address, 250_000_000),
    ],
    [`/addresses/transactions/${address}?limit=${limit}`]: [
      {
        id: ID,
        type: 4,
        name: "transfer",
        height: 5,
        position: 0,
        timestamp: TIME,
        direction: "out",
        counterparty: OTHER,
        recipients: 1,
        amount: -150_000_000,
        leased: 0,
        fee: 100_000_000,
        balance: 300_000_000,
      },
      {
        id: POOL_ID.replace("F", "G"),
        type: 8,
        name: "lease",
        height: 4,
        position: 0,
        timestamp: TIME,
        direction: "in",
        recipients: 3,
        amount: 0,
        leased: 700_000_000,
        fee: 0,
      },
    ],
    [`/addresses/totals/${address}`]: {
      from: 1,
      to: 5,
      opening: 0,
      closing: 300_000_000,
      received: { count: 1, amount: 550_000_000 },
      sent: { count: 1, amount: 150_000_000 },
      fees: 100_000_000,
      transactions: 2,
      complete: false,
    },
    "/transactions/unconfirmed/size": { size: 2 },
    "/transactions/unconfirmed": [transfer(POOL_ID, 5), { ...transfer("other", 5), sender: OTHER }],
    [`/addresses/data/${address}?limit=${limit}`]: [
      { key: "<b>\u202ekey</b>", type: "string", value: "<script>alert(1)</script>" },
      { key: "long", type: "integer", value: 1 },
      { key: "raw", type: "binary", value: "base64:AQI=" },
      { key: "yes", type: "boolean", value: true },
    ],
    [`/associations/status/${address}?limit=${limit}`]: {
      address,
      outgoing: [
        {
          sender: address,
          type: 10,
          recipient: OTHER,
          subject: null,
          timestamp: TIME,
          expires: null,
          data: [],
        },
      ],
      incoming: [
        {
          sender: OTHER,
          type: 7,
          recipient: address,
          subject: ID,
          timestamp: TIME,
          expires: TIME + 1,
          data: [{ key: "k", type: "string", value: "v" }],
        },
      ],
    },
    [`/identities/${address}`]: { id: `did:lto:${address}`, verificationMethod: [{}, {}], service: [] },
    [`/addresses/scriptInfo/${address}`]: {
      address,
      script: "base64:AQa3b8tH",
      scriptText: "TRUE",
      complexity: 1,
      extraFee: 0,
    },
    [`/sponsorship/status/${address}`]: { sponsor: [OTHER] },
    [`/sponsorship/given/${address}?limit=${limit}`]: [{ address: OTHER, height: 2, transaction: ID }],
    [`/certificates/${address}`]: {
      subject: "CN=<img src=x onerror=alert(1)>",
      issuer: "CN=Somebody",
      notBefore: TIME,
      notAfter: TIME + 1,
      status: "untrusted",
      certificate: "-----BEGIN CERTIFICATE-----\nMII=\n-----END CERTIFICATE-----",
    },
  };
}

async function render(address: string, tab?: string, change: (node: ScriptedNode) => void = () => {}) {
  const node = new ScriptedNode();
  for (const [path, json] of Object.entries(answersOf(OWN))) node.answers.set(path, { json });
  change(node);
  const context = await testContext(node.fetch);
  const query = new URLSearchParams(tab === undefined ? {} : { tab });
  return { ...(await renderPage(addressPage, { address }, context, query)), node };
}

describe("an account", () => {
  test("shows balances to the last unit, and leases in both directions", async () => {
    const { text } = await render(OWN);
    expect(text).toContain("9,007,199,254 .74099301");
    expect(text).toContain("Unbonding lease cancelled, not available yet 0 .00000001");
    expect(text).toMatch(/Leased in: 1 .*2 .5/);
    expect(text).toMatch(/Leased out: 1 .*1 /);
  });

  test("lists pending transactions before confirmed ones", async () => {
    const { html, text } = await render(`address:${OWN}`);
    expect(html).toContain(`href="transaction/${ID}"`);
    expect(text).toMatch(/Pending .* Block/);
    expect(html.indexOf(POOL_ID)).toBeLessThan(html.indexOf(ID));
    expect(html).not.toContain("transaction/other");
    expect(text).toMatch(/transfer out 3QV4\S+ −1 \.5 1 3 5/);
    expect(text).toContain("lease in 3 accounts lease of 7");
    expect(text).toMatch(/Received 5 \.5 Sent 1 \.5 .* newest 10,000 transactions/);
  });

  test("lists plotted balances with more digits than a double has", async () => {
    const { text } = await render(OWN, undefined, (node) => {
      const regular = 900_719_925_474_099_301n;
      const json = [{ ...change(5, 300), regular, effective: regular - 1n }];
      node.answers.set(`/addresses/balance/changes/${OWN}?limit=30`, { json });
    });
    expect(text).toMatch(/Regular 9,007,199,254\.74099301 Effective 9,007,199,254\.740993 /);
  });

  test("loads only the open tab", async () => {
    const { node } = await render(OWN, "script");
    expect(node.asked.some((path) => path.startsWith("/addresses/scriptInfo/"))).toBe(true);
    expect(
      node.asked.filter((path) =>
        /transactions|data|associations|certificates|sponsorship|identities/.test(path),
      ),
    ).toEqual([]);
  });

  test.each([
    ["changes", /forged the block \+ ?0 ?\.000002/],
    ["data", /⟨U\+202E⟩key<\/b> string <script>alert\(1\)<\/script>/],
    ["associations", /issued to .* 10 none .* received from .* 7/],
    ["identity", /did:lto:\S+ .*DID document and history/],
    ["script", / 6 bytes: AQa3b8tH /],
    ["sponsors", /Sponsored by .* Sponsored accounts/],
    ["certificate", /no trusted certificate authorities.* CN=<img src=x onerror=alert\(1\)>/],
  ])("shows its %s", async (tab, seen) => {
    const { html, text } = await render(OWN, tab);
    expect(text).toMatch(seen);
    expect(html).not.toContain("<script>");
    expect(html).not.toContain("<img");
  });

  test("shows empty lists for an unknown account", async () => {
    const empty = { regular: 0, available: 0, leasing: 0, unbonding: 0, effective: 0, generating: 0 };
    for (const [tab, words] of [
      ["transactions", "No confirmed transactions."],
      ["changes", "No balance changes."],
      ["data", "No data entries."],
      ["associations", "No active associations."],
      ["identity", "No identity: no public key"],
      ["script", "No script:"],
      ["sponsors", "No sponsor: this account pays its own fees."],
      ["certificate", "No certificate."],
    ]) {
      const { text } = await render(OTHER, tab, ({ answers }) => {
        answers.set(`/addresses/balance/details/${OTHER}`, { json: { address: OTHER, ...empty } });
        for (const path of [
          `/addresses/balance/changes/${OTHER}?limit=30`,
          `/addresses/balance/changes/${OTHER}?limit=100`,
          `/leasing/active/${OTHER}?limit=500`,
          `/addresses/transactions/${OTHER}?limit=100`,
          `/addresses/data/${OTHER}?limit=100`,
          `/sponsorship/given/${OTHER}?limit=100`,
        ])
          answers.set(path, { json: [] });
        answers.set("/transactions/unconfirmed/size", { json: { size: 0 } });
        answers.set(`/associations/status/${OTHER}?limit=100`, {
          json: { address: OTHER, outgoing: [], incoming: [] },
        });
        answers.set(`/addresses/scriptInfo/${OTHER}`, {
          json: { address: OTHER, complexity: 0, extraFee: 0 },
        });
        answers.set(`/sponsorship/status/${OTHER}`, { json: { sponsor: [] } });
      });
      expect(text).toContain(words);
      expect(text).toContain("This balance has never changed.");
    }
  });

  test.each([
    [`${OWN.slice(0, -1)}u`, "Checksum mismatch"],
    ["3JuijVBB7NCwCz2Ae5HhCDsqCXzeBLRTyeL", "another network"],
    ["12345", "This is not an address"],
    ["<script>", "No block, transaction, address, DID or hash matches this text"],
  ])("rejects an invalid address: %s", async (text, words) => {
    await expect(render(text)).rejects.toMatchObject({
      kind: "malformed",
      message: expect.stringContaining(words),
    });
  });

  test("shows the error of a tab that cannot be loaded, and the rest of the page", async () => {
    const { text } = await render(OWN, "transactions", ({ answers }) => {
      const json = { error: 503, message: "no", index: "transactions", height: 7, of: 9 };
      answers.set(`/addresses/transactions/${OWN}?limit=100`, { status: 503, json });
    });
    expect(text).toContain("The node is building its index “transactions”, block 7 of 9.");
    expect(text).toContain("Available");
  });
});

describe("the balance history", () => {
  const asChange = (height: number, units: bigint, more: Partial<Change> = {}): Change => ({
    ...change(height, 0),
    timestamp: BigInt(height * 1_000),
    regular: units,
    available: units,
    leasing: 0n,
    unbonding: 0n,
    effective: units,
    ...more,
  });

  test("has one point per block, with its only transaction", () => {
    const points = balancePoints([
      asChange(9, 5n),
      asChange(7, 4n, { transactionCount: 2 }),
      asChange(7, 3n),
      asChange(2, 1n, { forged: true }),
    ]);
    expect(points.map(({ height, regular, transaction }) => ({ height, regular, transaction }))).toEqual([
      { height: 2, regular: 1n, transaction: undefined },
      { height: 7, regular: 4n, transaction: undefined },
      { height: 9, regular: 5n, transaction: "t9" },
    ]);
  });

  test("separates a first block that is much older than the others", () => {
    const points = balancePoints([asChange(1_010, 3n), asChange(1_000, 2n), asChange(1, 1n)]);
    expect(separateOutlier(points)).toMatchObject({
      drawn: [{ height: 1_000 }, { height: 1_010 }],
      outlier: { height: 1 },
    });
    expect(separateOutlier(points.slice(1)).outlier).toBeUndefined();
    expect(separateOutlier([])).toEqual({ drawn: [], outlier: undefined });
  });

  test("has different row keys for changes by micro blocks of one block", () => {
    const rows = [40n, 30n, 20n].map((units) => asChange(9, units, { transactions: [] }));
    expect(new Set(rows.map(changeKey)).size).toBe(3);
  });

  test("lists the amount of each change across pages", async () => {
    const node = new ScriptedNode();
    node.answers.set("/blocks/headers/at/1", { json: { generator: OWN, signature: "g" } });
    const path = `/addresses/balance/changes/${OWN}?limit=100`;
    node.answers.set(path, { json: [change(9, 30), change(8, 20)], headers: { "x-next-cursor": "c" } });
    node.answers.set(`${path}&cursor=c`, { json: [change(7, 5)] });
    const { client } = (await testContext(node.fetch)).node;
    const sums = (rows: readonly ChangeRow[]) =>
      rows.map(({ height, difference }) => ({ height, amount: difference }));
    const first = await loadChanges(client, OWN);
    expect(sums(first.rows)).toEqual([{ height: 9, amount: 10n }]);
    expect(sums((await loadChanges(client, OWN, first.next)).rows)).toEqual([
      { height: 8, amount: 15n },
      { height: 7, amount: 5n },
    ]);
  });
});

test("sums leases by account, largest first, and the smallest accounts together", () => {
  const leases = Array.from({ length: 20 }, (_, i) => ({
    ...lease(`l${i}`, `s${i % 15}`, OWN, 0),
    fee: 1n,
    timestamp: 1n,
    amount: BigInt(i + 1),
  }));
  const bars = leaseBars(leases, "sender");
  expect(bars.map(({ key, length }) => `${key} ${length}`).slice(0, 2)).toEqual(["s4 25", "s3 23"]);
  expect(bars).toHaveLength(13);
  expect(bars.at(-1)).toMatchObject({ key: "others" });
  expect(bars.reduce((sum, { length }) => sum + length, 0)).toBe(210);
});
