import { describe, expect, test } from "vitest";
import { encodeBase58 } from "../../bytes/base58.ts";
import { dev, mainnet, testnet } from "../../profiles/index.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { PageProblem } from "../page.ts";
import { ScriptedNode, settled } from "../testing/scripted-node.ts";
import { knownNetworks, RemoteNodeApi } from "./node-api.ts";
import { nodeLocation } from "./node-url.ts";
import { attempt } from "./use-query.ts";

const generator = "3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt";

function api(node: ScriptedNode, servesPage = true, probe?: () => Promise<unknown>) {
  const clock = new VirtualClock(0);
  const made = new RemoteNodeApi({
    location: { url: "http://node/", servesPage },
    fetch: node.fetch,
    clock,
    probe,
  });
  return { made, clock };
}

describe("the node URL", () => {
  const base = "https://a.example/prefix/explorer/";
  test("is the page's own node by default", () => {
    expect(nodeLocation(null, base)).toEqual({ url: "https://a.example/prefix/", servesPage: true });
    expect(nodeLocation("https://b.example", base)).toEqual({ url: "https://b.example/", servesPage: false });
    expect(nodeLocation("http://b.example:6869/api?x=1#y", base)).toEqual({
      url: "http://b.example:6869/api/",
      servesPage: false,
    });
    expect(nodeLocation("https://a.example/prefix", base).servesPage).toBe(true);
  });
  test.each([
    "b.example",
    "javascript:alert(1)",
    "file:///etc/passwd",
    "https://user:word@b.example",
    `https://${"a".repeat(3_000)}`,
  ])("is rejected: %s", (text) => {
    expect(() => nodeLocation(text, base)).toThrow(PageProblem);
  });
});

test("knows the networks of all profiles by their first blocks", async () => {
  const known = [mainnet, testnet, dev].map(({ name, genesis }) => [
    encodeBase58(genesis.signature ?? new Uint8Array(0)),
    name,
  ]);
  expect(knownNetworks).toEqual(Object.fromEntries(known));
});

describe("a request", () => {
  test("is shared while it is open, and repeated after the chain changed", async () => {
    const node = new ScriptedNode();
    node.answers.set("/blocks/height", { json: { height: 5 } });
    const { made } = api(node);
    const ask = () => made.client.call("GET /blocks/height");
    expect(await Promise.all([ask(), ask()])).toEqual([{ height: 5 }, { height: 5 }]);
    expect(node.asked.length).toBe(1);
    const before = ask();
    made.client.setHeight(6);
    await Promise.all([before, ask()]);
    expect(node.asked.length).toBe(3);
  });

  test("is not repeated for final answers, but is for a lease that can be cancelled", async () => {
    const node = new ScriptedNode();
    node.answers.set("/blocks/headers/at/3", { json: { height: 3, signature: "x" } });
    node.answers.set("/transactions/info/a", { json: { id: "a", height: 3, status: "active" } });
    const { made } = api(node);
    const header = () => made.client.call("GET /blocks/headers/at/:height", { params: { height: 3 } });
    const lease = () => made.client.call("GET /transactions/info/:id", { params: { id: "a" } });
    made.client.setHeight(50);
    for (const ask of [header, header, lease]) await ask();
    expect(node.asked.length).toBe(3);
    made.client.setHeight(103);
    for (const ask of [header, header, lease, lease]) await ask();
    expect(node.asked.length).toBe(6);
    // After a reorganisation below final blocks, everything is requested again.
    made.client.setHeight(2);
    made.client.setHeight(103);
    await header();
    expect(node.asked.length).toBe(7);
    // The same for a chain that goes back block by block.
    for (let height = 102; height >= 2; height--) made.client.setHeight(height);
    made.client.setHeight(103);
    await header();
    expect(node.asked.length).toBe(8);
  });

  test("returns the headers", async () => {
    const node = new ScriptedNode();
    node.answers.set("/blocks/height", { json: { height: 5 } });
    const { value, header } = await api(node).made.client.callWithHeaders("GET /blocks/height");
    expect(value.height).toBe(5);
    expect(header("content-type")).toBe("application/json");
    expect(header("x-next-cursor")).toBeNull();
  });
});

describe("a failure", () => {
  async function kindOf(
    prepare: (node: ScriptedNode) => void,
    servesPage = true,
    probe?: () => Promise<unknown>,
  ) {
    const node = new ScriptedNode();
    prepare(node);
    const { made } = api(node, servesPage, probe);
    try {
      await made.loadNetwork();
    } catch (error) {
      return await made.diagnose(error);
    }
    throw new Error("it did not fail");
  }
  const first = "/blocks/headers/at/1";
  const away = (node: ScriptedNode): void => {
    node.isThere = false;
  };
  test.each([
    ["unknown", 404, { error: 1, message: "no" }],
    ["malformed", 400, { message: "no" }],
    ["refused", 403, { message: "no" }],
    ["busy", 503, { message: "no" }],
    ["busy", 429, {}],
    ["building", 503, { message: "no", index: "anchors", height: 1, of: 7 }],
    ["failed", 500, null],
    ["invalid-answer", 200, "<html></html>"],
    ["invalid-answer", 200, { generator: "abc" }],
    ["invalid-answer", 200, []],
  ])("is %s for status %i and %j", async (kind, status, json) => {
    const problem = await kindOf((node) => node.answers.set(first, { status, json }));
    expect(problem.kind).toBe(kind);
    expect(problem.message).toMatch(/\.$/);
    expect(problem.advice).toMatch(/\.$/);
  });

  test("leaves the rest of a page intact unless the node is unreachable", async () => {
    const node = new ScriptedNode();
    const { made } = api(node, true);
    node.answers.set(first, { status: 503, json: { message: "no" } });
    expect(await attempt(made, made.loadNetwork())).toMatchObject({ ok: false, problem: { kind: "busy" } });
    away(node);
    await expect(attempt(made, made.loadNetwork())).rejects.toThrow();
  });

  test("distinguishes an unreachable node from a blocked cross-origin request", async () => {
    expect((await kindOf(away)).kind).toBe("unreachable");
    expect((await kindOf(away, false)).kind).toBe("unreachable");
    expect((await kindOf(away, false, () => Promise.reject(new Error("away")))).kind).toBe("unreachable");
    expect((await kindOf(away, false, () => Promise.resolve())).kind).toBe("cross-origin");
    // The explorer's own node always allows its page.
    expect((await kindOf(away, true, () => Promise.resolve())).kind).toBe("unreachable");
  });

  test("is late after a timeout, and nonsense for an endless answer", async () => {
    const clock = new VirtualClock(0);
    const never = new RemoteNodeApi({
      location: { url: "http://node/", servesPage: true },
      fetch: () => new Promise<Response>(() => {}),
      clock,
    });
    const late = never.loadNetwork().catch((error: unknown) => never.diagnose(error));
    await settled();
    clock.advance(60_000);
    expect(await late).toMatchObject({ kind: "timeout" });
    const piece = new Uint8Array(2 ** 20);
    const endless = new RemoteNodeApi({
      location: { url: "http://node/", servesPage: true },
      fetch: async () =>
        new Response(new ReadableStream({ pull: (controller) => controller.enqueue(piece) }), {
          headers: { "content-type": "application/json" },
        }),
      clock,
    });
    expect(await endless.loadNetwork().catch((error: unknown) => endless.diagnose(error))).toMatchObject({
      kind: "invalid-answer",
    });
  });

  test("of the page itself is reported as such", async () => {
    const { made } = api(new ScriptedNode());
    expect(await made.diagnose(new Error("bug"))).toMatchObject({ kind: "failed", detail: "bug" });
    const problem = new PageProblem("malformed", "It is wrong.", "Write it right.");
    expect(await made.diagnose(problem)).toEqual({
      kind: "malformed",
      message: "It is wrong.",
      advice: "Write it right.",
    });
  });
});

test("sends the API key only to the page's own node", async () => {
  const sent: unknown[] = [];
  const fetch = async (_: string, init: { readonly headers: Record<string, string> }) => {
    sent.push(init.headers["x-api-key"]);
    return new Response(JSON.stringify({ generator }), { headers: { "content-type": "application/json" } });
  };
  const clock = new VirtualClock(0);
  const own = new RemoteNodeApi({ location: { url: "http://node/", servesPage: true }, fetch, clock });
  await own.withKey("secret").call("GET /debug/info");
  await own.loadNetwork();
  expect(sent).toEqual(["secret", undefined, undefined]);
  const other = new RemoteNodeApi({ location: { url: "http://other/", servesPage: false }, fetch, clock });
  expect(() => other.withKey("secret")).toThrow(RangeError);
});

test("takes the names of network and tokens from the node, as text", async () => {
  const node = new ScriptedNode();
  node.answers.set("/node/sync", {
    json: {
      height: 1,
      network: { name: "custom", displayName: "Harbour\u202e", tokenSymbol: "HBR", chainId: 72 },
    },
  });
  const made = new RemoteNodeApi({
    location: { url: "http://node/", servesPage: true },
    fetch: node.fetch,
    clock: new VirtualClock(0),
  });
  expect(await made.loadNetwork()).toMatchObject({
    name: "Harbour⟨U+202E⟩",
    chainId: 72,
    tokenSymbol: "HBR",
  });
  expect(node.asked).toEqual(["/node/sync"]);
});
