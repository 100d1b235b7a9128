import { expect, test } from "vitest";
import { deepBranchText } from "../../../control/deep-branch.ts";
import type { ConnectedPeerInfo, NodeHealth } from "../../../control/index.ts";
import { dev } from "../../../profiles/index.ts";
import type { ApiInfo } from "../../info.ts";
import { type ControlAnswers, fakeControl, WELL } from "../../testing/control.ts";
import { API_KEY, NOW, testServer } from "../../testing/server.ts";
import { emptyBlock, type SnapshotOverrides } from "../../testing/snapshot.ts";

/** @param age of the newest block, ms */
async function ask(
  url: string,
  {
    chain = {},
    control = {},
    info = {},
    age = 1_000,
  }: {
    chain?: SnapshotOverrides;
    control?: ControlAnswers;
    info?: Partial<ApiInfo>;
    age?: number;
  } = {},
) {
  const server = await testServer({
    chain: {
      height: () => 100,
      blocks: {
        header: (height) => emptyBlock(height, { timestamp: BigInt(NOW - age), baseTarget: 2n ** 60n }),
        score: () => 1_600n,
      },
      ...chain,
    },
    control: fakeControl([], dev.chainId, control),
    info,
  });
  const answer = await server.inject({ url, headers: { "x-api-key": API_KEY, host: "localhost" } });
  await server.close();
  return JSON.parse(answer.body);
}

const sync = {
  peers: 3,
  targetHeight: undefined,
  claimedHeight: undefined,
  blocksPerSecond: 0,
  transactionsPerSecond: 0,
  secondsLeft: undefined,
  deepBranch: undefined,
};
const health: NodeHealth = { ...WELL, startedAt: 5.5, forging: "on", knowsPeers: true, sync };

/** A node with the given differences from `WELL`. */
const node = (changes: Partial<NodeHealth>): ControlAnswers => ({
  node: { health: async () => ({ ...WELL, ...changes }) },
});

test("reports a node with a recent block, peers and a working disk as well", async () => {
  const answer = await ask("/node/health", {
    control: node({ ...health, sync: { ...sync, targetHeight: 102 } }),
  });
  expect(answer).toEqual({
    status: "ok",
    state: "well",
    reasons: [],
    height: 100,
    timestamp: NOW - 1_000,
    peers: 3,
    forging: "on",
    version: "1.2.3",
    keyRoutes: "key",
  });
});

test("reports the blocks whose signatures were not checked, in health and in sync", async () => {
  const blocks: SnapshotOverrides["blocks"] = {
    header: (height) => emptyBlock(height, { timestamp: BigInt(NOW - 1_000) }),
    unchecked: () => ({ from: 2, to: 90 }),
  };
  const options = { chain: { blocks }, control: node(health) };
  const uncheckedBlocks = { from: 2, to: 90 };
  expect(await ask("/node/health", options)).toMatchObject({ state: "well", uncheckedBlocks });
  expect(await ask("/node/sync", options)).toMatchObject({ behind: false, uncheckedBlocks });
});

test.each([
  ["key", {}],
  ["closed", { apiKeyHash: undefined }],
  ["open", { apiKeyHash: undefined, hasOpenKeyRoutes: true }],
  ["elsewhere", { hasAdminPort: true }],
])("tells the caller what key routes need: %s", async (keyRoutes, info) => {
  expect((await ask("/node/health", { info })).keyRoutes).toBe(keyRoutes);
});

test("reports a node without known peers as well", async () => {
  expect((await ask("/node/health")).state).toBe("well");
});

const queue = {
  waiting: 7,
  problem: { text: "the transaction is refused: negative lto balance", since: 5 },
} as const;

test("ignores pending anchors while the node catches up", async () => {
  const { reasons } = await ask("/node/health", {
    control: node({ sync: { ...sync, targetHeight: 101 }, anchors: queue }),
  });
  expect(reasons).toEqual([]);
});

test("ignores claimed scores", async () => {
  const claiming = { ...health, sync: { ...sync, claimedHeight: 2 ** 31 - 1 } };
  expect(await ask("/node/health", { control: node(claiming) })).toMatchObject({
    state: "well",
    reasons: [],
  });
  const late = await ask("/node/health", {
    control: node({ ...claiming, anchors: queue }),
    age: 3_600_000,
  });
  expect({ state: late.state, codes: late.reasons.map(({ code }: { code: string }) => code) }).toEqual({
    state: "wrong",
    codes: ["late", "anchors"],
  });
});

const targetHeight = 250;
const index = { name: "anchors", state: "building", isEnabled: true, height: 40 } as const;

test.each<[string, string, string, Parameters<typeof ask>[1]]>([
  ["alone", "wrong", "No peer is connected.", { control: node({ ...health, sync: { ...sync, peers: 0 } }) }],
  ["late", "wrong", "The newest block is 60 minutes old.", { age: 3_600_000 }],
  ["late", "wrong", "The newest block is 30 hours old.", { age: 30 * 3_600_000 }],
  ["late", "wrong", "The newest block is 5 days old.", { age: 121 * 3_600_000 }],
  [
    "late",
    "wrong",
    "No block has been forged since the genesis block.",
    { age: 3_600_000, chain: { height: () => 1 } },
  ],
  [
    "disk",
    "wrong",
    "Disk write failed: check the disk and its free space.",
    { control: node({ hasDiskFault: true }) },
  ],
  [
    "disk",
    "wrong",
    "The disk is almost full: the node does not forge, and accepts no transactions or blocks. Free space on the disk.",
    { control: node({ diskSpace: { state: "paused", freeBytes: 5 } }) },
  ],
  [
    "clock",
    "wrong",
    "The clock is 4000 s ahead of the time server. Correct the machine's clock.",
    { control: node({ clockErrorMs: -4_000_000 }) },
  ],
  [
    "clock",
    "wrong",
    "The clock is 3 s behind the newest block. Correct the machine's clock.",
    { age: -2_001 },
  ],
  [
    "branch",
    "wrong",
    deepBranchText({ commonHeight: 50, depth: 103, maxRollback: 100 }),
    { control: node({ sync: { ...sync, deepBranch: { commonHeight: 50, depth: 103, maxRollback: 100 } } }) },
  ],
  ["stopping", "wrong", "The node is stopping.", { control: node({ isStopping: true }) }],
  [
    "feature",
    "wrong",
    "The network has approved features that this version does not support (99): update the node.",
    { chain: { network: { approvedFeatures: () => [4, 99] } } },
  ],
  [
    "anchors",
    "wrong",
    "7 pending anchors cannot be broadcast: the transaction is refused: negative lto balance.",
    { control: node({ anchors: queue }) },
  ],
  [
    "behind",
    "behind",
    "Peers have a better chain, about 150 blocks longer.",
    { age: 3_600_000, control: node({ sync: { ...sync, targetHeight } }) },
  ],
  [
    "index",
    "behind",
    "The index anchors is being built: block 40 of 100.",
    { chain: { indexes: { progress: () => [index, { ...index, name: "trust", isEnabled: false }] } } },
  ],
])("reports the problem: %s", async (code, state, message, facts) => {
  const answer = await ask("/node/health", facts);
  const status = state === "wrong" ? "unhealthy" : "syncing";
  expect(answer).toMatchObject({ status, state, reasons: [{ code, message }] });
});

test("lists the worst problem first, which decides the state", async () => {
  const { state, reasons } = await ask("/node/health", {
    chain: { indexes: { progress: () => [index] } },
    control: node({ ...health, hasDiskFault: true, sync: { ...sync, peers: 0, targetHeight } }),
  });
  expect([state, ...reasons.map(({ code }: { code: string }) => code)]).toEqual([
    "wrong",
    "disk",
    "alone",
    "behind",
    "index",
  ]);
});

test("lists peers with score differences and approximate heights", async () => {
  const peer: ConnectedPeerInfo = {
    host: "203.0.113.7",
    port: 6868,
    declaredAddress: undefined,
    name: "<b>",
    nonce: 1n,
    applicationName: "ltoL",
    version: [1, 8, 0],
    isInbound: true,
    connectedMs: 12.7,
    received: 10,
    sent: 20,
    score: 1_616n,
  };
  const others = [
    { ...peer, isInbound: false, score: 1_568n },
    { ...peer, score: 2n ** 90n },
  ];
  const connectedPeers = async () => [peer, ...others, { ...peer, score: undefined }];
  const { height, score, peers } = await ask("/node/peers", {
    control: { peers: { connected: connectedPeers } },
  });
  expect(height).toBe(100);
  expect(score).toBe("1600");
  expect(peers[0]).toEqual({
    address: "/203.0.113.7:6868",
    declaredAddress: "N/A",
    peerName: "<b>",
    applicationName: "ltoL",
    applicationVersion: "1.8.0",
    direction: "in",
    connectedMs: 12,
    receivedBytes: 10,
    sentBytes: 20,
    score: "1616",
    scoreDifference: "16",
    height: 101,
  });
  expect(peers[1]).toMatchObject({ direction: "out", scoreDifference: "-32", height: 98 });
  expect(peers[2]).toMatchObject({ score: String(2n ** 90n), height: 2 ** 31 - 1 });
  expect(peers[3]).not.toHaveProperty("score");
});

test("returns null for unknown resources", async () => {
  const control = {
    node: { health: async () => health, resources: async () => ({ ...unknown, memory: 7 }) },
  };
  const unknown = { memory: undefined, store: undefined, diskFree: undefined, diskTotal: undefined };
  expect(await ask("/node/resources", { control })).toEqual({
    startedAt: 5,
    memoryBytes: 7,
    storeBytes: null,
    diskFreeBytes: null,
    diskBytes: null,
  });
});
