import { render } from "preact-render-to-string";
import { afterEach, describe, expect, test } from "vitest";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { apiKey, setApiKey } from "../data/api-key.ts";
import { type PageFetch, RemoteNodeApi } from "../data/node-api.ts";
import type { NodeApi } from "../page.ts";
import { contextOf, renderPage } from "../testing/page-context.ts";
import { Confirmation } from "./accounts/confirmation.tsx";
import { encodeHeaderText, tryKey } from "./accounts/key-form.tsx";
import { broadcast, describeRefusal, signAction } from "./accounts/signing.ts";
import {
  FieldError,
  type FormValues,
  parseWalletAction,
  signRequestOf,
  type WalletAction,
} from "./accounts/wallet-action.ts";
import { accountsPage } from "./accounts.tsx";

const OWN = "3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt";
const OTHER = "3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE";
const OF_TESTNET = "3NBcx7AQqDopBj3WfwCVARNYuZyt1L9xEVM";
const KEY = "HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ";

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly key: string | undefined;
  readonly body: string | undefined;
}

/** A node with one account and the API key `right`. */
class NodeWithKey {
  readonly sent: Sent[] = [];
  keyRoutes = "key";
  isLimited = false;
  fee = 100_000_000;
  refusal: string | undefined;

  readonly fetch: PageFetch = async (url: string, init: object) => {
    const { method, headers, body } = init as {
      method: string;
      headers: Record<string, string>;
      body?: string;
    };
    const path = new URL(url).pathname;
    this.sent.push({ method, path, key: headers["x-api-key"], body });
    const [status, json] = this.#answer(path, headers["x-api-key"], body ?? "");
    return new Response(json, { status, headers: { "content-type": "application/json" } });
  };

  #answer(path: string, key: string | undefined, body: string): [number, string] {
    const isGuarded = path === "/node/resources" || path === "/transactions/sign";
    if (isGuarded && key !== "right" && this.keyRoutes !== "open")
      return [403, '{"error":2,"message":"Provided API key is not correct"}'];
    if (this.isLimited && path !== "/wallet/addresses") return [429, '{"message":"too many requests"}'];
    switch (path) {
      case "/node/health":
        return [
          200,
          `{"state":"well","reasons":[],"height":5,"timestamp":1,"peers":0,"forging":"on","version":"0","keyRoutes":"${this.keyRoutes}"}`,
        ];
      case "/node/resources":
        return [200, '{"startedAt":1,"memoryBytes":1,"storeBytes":1,"diskFreeBytes":1,"diskBytes":1}'];
      case "/wallet/addresses":
        return [200, `["${OWN}"]`];
      case `/addresses/balance/details/${OWN}`:
        return [
          200,
          `{"address":"${OWN}","regular":30000000000,"available":9007199254740993,"leasing":5,"unbonding":0,"effective":1,"generating":7}`,
        ];
      case `/leasing/active/${OWN}`:
        return [200, `[${lease("L1", OWN, OTHER)},${lease("L2", OTHER, OWN)}]`];
      case "/transactions/sign":
        return [200, `{"id":"T1","senderPublicKey":"${KEY}",${body.slice(1)}`];
      case "/transactions/calculateFee":
        return [200, `{"feeAmount":${this.fee}}`];
      case "/transactions/broadcast":
        return this.refusal === undefined
          ? [200, body]
          : [400, JSON.stringify({ error: 199, message: this.refusal })];
      default:
        return [404, '{"error":404,"message":"not found"}'];
    }
  }
}

function lease(id: string, sender: string, recipient: string): string {
  return `{"type":8,"id":"${id}","sender":"${sender}","recipient":"${recipient}","amount":250000000,"fee":1,"timestamp":1,"height":3}`;
}

function apiOf(node: NodeWithKey, servesPage = true): NodeApi {
  return new RemoteNodeApi({
    location: { url: "http://node/", servesPage },
    fetch: node.fetch,
    clock: new VirtualClock(0),
  });
}

/** Renders the page as plain text. */
async function renderText(node: NodeWithKey, { servesPage = true, tab = "" } = {}): Promise<string> {
  const context = contextOf(apiOf(node, servesPage));
  return (await renderPage(accountsPage, {}, context, new URLSearchParams({ tab }))).text;
}

afterEach(() => setApiKey(undefined));

describe("without a key", () => {
  test("shows the accounts, but no actions", async () => {
    const node = new NodeWithKey();
    const text = await renderText(node);
    expect(text).toContain(OWN);
    expect(text).toContain("90,071,992 .54740993");
    expect(text).toContain("API key of the node");
    expect(text).not.toContain("Send…");
    expect(node.sent.every(({ key, method }) => key === undefined && method === "GET")).toBe(true);
  });

  // An unhandled rejection fails the test run; it would end the node, which renders this page.
  test("reports that balances and leases cannot be loaded", async () => {
    const node = new NodeWithKey();
    node.isLimited = true;
    expect(await renderText(node, { tab: "cancel" })).toContain("The node is overloaded");
    expect(node.sent.map(({ path }) => path)).toContain(`/leasing/active/${OWN}`);
  });

  test("rejects a wrong or empty key, and does not keep it", async () => {
    expect(await tryKey(apiOf(new NodeWithKey()), "wrong")).toBe("Wrong API key.");
    expect(await tryKey(apiOf(new NodeWithKey()), " ")).toBe("Enter the API key.");
    expect(apiKey.value).toBeUndefined();
  });

  test("explains how to set a key, or where the admin port is", async () => {
    const node = new NodeWithKey();
    node.keyRoutes = "closed";
    expect(await renderText(node)).toMatch(
      /no API key, so its accounts cannot be used here\. .*--api-key-hash/,
    );
    node.keyRoutes = "elsewhere";
    expect(await renderText(node)).toContain("--admin-port");
  });

  test("offers actions on a development network", async () => {
    const node = new NodeWithKey();
    node.keyRoutes = "open";
    expect(await renderText(node)).toContain("Send…");
  });
});

describe("with the key", () => {
  test("offers actions until the key is forgotten", async () => {
    const node = new NodeWithKey();
    expect(await tryKey(apiOf(node), "right")).toBeUndefined();
    const text = await renderText(node);
    expect(text).toContain("Send…");
    expect(text).toContain("Forget key");
    setApiKey(undefined);
    expect(await renderText(node)).not.toContain("Send…");
  });

  test("offers only the account's own leases for cancelling, and loads leases only on that tab", async () => {
    const node = new NodeWithKey();
    setApiKey("right");
    await renderText(node);
    expect(node.sent.some(({ path }) => path.startsWith("/leasing"))).toBe(false);
    const text = await renderText(node, { tab: "cancel" });
    expect(text).toContain(`2.5 to ${OTHER}`);
    expect(text).not.toContain(`2.5 to ${OWN}`);
  });

  test("offers nothing for another node, and never sends it a key", async () => {
    const node = new NodeWithKey();
    node.keyRoutes = "open";
    setApiKey("right");
    const text = await renderText(node, { servesPage: false, tab: "cancel" });
    expect(text).toContain("never sends an API key to it");
    expect(text).not.toContain("Send…");
    expect(text).not.toContain("API key of the node");
    expect(node.sent.every(({ key }) => key === undefined)).toBe(true);
    expect(() => apiOf(node, false).withKey("right")).toThrow(RangeError);
  });

  test("sends non-ASCII characters as UTF-8 bytes", () => {
    expect(encodeHeaderText("schlüssel€")).toBe("schl\u00c3\u00bcssel\u00e2\u0082\u00ac");
  });
});

describe("the form", () => {
  const accounts = [{ address: OWN, available: 9_007_199_254_740_993n }];
  const leases = [{ id: "L1", sender: OWN, recipient: OTHER, amount: 1n }];
  const parse = (kind: WalletAction["kind"], filled: FormValues) =>
    parseWalletAction(kind, filled, { accounts, leases });

  test("parses amounts to the last unit", () => {
    const filled = { sender: OWN, recipient: ` address:${OTHER} `, amount: "90,071,992.54740993" };
    expect(parse("send", filled)).toEqual({
      kind: "send",
      sender: OWN,
      recipient: OTHER,
      amount: 9_007_199_254_740_993n,
    });
  });

  test.each<[WalletAction["kind"], FormValues, string, RegExp]>([
    ["send", { sender: "", recipient: OTHER, amount: "1" }, "sender", /one of the node's accounts/],
    ["send", { sender: OWN, recipient: "", amount: "1" }, "recipient", /Enter the recipient's address/],
    ["send", { sender: OWN, recipient: "0OIl", amount: "1" }, "recipient", /Invalid address/],
    ["send", { sender: OWN, recipient: "1".repeat(500), amount: "1" }, "recipient", /Invalid address/],
    ["send", { sender: OWN, recipient: OF_TESTNET, amount: "1" }, "recipient", /another network/],
    ["lease", { sender: OWN, recipient: OWN, amount: "1" }, "recipient", /to itself/],
    ["send", { sender: OWN, recipient: OTHER, amount: "0.123456789" }, "amount", /at most 8 decimals/],
    ["send", { sender: OWN, recipient: OTHER, amount: "1,5" }, "amount", /with a decimal point/],
    ["send", { sender: OWN, recipient: OTHER, amount: "0" }, "amount", /Enter an amount greater than zero/],
    [
      "send",
      { sender: OWN, recipient: OTHER, amount: "90071992.54740994" },
      "amount",
      /exceeds the available balance of 90,071,992/,
    ],
    ["cancel", { lease: "L9" }, "lease", /Choose a lease/],
    ["anchor", { sender: OWN, hash: "abc" }, "hash", /Choose a file, or enter a hash/],
  ])("names the invalid field: %s %j", (kind, filled, field, message) => {
    try {
      parse(kind, filled);
      expect.unreachable();
    } catch (error) {
      if (!(error instanceof FieldError)) throw error;
      expect(error.messages[field]).toMatch(message);
    }
  });

  test("names a bad recipient and a bad amount together", () => {
    try {
      parse("send", { sender: OWN, recipient: "nobody", amount: "0" });
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({
        messages: { recipient: expect.stringMatching(/Invalid/), amount: expect.stringMatching(/greater/) },
      });
    }
  });

  test("becomes a signing request", () => {
    expect(signRequestOf(parse("lease", { sender: OWN, recipient: OTHER, amount: "1" }))).toEqual({
      type: 8,
      sender: OWN,
      recipient: OTHER,
      amount: 100_000_000n,
    });
    expect(signRequestOf(parse("cancel", { lease: "L1" }))).toEqual({ type: 9, sender: OWN, leaseId: "L1" });
    const hash = "34b4a6b1ce9ced82394644fdb3136e531714a780170a3aaaf29d8ee39a17f127";
    expect(signRequestOf(parse("anchor", { sender: OWN, hash }))).toEqual({
      type: 15,
      sender: OWN,
      anchors: ["4YjyCyYoeTbAtpJ7Qh8GfmStHVc5ABpLZoW2RFxbfvWr"],
    });
  });
});

describe("a wallet action", () => {
  const action: WalletAction = {
    kind: "send",
    sender: OWN,
    recipient: OTHER,
    amount: 9_007_199_254_740_993n,
  };

  test("is signed with the minimum fee, and broadcast as shown, without the key", async () => {
    const node = new NodeWithKey();
    node.fee = 60_000_000;
    const api = apiOf(node);
    const signed = await signAction(api.withKey("right"), action);
    expect(signed.fee).toBe(60_000_000n);
    expect(node.sent.some(({ path }) => path === "/transactions/broadcast")).toBe(false);
    expect(await broadcast(api, signed)).toBe("T1");
    const last = node.sent.at(-1);
    expect(last?.key).toBeUndefined();
    expect(last?.body).toContain('"amount":9007199254740993');
    expect(last?.body).toContain('"fee":60000000');
  });

  test("shows cost and consequence before it is sent", async () => {
    const signed = await signAction(apiOf(new NodeWithKey()).withKey("right"), {
      ...action,
      amount: 250_000_000n,
    });
    const renderConfirmation = (available: bigint): string =>
      render(
        <Confirmation
          signed={signed}
          account={{ address: OWN, available }}
          isBusy={false}
          refusal={undefined}
          confirm={() => {}}
          cancel={() => {}}
        />,
      )
        .replace(/<[^>]*>/g, " ")
        .replace(/\s+/g, " ");
    expect(renderConfirmation(1_000_000_000n)).toContain(
      "Amount 2 .5 Fee 1 Amount and fee 3 .5 Available afterwards 6 .5",
    );
    expect(renderConfirmation(1_000_000_000n)).toContain("A transfer cannot be undone.");
    expect(renderConfirmation(300_000_000n)).toContain("Insufficient balance");
  });

  test("reports why the node rejected it", async () => {
    const node = new NodeWithKey();
    const api = apiOf(node);
    const signed = await signAction(api.withKey("right"), action);
    node.refusal = "Attempt to transfer unavailable funds";
    const refusal = await broadcast(api, signed).catch((error: unknown) => describeRefusal(api, error));
    expect(refusal).toBe("The node rejected the transaction: “Attempt to transfer unavailable funds”.");
    const wrongKey = await signAction(api.withKey("old"), action).catch((error: unknown) =>
      describeRefusal(api, error),
    );
    expect(wrongKey).toContain("rejected the API key");
  });
});
