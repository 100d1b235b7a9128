/** Commands for a running node, with a fake node. test/local-network.test.ts has real ones. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { ExitCode } from "../exit-codes.ts";
import { type FakeAnswers, fakeNode, runCommand } from "../testing/fake-node.ts";

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function nodeWith(answers: FakeAnswers) {
  const node = await fakeNode(answers);
  closers.push(node.close);
  return node;
}

const NOW = 1_700_000_000_000;
/** Requests need real time; ages come from `NOW`. */
const clock = {
  ...new VirtualClock(NOW),
  now: () => NOW,
  after: () => () => {},
  system: () => NOW,
  monotonic: () => 0,
};

const health = (changes: object = {}) => ({
  state: "well",
  reasons: [],
  height: 372,
  timestamp: NOW - 12_000,
  peers: 3,
  forging: "on",
  version: "0.1.0",
  keyRoutes: "key",
  ...changes,
});
const healthy: FakeAnswers = {
  "GET /node/health": health(),
  "GET /node/sync": { behind: false, blocksPerSecond: 0 },
  "GET /transactions/unconfirmed/size": { size: 1 },
  "GET /node/indexes": [
    { name: "a", state: "ready" },
    { name: "b", state: "off" },
  ],
  "GET /node/resources": {
    startedAt: NOW - 7_200_000,
    memoryBytes: 1_048_576,
    storeBytes: 1_073_741_824,
    diskFreeBytes: null,
    diskBytes: 512,
  },
};

describe("status", () => {
  test("prints the state once if standard output is not a terminal", async () => {
    const node = await nodeWith(healthy);
    const result = await runCommand(["status", "--node", node.url, "--api-key", "k"], { clock });
    expect(result).toEqual({
      code: 0,
      err: "",
      out: `Holdfast v0.1.0 at ${node.url}: well
Height   372, newest block 12 s old
Peers    3
Sync     no better chain known
Forging  on
Pool     1 unconfirmed transaction
Indexes  1 ready
Memory   1.0 MiB
Disk     unknown of 512 B free, store 1.0 GiB
Running  for 2 h
`,
    });
  });

  test("sends the API key only to the route that needs it", async () => {
    const node = await nodeWith(healthy);
    await runCommand(["status", "--node", node.url], { clock, environment: { HOLDFAST_API_KEY: "secret" } });
    const withKey = node.requests.filter(({ headers }) => headers["x-api-key"] === "secret");
    expect(withKey.map(({ line }) => line)).toEqual(["GET /node/resources"]);
  });

  test("shows reasons and progress without control characters, and works without a key", async () => {
    const node = await nodeWith({
      ...healthy,
      "GET /node/health": health({
        state: "behind",
        reasons: [{ code: "behind", message: "far\u001b[2J\nbehind" }],
      }),
      "GET /node/sync": { behind: true, targetHeight: 1_000, blocksPerSecond: 20.5, secondsLeft: 31 },
      "GET /node/indexes": [{ name: "stats", state: "building", height: 5, of: 372 }],
    });
    const { out } = await runCommand(["status", "--node", `${node.url}/`], { clock });
    expect(out).toContain(`at ${node.url}: behind\n  behind: far [2J behind\n`);
    expect(out).toContain("Sync     block 372 of about 1000, 20.5 blocks/s, about 31 s left\n");
    expect(out).toContain("Indexes  stats building: block 5 of 372\n");
    expect(out).not.toContain("Memory");
  });

  test("shows why the node cannot forge, with the API key", async () => {
    const node = await nodeWith({
      ...healthy,
      "GET /node/health": health({ forging: "waiting" }),
      "GET /debug/info": { minerState: "error: Quorum not available (0/1)\u001b[2J" },
    });
    const args = ["status", "--node", node.url];
    expect((await runCommand(args, { clock })).out).toContain("\nForging  waiting\n");
    expect((await runCommand([...args, "--api-key", "k"], { clock })).out).toContain(
      "\nForging  waiting: Quorum not available (0/1) [2J\n",
    );
    const { out } = await runCommand([...args, "--api-key", "k", "--json"], { clock });
    expect(JSON.parse(out).forgingProblem).toBe("Quorum not available (0/1)\u001b[2J");
  });

  test("prints JSON on request", async () => {
    const node = await nodeWith(healthy);
    const { out } = await runCommand(["status", "--json", "--node", node.url], { clock });
    expect(JSON.parse(out)).toMatchObject({
      url: node.url,
      health: { height: 372 },
      pool: { size: 1 },
      resources: null,
    });
  });

  test("in a terminal, redraws the view until a signal, also while the node does not respond", async () => {
    const node = await nodeWith(healthy);
    const drawn: string[] = [];
    const refreshes: (() => void)[] = [];
    let signal: (name: string) => void = () => {};
    const drawings = [
      () => {
        node.close();
        refreshes.pop()?.();
      },
      () => signal("SIGINT"),
    ];
    const result = await runCommand(["status", "--node", node.url], {
      outTerminal: { columns: 40, rows: 20 },
      clock: {
        ...clock,
        after: (delayMs, task) => {
          if (delayMs === 2_000) {
            refreshes.push(task);
            setImmediate(() => drawings.shift()?.());
          }
          return () => {};
        },
      },
      out: (text) => drawn.push(text),
      onSignal: (listener) => {
        signal = listener;
        return () => {};
      },
    });
    expect(result).toMatchObject({ code: 0, err: "" });
    expect(drawn).toHaveLength(2);
    expect(drawn[0].split("\n").every((line) => line.length < 40)).toBe(true);
    expect(drawn[0]).toContain("Height   372");
    expect(drawn[1].startsWith("\u001b[9A\u001b[0J")).toBe(true);
    expect(drawn[1]).toMatch(/http:\S+ does not\nrespond/);
  });
});

describe("a node that cannot be asked", () => {
  test("is named if it does not respond", async () => {
    const node = await nodeWith({});
    node.close();
    for (const command of [["status"], ["peers", "list"], ["compare", node.url]]) {
      const result = await runCommand([...command, "--node", node.url], { clock });
      expect(result).toMatchObject({ code: ExitCode.unreachable, out: "" });
      expect(result.err).toMatch(new RegExp(`^${node.url} does not respond: .+\n$`));
    }
  });

  test("is named if its answer is not a node's or too large", async () => {
    const node = await nodeWith({ "GET /node/peers": { peers: [{ address: 1 }] } });
    const result = await runCommand(["peers", "list", "--node", node.url], { clock });
    expect(result).toEqual({
      code: ExitCode.failed,
      out: "",
      err: `${node.url}: the answer to /node/peers has an unexpected form. Check --node\n`,
    });
    const large = await nodeWith({ "GET /node/peers": "x".repeat(9_000_000) });
    const bounded = await runCommand(["peers", "list", "--node", large.url], { clock });
    expect(bounded.err).toBe(`${large.url}: its answer has more than 8388608 bytes\n`);
  });
});

describe("peers", () => {
  const peer = {
    address: "/203.0.113.7:6868",
    declaredAddress: "N/A",
    peerName: "\u001b[31mevil",
    applicationName: "ltoL",
    applicationVersion: "1.8.0",
    direction: "in",
    connectedMs: 65_000,
    receivedBytes: 2_048,
    sentBytes: 100,
    height: 370,
  };

  test("list shows connected, banned and known peers", async () => {
    const node = await nodeWith({
      "GET /node/peers": { height: 372, score: "1", peers: [peer] },
      "GET /peers/blacklisted": [{ hostname: "/203.0.113.9", timestamp: NOW - 60_000, reason: "it lied" }],
      "GET /peers/all": { peers: [{ address: "/203.0.113.7:6868", lastSeen: NOW }] },
    });
    const list = async (...flags: string[]) =>
      (await runCommand(["peers", "list", "--node", node.url, ...flags], { clock })).out;
    expect(await list()).toBe(
      "ADDRESS           DIRECTION  NAME       VERSION  HEIGHT  CONNECTED  RECEIVED  SENT\n" +
        "203.0.113.7:6868  in          [31mevil  1.8.0    370     65 s       2.0 KiB   100 B\n" +
        "1 peer, own height 372\n",
    );
    expect(await list("--banned")).toBe("HOST         BANNED    REASON\n203.0.113.9  60 s ago  it lied\n");
    expect(await list("--known")).toBe("ADDRESS           LAST SEEN\n203.0.113.7:6868  0 s ago\n");
    expect(JSON.parse(await list("--json"))).toMatchObject({ peers: [{ height: 370 }] });
  });

  test("connect, ban and unban send the API key of a file", async () => {
    const folder = mkdtempSync(join(tmpdir(), "holdfast-running-"));
    closers.push(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, "key"), "secret\nmore\n");
    const node = await nodeWith({
      "POST /peers/connect": { hostname: "h", status: "Trying to connect" },
      "POST /peers/ban": { banned: ["2001:db8::/64"], seconds: 900 },
      "POST /peers/unban": { unbanned: ["2001:db8::/64"] },
    });
    const peers = async (...args: string[]) =>
      await runCommand(["peers", ...args, "--node", node.url, "--api-key-file", join(folder, "key")], {
        clock,
      });
    expect((await peers("connect", "[2001:db8::7]")).out).toContain("connects to [2001:db8::7]:6863.");
    expect(await peers("ban", "2001:db8::7", "--reason", "spam")).toEqual({
      code: 0,
      out: "Banned 2001:db8::/64 for 15 min\n",
      err: "",
    });
    expect((await peers("unban", "2001:db8::/64")).out).toBe("Lifted the ban of 2001:db8::/64\n");
    expect(node.requests.map(({ body }) => JSON.parse(body))).toEqual([
      { host: "2001:db8::7", port: 6863 },
      { host: "2001:db8::7", reason: "spam" },
      { host: "2001:db8::/64" },
    ]);
    expect(node.requests.map(({ headers }) => headers["x-api-key"])).toEqual(Array(3).fill("secret"));
  });

  test.each([
    [["connect", "a:b:c"], 'Invalid peer address "a:b:c"'],
    [["connect", "host:0"], 'Invalid port in "host:0"'],
    [["connect", "1.2.3"], 'Invalid host in "1.2.3"'],
    [["ban", "not a host"], 'Invalid host in "not a host"'],
    [["ban", "10.0.0.0/8"], 'Invalid host "10.0.0.0/8"'],
    [["unban", "2001:db8::/48"], 'Invalid host "2001:db8::/48"'],
    [["ban", "a", "--reason", "x".repeat(201)], "--reason: at most 200 characters"],
    [["ban", "a", "--api-key", "k", "--api-key-file", "f"], "Give only one of --api-key and --api-key-file"],
    [["ban", "a", "--api-key", "sécret\n"], "The API key must consist of"],
  ])("%j ends with 2, names the problem, and sends nothing", async (args, problem) => {
    const node = await nodeWith({});
    const result = await runCommand(["peers", ...args, "--node", node.url], { clock });
    expect(result).toMatchObject({ code: ExitCode.usage, out: "" });
    expect(result.err).toContain(problem);
    expect(result.err).not.toContain("sécret");
    expect(node.requests).toEqual([]);
  });

  test("a missing key and a refusal are explained, without control characters", async () => {
    const node = await nodeWith({ "POST /peers/ban": 403, "POST /peers/unban": 400 });
    expect(await runCommand(["peers", "ban", "10.0.0.1", "--node", node.url], { clock })).toEqual({
      code: ExitCode.usage,
      out: "",
      err: `${node.url} refused /peers/ban (403): no [31m key. Give the API key of the node with --api-key-file, --api-key or HOLDFAST_API_KEY\n`,
    });
    expect(await runCommand(["peers", "unban", "10.0.0.1", "--node", node.url], { clock })).toMatchObject({
      code: ExitCode.usage,
      err: `${node.url} refused /peers/unban (400): no [31m key\n`,
    });
  });
});

describe("log-level", () => {
  const levels = { level: "info", areas: { peers: "debug" } };
  const withLevels = () => nodeWith({ "GET /node/log-level": levels, "PUT /node/log-level": levels });

  test("shows the levels, or sets the one of the node and then those of areas, with the key", async () => {
    const node = await withLevels();
    const run = (...args: string[]) =>
      runCommand(["log-level", ...args, "--node", node.url, "--api-key", "k"], { clock });
    expect((await run()).out).toBe("AREA         LEVEL\npeers        debug\nother areas  info\n");
    expect(JSON.parse((await run("--json")).out)).toEqual(levels);
    await run("warn,api=trace,sync=off");
    await run("peers=debug");
    expect(
      node.requests.filter(({ line }) => line.startsWith("PUT")).map(({ body }) => JSON.parse(body)),
    ).toEqual([
      { level: "warn" },
      { area: "api", level: "trace" },
      { area: "sync", level: "off" },
      { area: "peers", level: "debug" },
    ]);
    expect(new Set(node.requests.map(({ headers }) => headers["x-api-key"]))).toEqual(new Set(["k"]));
  });

  test("a key that may only write changes the levels and shows them", async () => {
    const node = await nodeWith({ "GET /node/log-level": 403, "PUT /node/log-level": levels });
    const result = await runCommand(["log-level", "info,peers=debug", "--node", node.url, "--api-key", "k"], {
      clock,
    });
    expect(result).toEqual({
      code: ExitCode.ok,
      out: "AREA         LEVEL\npeers        debug\nother areas  info\n",
      err: "",
    });
  });

  test.each([
    ["loud", 'LEVELS: expected one of trace, debug, info, warn, error, off, got "loud"'],
    ["info,piers=debug", 'LEVELS: unknown log area "piers": expected one of node, chain'],
    ["debug,peers", "LEVELS: expected an area and its level, such as peers=debug"],
    ["", "LEVELS: expected one of trace"],
  ])("%j ends with 2, names the problem, and sends nothing", async (text, message) => {
    const node = await withLevels();
    const result = await runCommand(["log-level", text, "--node", node.url], { clock });
    expect(result).toMatchObject({ code: ExitCode.usage, out: "" });
    expect(result.err).toContain(message);
    expect(node.requests).toEqual([]);
  });
});
