/** Peers. Page 06 §7.12, §7.16, page 04 §22. */
import type { InjectOptions } from "fastify";
import { describe, expect, it, test } from "vitest";
import type { HostAndPort, NodeControl, SyncInfo } from "../../../control/index.ts";
import { dev } from "../../../profiles/index.ts";
import { fakeControl } from "../../testing/control.ts";
import { API_KEY, testServer } from "../../testing/server.ts";

async function ask(answers: Partial<NodeControl["peers"]>, request: InjectOptions | string) {
  const server = await testServer({ control: fakeControl([], dev.chainId, { peers: answers }) });
  const answer = await server.inject(
    typeof request === "string"
      ? { url: request }
      : { method: "POST", headers: { "x-api-key": API_KEY }, ...request },
  );
  await server.close();
  return { status: answer.statusCode, body: answer.body };
}

test("formats addresses like the reference", async () => {
  const hosts = [
    ["203.0.113.7", "/203.0.113.7:6868", "/203.0.113.7"],
    ["2001:db8::1", "/[2001:db8:0:0:0:0:0:1]:6868", "/2001:db8:0:0:0:0:0:1"],
    ["::1", "/[0:0:0:0:0:0:0:1]:6868", "/0:0:0:0:0:0:0:1"],
    ["2001:db8::", "/[2001:db8:0:0:0:0:0:0]:6868", "/2001:db8:0:0:0:0:0:0"],
    ["1:2:3:4:5:6:7:8", "/[1:2:3:4:5:6:7:8]:6868", "/1:2:3:4:5:6:7:8"],
    ["bs1.lto.network", "bs1.lto.network:6868", "bs1.lto.network"],
  ];
  const knownPeers = async () => hosts.map(([host]) => ({ host, port: 6868, lastSeen: 1n }));
  const known = await ask({ known: knownPeers }, "/peers/all");
  expect(JSON.parse(known.body)).toEqual({
    peers: hosts.map(([, address]) => ({ address, lastSeen: 1 })),
  });
  const suspendedPeers = async () => hosts.map(([host]) => ({ host, since: 2.5 }));
  const suspended = await ask({ suspended: suspendedPeers }, "/peers/suspended");
  expect(JSON.parse(suspended.body)).toEqual(hosts.map(([, , hostname]) => ({ hostname, timestamp: 2 })));
});

describe("GET /peers/...", () => {
  it("/all lists up to 1000, configured peers with the largest time", async () => {
    const limits: number[] = [];
    const knownPeers = async (limit: number) => {
      limits.push(limit);
      return [{ host: "10.0.0.1", port: 1, lastSeen: 2n ** 63n - 1n }];
    };
    const { body } = await ask({ known: knownPeers }, "/peers/all");
    expect(body).toBe('{"peers":[{"address":"/10.0.0.1:1","lastSeen":9223372036854775807}]}');
    expect(limits).toEqual([1_000]);
  });

  it("/connected shows handshakes, escaped, with 64-bit nonces", async () => {
    const { body } = await ask(
      {
        connected: async () => [
          {
            host: "10.0.0.1",
            port: 40_000,
            declaredAddress: { host: "203.0.113.7", port: 6868 },
            name: '"},\n\u0000<b>\u001b[31mю',
            nonce: -(2n ** 63n),
            applicationName: "ltoL",
            version: [1, 8, 0],
            isInbound: true,
            connectedMs: 1_234.5,
            received: 10,
            sent: 20,
            score: undefined,
          },
          {
            host: "10.0.0.2",
            port: 40_001,
            declaredAddress: undefined,
            name: "",
            nonce: 9_007_199_254_740_993n,
            applicationName: "ltoL",
            version: [1, 9, 2],
            isInbound: false,
            connectedMs: 5,
            received: 1,
            sent: 2,
            score: 2n ** 80n,
          },
        ],
      },
      "/peers/connected",
    );
    expect(body).toBe(
      '{"peers":[{"address":"/10.0.0.1:40000","declaredAddress":"/203.0.113.7:6868",' +
        '"peerName":"\\"},\\n\\u0000<b>\\u001B[31mю","peerNonce":-9223372036854775808,' +
        '"applicationName":"ltoL","applicationVersion":"1.8.0"},' +
        '{"address":"/10.0.0.2:40001","declaredAddress":"N/A","peerName":"","peerNonce":9007199254740993,' +
        '"applicationName":"ltoL","applicationVersion":"1.9.2"}]}',
    );
  });

  it("/blacklisted shows reasons", async () => {
    const bannedPeers = async () => [{ host: "10.0.0.1", since: 5, reason: "it lied" }];
    const { body } = await ask({ banned: bannedPeers }, "/peers/blacklisted");
    expect(body).toBe('[{"hostname":"/10.0.0.1","timestamp":5,"reason":"it lied"}]');
  });
});

describe("POST /peers/connect", () => {
  const asked: HostAndPort[] = [];
  const connectToPeer: NodeControl["peers"]["connect"] = async (peer) => {
    asked.push(peer);
    return { ok: true, value: undefined };
  };

  it("answers before the connection is made", async () => {
    const payload = { host: "example.org", port: 6868 };
    const { status, body } = await ask({ connect: connectToPeer }, { url: "/peers/connect", payload });
    expect(status).toBe(200);
    expect(body).toBe('{"hostname":"example.org","status":"Trying to connect"}');
    expect(asked).toEqual([payload]);
  });

  it.each<[string, object, string]>([
    ["port -1", { host: "a", port: -1 }, '"obj.port":[{"msg":["error.min"],"args":["0"]}]'],
    ["port 65536", { host: "a", port: 65_536 }, '"obj.port":[{"msg":["error.max"],"args":["65535"]}]'],
    ["a long name", { host: "a".repeat(254), port: 1 }, '"obj.host":[{"msg":["error.maxLength"]'],
  ])("refuses %s", async (_, payload, problem) => {
    asked.length = 0;
    const { status, body } = await ask({ connect: connectToPeer }, { url: "/peers/connect", payload });
    expect(status).toBe(400);
    expect(body).toContain(problem);
    expect(asked).toEqual([]);
  });

  it.each([
    ["no-peers", "P2P is disabled on this node"],
    ["unknown-host", 'Unknown host \\"a\\": use an IP address or a name that resolves'],
  ] as const)("explains the refusal: %s", async (kind, message) => {
    const { status, body } = await ask(
      { connect: async ({ host }) => ({ ok: false, error: { kind, host } }) },
      { url: "/peers/connect", payload: { host: "a", port: 1 } },
    );
    expect(status).toBe(400);
    expect(body).toBe(`{"error":199,"message":"${message}"}`);
  });
});

describe("POST /peers/ban and /peers/unban", () => {
  const asked: unknown[] = [];
  const answers: Partial<NodeControl["peers"]> = {
    banHost: async (...given) => {
      asked.push(given);
      return { ok: true, value: { origins: ["2001:db8::/64"], durationMs: 899_001 } };
    },
    unbanHost: async (...given) => {
      asked.push(given);
      return { ok: false, error: { kind: "not-banned", host: "10.0.0.1" } };
    },
  };
  const post = (url: string, payload: object) => {
    asked.length = 0;
    return ask(answers, { url, payload });
  };

  it("passes host and reason, and names the banned origins", async () => {
    const { status, body } = await post("/peers/ban", { host: "2001:db8::7", reason: "spam" });
    expect({ status, body }).toEqual({ status: 200, body: '{"banned":["2001:db8::/64"],"seconds":900}' });
    expect(asked).toEqual([["2001:db8::7", "spam"]]);
    await post("/peers/ban", { host: "10.0.0.1" });
    expect(asked).toEqual([["10.0.0.1", "Banned by the operator"]]);
  });

  it("explains that a host is not banned", async () => {
    const { status, body } = await post("/peers/unban", { host: "10.0.0.1" });
    expect({ status, body }).toEqual({
      status: 400,
      body: '{"error":199,"message":"The host \\"10.0.0.1\\" is not banned"}',
    });
  });

  it.each<[string, object, string]>([
    ["/peers/ban", {}, '"obj.host":[{"msg":["error.path.missing"]'],
    ["/peers/ban", { host: "a".repeat(254) }, '"obj.host":[{"msg":["error.maxLength"]'],
    ["/peers/ban", { host: "a", reason: "a".repeat(201) }, '"obj.reason":[{"msg":["error.maxLength"]'],
    ["/peers/ban", { host: "a", reason: 1 }, '"obj.reason":[{"msg":["error.expected.jsstring"]'],
    ["/peers/unban", { host: 1 }, '"obj.host":[{"msg":["error.expected.jsstring"]'],
  ])("%s refuses %j", async (url, payload, problem) => {
    const { status, body } = await post(url, payload);
    expect(status).toBe(400);
    expect(body).toContain(problem);
    expect(asked).toEqual([]);
  });
});

describe("POST /debug/blacklist", () => {
  it.each([
    ["203.0.113.7", "203.0.113.7"],
    ["203.0.113.7:6868", "203.0.113.7"],
    ["203.0.113.7:x", "203.0.113.7"],
    ["example.org:1", "example.org"],
    ["[2001:db8::1]:6868", "2001:db8::1"],
    ["2001:db8::1", "2001:db8::1"],
    ["", ""],
  ])("of %j bans the host", async (payload, host) => {
    const asked: string[][] = [];
    const banPeers: NodeControl["peers"]["ban"] = async (...given) => {
      asked.push(given);
      return { ok: true, value: undefined };
    };
    const { status, body } = await ask({ ban: banPeers }, { url: "/debug/blacklist", payload });
    expect(status).toBe(200);
    expect(body).toBe("OK");
    expect(asked).toEqual([[host, "Debug API request"]]);
  });

  it("rejects a host that is too long", async () => {
    const request = { url: "/debug/blacklist", payload: "a".repeat(254) };
    expect(await ask({}, request)).toMatchObject({ status: 400, body: expect.stringMatching(/bad syntax/) });
  });
});

const DEV_NETWORK =
  '"network":{"name":"dev","displayName":"LTO Development","tokenSymbol":"LTO","chainId":90,"accountNames":{}}';

describe("sync progress", () => {
  const syncInfo: NodeControl["peers"]["sync"] = async () => ({
    peers: 3,
    targetHeight: 1_000,
    claimedHeight: 1_200,
    blocksPerSecond: 412.7349,
    transactionsPerSecond: 0.000001,
    secondsLeft: 3,
    deepBranch: undefined,
  });

  it("is reported while peers are ahead", async () => {
    const { body } = await ask({ sync: syncInfo }, "/node/sync");
    expect(body).toBe(
      '{"height":1,"peers":3,"behind":true,"targetHeight":1000,"claimedHeight":1200,"blocksPerSecond":412.73,' +
        `"transactionsPerSecond":0,"secondsLeft":3,${DEV_NETWORK}}`,
    );
  });

  it("is reported for a node in sync and for a node without peers", async () => {
    const level = {
      peers: 2,
      targetHeight: undefined,
      claimedHeight: undefined,
      blocksPerSecond: 0.02,
      transactionsPerSecond: 0,
      deepBranch: undefined,
    };
    const { body } = await ask({ sync: async () => ({ ...level, secondsLeft: undefined }) }, "/node/sync");
    expect(body).toBe(
      `{"height":1,"peers":2,"behind":false,"blocksPerSecond":0.02,"transactionsPerSecond":0,${DEV_NETWORK}}`,
    );
    expect((await ask({}, "/node/sync")).body).toContain('"peers":0,"behind":false');
  });

  it("does not count claims alone", async () => {
    const claimed: SyncInfo = {
      peers: 3,
      targetHeight: undefined,
      claimedHeight: 2 ** 31 - 1,
      blocksPerSecond: 0,
      transactionsPerSecond: 0,
      secondsLeft: undefined,
      deepBranch: undefined,
    };
    const { body } = await ask({ sync: async () => claimed }, "/node/sync");
    expect(body).toContain('"behind":false,"claimedHeight":2147483647,');
  });

  it("is in /debug/info under the reference's names", async () => {
    const peerParts: NodeControl["peers"]["parts"] = async () => ({
      extensionLoader: "State(ExpectingSignatures([1]),Idle)",
      historyReplier: { blocks: 1, microBlocks: 2 },
      microBlockSynchronizer: { microBlockOwners: 3, nextInvs: 4, awaiting: 5, successfullyReceived: 6 },
      bestChannel: "[0000002a 10.0.0.1:6863]",
      scores: 7,
    });
    const { body } = await ask(
      { parts: peerParts },
      { method: "GET", url: "/debug/info", headers: { "x-api-key": API_KEY } },
    );
    expect(JSON.parse(body)).toMatchObject({
      extensionLoaderState: "State(ExpectingSignatures([1]),Idle)",
      historyReplierCacheSizes: { blocks: 1, microBlocks: 2 },
      microBlockSynchronizerCacheSizes: {
        microBlockOwners: 3,
        nextInvs: 4,
        awaiting: 5,
        successfullyReceived: 6,
      },
      scoreObserverStats: { currentBestChannel: "Some([0000002a 10.0.0.1:6863])", scoresCacheSize: 7 },
    });
  });
});
