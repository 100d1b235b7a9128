import { afterEach, describe, expect, test } from "vitest";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { setApiKey } from "../data/api-key.ts";
import { RemoteNodeApi } from "../data/node-api.ts";
import { contextOf, renderPage } from "../testing/page-context.ts";
import { ScriptedNode } from "../testing/scripted-node.ts";
import { reorganisationsPage } from "./node/reorganisations.tsx";
import { nodePage } from "./node.tsx";

const answers: Readonly<Record<string, unknown>> = {
  "/node/health": {
    state: "well",
    reasons: [],
    height: 60,
    timestamp: 1_795_392_381_424,
    peers: 2,
    forging: "on",
    version: "0.1.0",
    keyRoutes: "key",
  },
  "/node/version": { version: "Holdfast v0.1.0" },
  "/node/sync": {
    height: 60,
    peers: 2,
    behind: true,
    targetHeight: 240,
    blocksPerSecond: 2.5,
    transactionsPerSecond: 10,
    secondsLeft: 72,
  },
  "/node/peers": {
    height: 60,
    score: "1600",
    peers: [
      {
        address: "/203.0.113.7:6868",
        declaredAddress: "N/A",
        peerName: "<script>alert(1)</script>\u202e",
        applicationName: "ltoL",
        applicationVersion: "1.8.0",
        direction: "in",
        connectedMs: 125_000,
        receivedBytes: 1_234,
        sentBytes: 99,
        score: "5600",
        scoreDifference: "4000",
        height: 240,
      },
      {
        address: "/203.0.113.8:6868",
        declaredAddress: "N/A",
        peerName: "n".repeat(120),
        applicationName: "ltoL",
        applicationVersion: "1.8.0",
        direction: "out",
        connectedMs: 1,
        receivedBytes: 0,
        sentBytes: 0,
      },
    ],
  },
  "/transactions/unconfirmed/size": { size: 3 },
  "/activation/status": {
    height: 60,
    votingInterval: 100,
    votingThreshold: 80,
    nextCheck: 100,
    features: [
      {
        id: 4,
        description: "Smart Accounts",
        blockchainStatus: "ACTIVATED",
        nodeStatus: "IMPLEMENTED",
        activationHeight: 0,
      },
      {
        id: 16,
        description: "Titanium",
        blockchainStatus: "APPROVED",
        nodeStatus: "IMPLEMENTED",
        activationHeight: 200,
      },
      {
        id: 17,
        description: "Palladium",
        blockchainStatus: "VOTING",
        nodeStatus: "VOTED",
        supportingBlocks: 20,
      },
    ],
  },
  "/fees/status": {
    price: 100_000,
    votes: 4,
    period: 10,
    next: { status: "INCREASE", price: 110_000, activationHeight: 70 },
    nodeStatus: "MAINTAIN",
  },
  "/node/indexes": [
    { name: "anchors", state: "building", height: 40, of: 60 },
    { name: "trust", state: "ready" },
  ],
  "/node/reorganisations": {
    since: 1_795_392_352_579,
    count: 2,
    reorganisations: [
      {
        timestamp: 1_795_392_385_471,
        commonHeight: 5,
        oldTip: "tip",
        newTip: "newest",
        revertedTransactions: 7,
        revertedCount: 25,
        reverted: ["aaa"],
        committedCount: 30,
        committed: ["bbb"],
      },
      {
        timestamp: 1_795_392_385_400,
        commonHeight: 4,
        oldTip: "ccc",
        newTip: "base",
        revertedTransactions: 0,
        revertedCount: 1,
        reverted: ["ccc"],
        committedCount: 0,
        committed: [],
      },
    ],
  },
  "/node/resources": {
    startedAt: 1_795_392_352_579,
    memoryBytes: 211_181_568,
    storeBytes: null,
    diskFreeBytes: 79_264_776_192,
    diskBytes: 270_553_174_016,
  },
  "/debug/minerInfo": [],
};
const minerState = "error: Quorum not available (0/1, not forging block.";

/** Renders the page to HTML. @param changes answers that replace the default ones; undefined removes an answer */
async function renderNodePage(
  changes: Readonly<Record<string, unknown>> = {},
  servesPage = true,
  page = nodePage,
): Promise<string> {
  const node = new ScriptedNode();
  for (const [path, json] of Object.entries({ ...answers, "/debug/info": info(), ...changes }))
    if (json !== undefined) node.answers.set(path, { json });
  const api = new RemoteNodeApi({
    location: { url: "http://node/", servesPage },
    fetch: node.fetch,
    clock: new VirtualClock(0),
  });
  const { html } = await renderPage(page, {}, contextOf(api));
  const isRequested = node.asked.some((path) => path.startsWith("/node/resources"));
  return `${html}\n${isRequested ? "requested /node/resources" : "did not request /node/resources"}`;
}

function info(): unknown {
  return {
    stateHeight: 1,
    extensionLoaderState: "",
    historyReplierCacheSizes: { blocks: 0, microBlocks: 0 },
    microBlockSynchronizerCacheSizes: {
      microBlockOwners: 0,
      nextInvs: 0,
      awaiting: 0,
      successfullyReceived: 0,
    },
    scoreObserverStats: { localScore: 1, currentBestChannel: "None", scoresCacheSize: 0 },
    minerState,
  };
}

const words = (html: string): string => html.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");

afterEach(() => setApiKey(undefined));

describe("the health", () => {
  test("is one line if all is well", async () =>
    expect(words(await renderNodePage())).toContain("The node is healthy."));

  test("lists the reasons of a problem", async () => {
    const reasons = [{ code: "disk", message: "The disk does not accept writes." }];
    const health = { ...(answers["/node/health"] as object), state: "wrong", reasons };
    const text = words(await renderNodePage({ "/node/health": health }));
    expect(text).toContain("The node needs attention. The disk does not accept writes.");
  });

  test("of another implementation is unknown, with the rest of the page shown", async () => {
    const text = words(await renderNodePage({ "/node/health": undefined, "/node/peers": undefined }));
    expect(text).toContain("Not available from this node.");
    expect(text).toContain("Smart Accounts (4)");
  });
});

test("shows sync progress with the remaining time", async () => {
  const html = await renderNodePage();
  expect(words(html)).toContain("Block 60 of about 240 (25 %)");
  expect(words(html)).toContain("1 min 12 s left. 2.5 blocks and 10 transactions per second");
  expect(html).toContain('<progress max="240" value="60">');
  expect(words(html)).toContain("Index “anchors” is being built: block 40 of 60");
});

test("marks a claimed height as unproven", async () => {
  const sync = { ...(answers["/node/sync"] as object), behind: false, targetHeight: undefined };
  const text = words(await renderNodePage({ "/node/sync": { ...sync, claimedHeight: 240 } }));
  expect(text).toContain("Block 60; a peer claims about 240 without proof");
  expect(text).not.toContain("left.");
});

test("lists peers with scores, and escapes and truncates their names", async () => {
  const html = await renderNodePage();
  expect(html).not.toContain("<script");
  expect(html).toContain("&lt;script>alert(1)&lt;/script>⟨U+202E⟩");
  const text = words(html);
  expect(text).toContain("1.8.0 inbound 2 min 5 s 240 higher 1.2 kB 99 bytes");
  expect(text).toContain(`${"n".repeat(40)} … Show all 120 characters 1.8.0 outbound 0 s unknown –`);
});

test("lists active, approved and voted features", async () => {
  const text = words(await renderNodePage());
  expect(text).toContain("Smart Accounts (4) active from the first block supported");
  expect(text).toContain("Titanium (16) approved, active from block 200 supported");
  expect(text).toContain("Palladium (17) 20 of 80 blocks votes for it");
});

test("lists the newest reorganisations, and all with their blocks on a page", async () => {
  const text = words(await renderNodePage());
  expect(text).toContain("2 since the node started on");
  expect(text).toContain("5 tip 25 blocks aaa and 24 more at greater heights");
  expect(text).toContain("4 ccc All reorganisations");
  const html = await renderNodePage({}, true, reorganisationsPage);
  expect(words(html)).toContain(
    "5 tip 25 blocks aaa and 24 more at greater heights 7 newest 30 blocks bbb and 29 more at greater heights",
  );
  expect(words(html)).toContain("4 ccc 0 none: manual rollback");
  expect(html).toContain('href="block/aaa"');
});

describe("the system", () => {
  test("is not requested without a key", async () => {
    const text = words(await renderNodePage());
    expect(text).toContain("Only the operator can see memory and disk. Enter the API key");
    expect(text).toContain("did not request /node/resources");
  });

  test("is shown with a key, and on open nodes", async () => {
    setApiKey("secret");
    for (const keyRoutes of ["key", "open"]) {
      const health = { ...(answers["/node/health"] as object), keyRoutes };
      const text = words(await renderNodePage({ "/node/health": health }));
      expect(text).toContain("Memory 211 MB Chain data unknown Free disk space 79.3 GB of 271 GB");
      expect(text).toContain(`State ${minerState}`);
      setApiKey(undefined);
    }
  });

  test("is not requested from another node, even with a key", async () => {
    setApiKey("secret");
    const text = words(await renderNodePage({}, false));
    expect(text).toContain("in the node's own explorer");
    expect(text).toContain("did not request /node/resources");
  });
});
