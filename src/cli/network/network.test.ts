/** Commands for local networks without starting nodes; test/local-network.test.ts starts real ones. */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { genesisBlock } from "../../blocks/genesis.ts";
import { encodeBase58 } from "../../bytes/base58.ts";
import { customProfile } from "../../profiles/index.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { ExitCode } from "../exit-codes.ts";
import { type FakeAnswers, fakeNode, idleIo, runCommand } from "../testing/fake-node.ts";
import { requireNetwork } from "./network-directory.ts";
import { addNodes, makeNetwork } from "./new-nodes.ts";

let folder: string;
const closers: (() => void)[] = [];
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), "holdfast-network-")), "net");
});
afterEach(() => {
  for (const close of closers.splice(0)) close();
  rmSync(join(folder, ".."), { recursive: true, force: true });
});

/** Creates a network that does not run. */
const make = (nodes: number, delay?: string) =>
  makeNetwork({ folder, nodes, chainId: "N", delay, apiPort: 0, p2pPort: 0 }, idleIo());
const network = (...args: string[]) => runCommand(["network", args[0], "--dir", folder, ...args.slice(1)]);
const text = (...path: string[]) => readFileSync(join(folder, ...path), "utf8");
const settings = (number: number) => JSON.parse(text(`node-${number}`, "settings.yaml"));
const genesisId = () => encodeBase58(genesisBlock(customProfile(text("genesis.json"))).signature);

describe("a new network", () => {
  test.each([
    [1, 10, 0],
    [2, 13, 1],
    [5, 13, 2],
  ])("of %i nodes has an average block delay of %i s and a quorum of %i", async (nodes, seconds, quorum) => {
    await make(nodes);
    expect(customProfile(text("genesis.json")).genesis.averageBlockDelaySeconds).toBe(seconds);
    const log = join(folder, `node-${nodes}`, "log.txt");
    expect(settings(nodes)).toMatchObject({ forge: true, "forge-quorum": quorum, "log-file": log });
  });

  test("is refused with a delay at which its forgers tie, and leaves nothing behind", async () => {
    const { code, err, out } = await network("up", "--nodes", "2", "--delay", "10s");
    expect(err).toMatch(/^A block delay of 10 s is too short for 2 forgers: .* Use at least 13 s\n$/);
    expect(code).toBe(ExitCode.usage);
    expect(out).toBe("");
    expect(existsSync(folder)).toBe(false);
  });
});

describe("added nodes", () => {
  test("know all others, have an account without tokens, and the quorum of the network", async () => {
    const before = await make(3);
    const after = await addNodes(before, { folder, count: 2, apiPort: undefined, p2pPort: 0 }, idleIo());
    expect(requireNetwork(folder)).toEqual(after);
    expect(after.nodes.slice(0, 3)).toEqual(before.nodes);
    const ports = after.nodes.flatMap(({ apiPort, p2pPort }) => [apiPort, p2pPort]);
    expect(new Set(ports).size).toBe(10);
    expect(settings(5)).toMatchObject({
      "node-name": "node-5",
      nonce: 5,
      forge: true,
      "forge-quorum": 1,
      "api-port": after.nodes[4].apiPort,
      peers: after.nodes.slice(0, 4).map(({ p2pPort }) => `127.0.0.1:${p2pPort}`),
    });
    const seeds = text("seeds.txt").trimEnd().split("\n");
    expect(seeds).toHaveLength(5);
    expect(seeds[4]).toBe(`0 ${settings(5)["wallet-seed"]}`);
  });

  test("do not forge in a network whose block delay is for one forger", async () => {
    const before = await make(1, "5s");
    await addNodes(before, { folder, count: 1, apiPort: 0, p2pPort: 0 }, idleIo());
    expect(settings(2)).toMatchObject({ forge: false });
  });

  test("are refused beyond the limit, on ports of the network, and in an existing directory", async () => {
    const { nodes } = await make(2);
    const before = text("network.json");
    const tooMany = await network("add", "--nodes", "19");
    expect(tooMany.err).toBe("The network has 2 nodes; with 19 more it would exceed the limit of 20\n");
    expect(tooMany.code).toBe(ExitCode.usage);
    const port = await network("add", "--api-port", String(nodes[1].p2pPort));
    expect(port.err).toContain(`would use port ${nodes[1].p2pPort} twice`);
    expect(port.code).toBe(ExitCode.usage);
    mkdirSync(join(folder, "node-3"));
    const existing = await network("add", "--nodes", "1");
    expect(existing.err).toContain("node-3 already exists: remove it");
    expect(existing.code).toBe(ExitCode.failed);
    expect(text("network.json")).toBe(before);
    expect(text("seeds.txt").trimEnd().split("\n")).toHaveLength(2);
    expect(existsSync(join(folder, "node-3", "settings.yaml"))).toBe(false);
  });
});

test("nodes that cannot be recorded are not added", async () => {
  const before = await make(2);
  const files = [text("network.json"), text("seeds.txt")];
  mkdirSync(join(folder, "network.json.new"));
  const adding = addNodes(before, { folder, count: 1, apiPort: 0, p2pPort: 0 }, idleIo());
  await expect(adding).rejects.toThrow(/^Cannot add nodes to /);
  expect([text("network.json"), text("seeds.txt")]).toEqual(files);
  expect(existsSync(join(folder, "node-3"))).toBe(false);
});

test.each([["add"], ["status"], ["logs"], ["down"]])(
  "%s names a directory without a network",
  async (command) => {
    const { code, err, out } = await network(command);
    expect(err).toBe(
      `${folder} has no network: name the network's directory with --dir, or create a network with \`network up\`\n`,
    );
    expect(code).toBe(ExitCode.usage);
    expect(out).toBe("");
  },
);

test.each([
  [3, "6s", "0.0"],
  [2, "12s", "0.0"],
  [2, "13s", undefined],
  [1, "5s", undefined],
])(
  "an existing network of %i forgers with a delay of %s has an expected gap of %s s: warns below 2 s",
  async (count, delay, gap) => {
    const { apiKey } = await make(count);
    const genesis = text("genesis.json").replace(/("average-block-delay": ")\d+s/, `$1${delay}`);
    writeFileSync(join(folder, "genesis.json"), genesis);
    const fake = await fakeNode({ "GET /debug/info": {} });
    closers.push(fake.close);
    const node = { apiPort: Number(new URL(fake.url).port), p2pPort: 1 };
    writeFileSync(join(folder, "network.json"), JSON.stringify({ nodes: [node], apiKey }));
    const { code, err } = await network("up");
    expect(code).toBe(ExitCode.ok);
    const warning =
      `Warning: the block delay of ${delay.slice(0, -1)} s is too short for ${count} forgers: the expected gap between ` +
      `the two earliest is ${gap} s in the long run; at least 2.0 s are needed, or nodes stay on separate chains of ` +
      "equal score. The delay of a network cannot change: create another network with --dir and a delay of at least 13 s\n";
    expect(err.slice(0, err.indexOf("API key"))).toBe(gap === undefined ? "" : warning);
  },
);

describe("a signal while nodes start", () => {
  /** Three nodes: the first runs, the second answers as soon as it is started, the third never answers. */
  const startWithSignal = async (endsOnStop: boolean) => {
    const { apiKey } = await make(3);
    const clock = new VirtualClock(0);
    let isSecondUp = false;
    const fakes = [
      await fakeNode({ "GET /debug/info": {} }),
      await fakeNode({ "GET /debug/info": () => (isSecondUp ? {} : 503) }),
      await fakeNode({ "GET /debug/info": 503 }),
    ];
    for (const { close } of fakes) closers.push(close);
    const nodes = fakes.map(({ url }) => ({ apiPort: Number(new URL(url).port), p2pPort: 1 }));
    writeFileSync(join(folder, "network.json"), JSON.stringify({ nodes, apiKey }));
    let signal: (name: string) => void = () => {};
    const stopped: number[] = [];
    let done = false;
    let isSent = false;
    const command = runCommand(["network", "up", "--dir", folder], {
      clock,
      onSignal: (listener) => {
        signal = listener;
        return () => {};
      },
      spawn: (_, log) => {
        const number = Number(/node-(\d+)/.exec(log)?.[1]);
        let hasEnded = false;
        isSecondUp = true;
        return {
          pid: 1_000 + number,
          hasEnded: () => hasEnded,
          stop: () => {
            stopped.push(number);
            hasEnded = endsOnStop || number !== 3;
          },
        };
      },
    }).finally(() => {
      done = true;
    });
    for (let i = 0; !done && i < 10_000; i++) {
      if (!isSent && fakes[2].requests.length === 3) {
        isSent = true;
        signal("SIGINT");
      }
      clock.advance(100);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return { ...(await command), stopped: stopped.sort() };
  };

  test("stops the nodes of this call, names them, and leaves those that ran before", async () => {
    const { code, out, err, stopped } = await startWithSignal(true);
    expect(stopped).toEqual([2, 3]);
    expect(err).toBe(
      "\nSIGINT: stopping at the next safe point\nStopped. Nodes that this command started and stopped again: node-2, node-3. " +
        `\`holdfast network up --dir ${folder}\` starts the network.\n`,
    );
    expect({ code, out }).toEqual({ code: ExitCode.failed, out: "" });
  });

  test("names a node that does not end within a minute", async () => {
    const { code, err } = await startWithSignal(false);
    expect(err).toContain(" stopped again: node-2. node-3 (process 1003) has not ended in time. ");
    expect(code).toBe(ExitCode.failed);
  });
});

test("a signal before `network up` begins creates nothing", async () => {
  const { code, err } = await runCommand(["network", "up", "--dir", folder], {
    onSignal: (listener) => {
      listener("SIGTERM");
      return () => {};
    },
  });
  expect(err).toContain("Stopped before the work began. Start the same command again.\n");
  expect(code).toBe(ExitCode.failed);
  expect(existsSync(folder)).toBe(false);
});

describe("status", () => {
  const statusOf = async (answers: (number: number) => FakeAnswers) => {
    const { apiKey } = await make(2);
    const fakes = [await fakeNode(answers(1)), await fakeNode(answers(2))];
    for (const { close } of fakes) closers.push(close);
    const nodes = fakes.map(({ url }) => ({ apiPort: Number(new URL(url).port), p2pPort: 1 }));
    writeFileSync(join(folder, "network.json"), JSON.stringify({ nodes, apiKey }));
    return { fakes, apiKey };
  };
  const running = (changes: FakeAnswers = {}): FakeAnswers => ({
    "GET /blocks/headers/at/1": { height: 1, signature: genesisId() },
    "GET /blocks/headers/last": { height: 17, signature: "5eUUVUUMTN3aXYZ" },
    "GET /node/health": { state: "well\u001b[31m", peers: 1, forging: "on" },
    "GET /transactions/unconfirmed/size": { size: 3 },
    ...changes,
  });

  test("shows each node without sending the API key, which would be logged", async () => {
    const { fakes } = await statusOf(() => running({}));
    const { code, out } = await network("status");
    expect(code).toBe(ExitCode.ok);
    expect(out.split("\n")[0]).toMatch(/^NODE +URL +STATE +HEIGHT +LAST BLOCK +PEERS +POOL +FORGING$/);
    expect(out.split("\n")[2]).toMatch(/^node-2 +http:\S+ +well \[31m +17 +5eUUVUUMTN3a +1 +3 +on$/);
    for (const { headers } of fakes.flatMap(({ requests }) => requests))
      expect(headers["x-api-key"]).toBeUndefined();
    expect(JSON.parse((await network("status", "--json")).out)[0]).toMatchObject({
      node: "node-1",
      running: true,
      height: 17,
      lastBlock: "5eUUVUUMTN3aXYZ",
      pool: 3,
    });
  });

  test("names one node that does not respond", async () => {
    const { fakes } = await statusOf(() => running());
    fakes[1].close();
    expect((await network("status")).err).toMatch(/^1 of 2 nodes does not respond: `.*` starts it\n$/);
  });

  test("tells stopped nodes from other programs on their ports, and fails", async () => {
    const { fakes } = await statusOf((number) =>
      number === 1 ? running({ "GET /blocks/headers/at/1": { height: 1, signature: "other" } }) : running(),
    );
    fakes[1].close();
    const { code, out, err } = await network("status");
    expect(code).toBe(ExitCode.unreachable);
    expect(out).toMatch(/^node-1 .* another program$/m);
    expect(out).toMatch(/^node-2 .* not running$/m);
    expect(err).toMatch(/^2 of 2 nodes do not respond: `holdfast network up --dir \S+` starts them\n$/);
  });
});

describe("logs", () => {
  const line = (second: number, message: string) => `2026-11-24 15:35:0${second}.000Z INFO  ${message}\n`;
  const write = (number: number, lines: string) =>
    writeFileSync(join(folder, `node-${number}`, "log.txt"), lines);

  beforeEach(() => {
    for (const number of [1, 2, 3]) mkdirSync(join(folder, `node-${number}`), { recursive: true });
    const nodes = [1, 2, 3].map((number) => ({ apiPort: number, p2pPort: 10 + number }));
    writeFileSync(join(folder, "network.json"), JSON.stringify({ nodes, apiKey: "k".repeat(20) }));
  });

  test("prints the newest lines of all nodes in order of time", async () => {
    write(1, `${line(1, "one")}${line(4, "four")}    at stack\n${line(5, "unfin").trimEnd()}`);
    write(2, `${line(0, "old")}${line(2, "two")}${line(3, "three")}`);
    const { out, code } = await network("logs", "--lines", "3");
    expect(code).toBe(ExitCode.ok);
    expect(out.replaceAll(/2026-11-24 15:35:0\d.000Z INFO {2}/g, "")).toBe(
      "node-2 | old\nnode-1 | one\nnode-2 | two\nnode-2 | three\nnode-1 | four\nnode-1 |     at stack\n",
    );
    expect((await network("logs", "2", "--lines", "1")).out).toBe(line(3, "three"));
    expect((await network("logs", "node-2", "--lines", "0")).out).toBe("");
  });

  test.each(["node-4", "0", "x"])("names the node %s, which does not exist", async (node) => {
    const { code, err } = await network("logs", node);
    expect(err).toBe(`There is no node '${node}': the network has node-1 to node-3\n`);
    expect(code).toBe(ExitCode.usage);
  });

  test("follows a log that grows and is emptied, until a signal", async () => {
    write(1, line(1, "one"));
    const clock = new VirtualClock(0);
    let out = "";
    let signal: (name: string) => void = () => {};
    const done = runCommand(["network", "logs", "1", "--dir", folder, "--follow"], {
      clock,
      out: (printed) => {
        out += printed;
      },
      onSignal: (listener) => {
        signal = listener;
        return () => {};
      },
    });
    const until = async (expected: string): Promise<void> => {
      for (let i = 0; i < 1_000 && out !== expected; i++) {
        clock.advance(500);
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect(out).toBe(expected);
    };
    await until(line(1, "one"));
    appendFileSync(join(folder, "node-1", "log.txt"), `${line(2, "two")}2026`);
    await until(line(1, "one") + line(2, "two"));
    write(1, line(3, "three"));
    await until(line(1, "one") + line(2, "two") + line(3, "three"));
    signal("SIGINT");
    expect((await done).code).toBe(ExitCode.ok);
  });

  test("reads at most the newest mebibyte", async () => {
    write(1, `${`${"x".repeat(99)}\n`.repeat(20_000)}${line(1, "end")}`);
    const { out } = await network("logs", "1", "--lines", "10000");
    expect(out.length).toBeLessThanOrEqual(2 ** 20);
    expect(out.endsWith(`${"x".repeat(99)}\n${line(1, "end")}`)).toBe(true);
    expect(out.startsWith(`${"x".repeat(99)}\n`)).toBe(true);
  });
});
