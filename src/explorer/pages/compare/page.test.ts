import { describe, expect, test } from "vitest";
import { RemoteNodeApi } from "../../data/node-api.ts";
import { browserClock } from "../../data/platform.ts";
import { contextOf, renderPage } from "../../testing/page-context.ts";
import { ScriptedNode } from "../../testing/scripted-node.ts";
import { comparePage } from "./page.tsx";

interface Chain {
  readonly height: number;
  readonly forksAt?: number;
  readonly network?: string;
}

const idAt = (height: number, { forksAt = Number.POSITIVE_INFINITY, network = "" }: Chain) =>
  `${network}${height >= forksAt ? "other" : "same"}${height}`;

function nodeOf(chain: Chain): ScriptedNode {
  const node = new ScriptedNode();
  const { height, network = "dev" } = chain;
  const answers: Readonly<Record<string, unknown>> = {
    "/node/sync": { network: { displayName: network, tokenSymbol: "LTO", chainId: 90 } },
    "/blocks/height": { height },
    "/node/version": { version: `Holdfast <b>${height}</b>` },
    "/transactions/unconfirmed/size": { size: 3 },
    "/node/health": { state: "well", reasons: [], peers: 1 },
  };
  for (const [path, json] of Object.entries(answers)) node.answers.set(path, { json });
  for (let at = 1; at <= height; at++) {
    const header = {
      height: at,
      signature: idAt(at, chain),
      generator: "3Q",
      timestamp: at,
      transactionCount: 1,
    };
    node.answers.set(`/blocks/headers/at/${at}`, { json: header });
  }
  return node;
}

const OWN = "http://own/";

function servingApi({ fetch }: ScriptedNode): RemoteNodeApi {
  return new RemoteNodeApi({ location: { url: OWN, servesPage: true }, fetch, clock: browserClock });
}

async function compare(serving: ScriptedNode, { fetch }: ScriptedNode) {
  const location = { url: "http://other/", servesPage: false };
  const other = new RemoteNodeApi({ location, fetch, clock: browserClock });
  return renderPage(comparePage, {}, contextOf(other, servingApi(serving)));
}

describe("two nodes", () => {
  test("with the same blocks, of which one is behind", async () => {
    const { text, html } = await compare(nodeOf({ height: 40 }), nodeOf({ height: 37 }));
    expect(text).toContain("API http://own/ http://other/ Network dev (Z) dev (Z) Height 40 37");
    expect(text).toContain("Health healthy healthy Pool 3 transactions 3 transactions");
    expect(text).toContain("Both nodes have the same blocks up to 36.");
    expect(text).toContain("Other node is 3 blocks behind.");
    expect(html).toContain("Holdfast &lt;b>40&lt;/b>");
  });

  test("with a first different block, found in few requests", async () => {
    for (const forksAt of [2, 3, 500, 997, 998]) {
      const [own, other] = [nodeOf({ height: 1_000 }), nodeOf({ height: 999, forksAt })];
      const { text, html } = await compare(own, other);
      expect(text).toContain(`The chains differ from block ${forksAt} on.`);
      expect(text).toContain(`same${forksAt}`);
      expect(text).toContain(`other${forksAt}`);
      expect(html).toContain(`href="block/${forksAt}" target="_self"`);
      for (const { asked } of [own, other])
        expect(asked.filter((path) => path.startsWith("/blocks/headers/")).length).toBeLessThan(14);
    }
  });

  test("whose newest blocks alone differ", async () => {
    const { text } = await compare(nodeOf({ height: 9 }), nodeOf({ height: 9, forksAt: 9 }));
    expect(text).toContain("Both nodes have the same blocks up to 8.");
    expect(text).not.toContain("behind");
  });

  test("of different networks", async () => {
    const { text } = await compare(nodeOf({ height: 9 }), nodeOf({ height: 9, network: "mine" }));
    expect(text).toContain("Network dev (Z) mine (Z)");
    expect(text).toContain("The nodes belong to different networks");
  });

  test("of which one cannot be reached, or is no node", async () => {
    const { text } = await compare(new ScriptedNode(), nodeOf({ height: 9 }));
    expect(text).toMatch(/This node: The node has nothing|This node: /);
    expect(text).toContain("Height unknown 9");
    const reversed = await compare(nodeOf({ height: 9 }), new ScriptedNode());
    expect(reversed.text).toContain("Other node: ");
    expect(reversed.text).toContain("Height 9 unknown");
    expect(reversed.text).not.toContain("same blocks");
  });
});

test("a node is not compared with itself", async () => {
  const node = nodeOf({ height: 5 });
  const query = new URLSearchParams({ node: OWN });
  const { text } = await renderPage(comparePage, {}, contextOf(servingApi(node)), query);
  expect(text).toContain("This URL is that of the node that serves this page.");
  expect(node.asked).toEqual([]);
});

test("without another node asks for its URL, and sends no request", async () => {
  const node = nodeOf({ height: 5 });
  const { text } = await renderPage(comparePage, {}, contextOf(servingApi(node)));
  expect(text).toContain("URL of the other node Compare");
  expect(node.asked).toEqual([]);
});
