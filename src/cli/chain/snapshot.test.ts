/** `holdfast backup`, `holdfast snapshot` and `holdfast start --snapshot` over a chain of a few blocks. */
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { encodeBase58 } from "../../bytes/base58.ts";
import { addressOf, addressText } from "../../crypto/addresses.ts";
import { networkIdentity, openNodeStore } from "../../node/composition.ts";
import { dev } from "../../profiles/index.ts";
import { restoreSnapshot } from "../../storage/copies/restore-snapshot.ts";
import { snapshotSource } from "../../storage/copies/snapshot-source.ts";
import { openStore } from "../../storage/store.ts";
import { tables } from "../../storage/tables.ts";
import { DevNode, rootKeyPair } from "../../testing/dev-node.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { ExitCode } from "../exit-codes.ts";
import { runCommand } from "../testing/fake-node.ts";

const network = networkIdentity(dev);
const HEIGHT = 4;
const root = addressText(addressOf(rootKeyPair.publicKey, dev.chainId));
const key = encodeBase58(rootKeyPair.publicKey);
const otherKey = encodeBase58(new Uint8Array(32).fill(7));
/** Ids by height. */
const ids = new Map<number, string>();
let shared = "";
let home = "";

beforeAll(async () => {
  shared = mkdtempSync(join(tmpdir(), "holdfast-snapshots-"));
  const store = await openStore(join(shared, "source", "chain"), { network });
  const node = new DevNode({ store });
  node.forger.start();
  while (node.chain.tip.height < HEIGHT) node.clock.advance(1_000);
  node.forger.stop();
  for (const [height, { signature }] of store.read((reader) => [...reader.range(tables.headers)]))
    ids.set(height, encodeBase58(signature));
  await store.close();
  // The wallet of the account that owns the supply.
  const lockDataDir = async () => ({ release: async () => {} });
  await holdfast(["wallet", "new", "--data-dir", join(shared, "source")], { lockDataDir });
  for (const [name, flags] of [
    ["signed", ["--sign", root]],
    ["unsigned", []],
  ] as const) {
    let yields = 0;
    const created = await holdfast(
      ["snapshot", "create", join(shared, name), "--data-dir", join(shared, "source"), ...flags],
      { lowerPriority: () => yields++ },
    );
    expect(created.err).toBe("");
    expect(yields).toBe(1);
    expect(created.out).toContain(
      name === "signed"
        ? `The snapshot is signed with the ed25519 key ${key}.`
        : "The snapshot is not signed.",
    );
  }
});
afterAll(() => rmSync(shared, { recursive: true, force: true }));
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "holdfast-restored-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function holdfast(args: readonly string[], changes: Parameters<typeof runCommand>[1] = {}) {
  return runCommand(args, { home: shared, clock: new VirtualClock(0), ...changes });
}

const restore = (source: string, ...flags: string[]) =>
  holdfast(["snapshot", "restore", source, "--data-dir", join(home, "node"), ...flags]);

async function restoredHeight(): Promise<number | undefined> {
  const store = await openStore(join(home, "node", "chain"), { network, readOnly: true });
  try {
    return store.get(tables.heights, undefined)?.height;
  } finally {
    await store.close();
  }
}

/** A copy of the signed snapshot whose manifest names another height. */
function changedManifest(): string {
  const copy = join(home, "changed");
  cpSync(join(shared, "signed"), copy, { recursive: true });
  const path = join(copy, "manifest.json");
  writeFileSync(path, readFileSync(path, "utf8").replace(`"height": ${HEIGHT}`, '"height": 9'));
  return copy;
}

test("backup gives way to the node, and copies the wallet on request", async () => {
  let yields = 0;
  const backup = (name: string, ...flags: string[]) =>
    holdfast(["backup", join(home, name), "--data-dir", join(shared, "source"), ...flags], {
      lowerPriority: () => yields++,
    });
  const { code, out } = await backup("plain");
  expect(code).toBe(ExitCode.ok);
  expect(out).toContain(`Copied chain (1 MB) up to height ${HEIGHT}, block ${ids.get(HEIGHT)}, to `);
  expect(out).toContain("Not in the backup: the wallet (--with-wallet); ");
  expect(readdirSync(join(home, "plain")).sort()).toEqual(["backup.json", "chain"]);
  expect((await backup("all", "--with-wallet")).out).toContain("Copied chain, wallet/wallet.bin, ");
  expect(readdirSync(join(home, "all")).sort()).toEqual(["backup.json", "chain", "wallet"]);
  expect(yields).toBe(2);
});

describe("snapshot create", () => {
  test("signs only with an account of the wallet, and leaves no files otherwise", async () => {
    const create = (address: string) =>
      holdfast([
        ...["snapshot", "create", join(home, "new"), "--data-dir", join(shared, "source")],
        ...["--sign", address],
      ]);
    const stranger = addressText(addressOf(new Uint8Array(32), dev.chainId));
    expect(await create(stranger)).toMatchObject({
      code: ExitCode.failed,
      err: `The wallet does not hold ${stranger}\n`,
    });
    const invalid = await create("nobody");
    expect(invalid.code).toBe(ExitCode.usage);
    expect(invalid.err).toContain("--sign: 'nobody' is not an address of this network");
    expect(readdirSync(home)).toEqual([]);
  });

  test("refuses a directory with files, and a data directory without a chain", async () => {
    const create = (target: string, source: string) =>
      holdfast(["snapshot", "create", target, "--data-dir", source]);
    const full = await create(join(shared, "signed"), join(shared, "source"));
    expect(full.code).toBe(ExitCode.failed);
    expect(full.err).toContain(`${join(shared, "signed")} is not empty: `);
    const empty = await create(join(home, "new"), join(home, "nothing"));
    expect(empty.code).toBe(ExitCode.dataDirectory);
    expect(empty.err).toContain("has no chain");
    expect(readdirSync(home)).toEqual([]);
  });
});

describe("snapshot restore", () => {
  test.each<[string, string, () => string[]]>([
    ["a signature of the trusted key", "signed", () => ["--trusted-key", otherKey, "--trusted-key", key]],
    ["the newest block", "unsigned", () => ["--block", ids.get(HEIGHT) ?? ""]],
    ["the block before", "unsigned", () => ["--block", ids.get(HEIGHT - 1) ?? ""]],
    ["an older block with its height", "unsigned", () => ["--block", `2:${ids.get(2)}`]],
    ["--trust-source", "unsigned", () => ["--trust-source"]],
  ])("accepts %s", async (_, name, flags) => {
    const { code, out, err } = await restore(join(shared, name), ...flags());
    expect({ code, err }).toEqual({ code: ExitCode.ok, err: "" });
    expect(out).toContain(`Restored the chain up to height ${HEIGHT}, block ${ids.get(HEIGHT)}: `);
    expect(await restoredHeight()).toBe(HEIGHT);
  });

  test.each<[string, () => string, () => string[], string]>([
    [
      "no reason to trust it",
      () => "signed",
      () => [],
      `it is signed by ${key}, which is not a --trusted-key`,
    ],
    [
      "a signature of another key",
      () => "signed",
      () => ["--trusted-key", otherKey],
      `it is signed by ${key}, which is not a --trusted-key`,
    ],
    ["no signature", () => "unsigned", () => ["--trusted-key", key], "it is not signed"],
    [
      "a changed manifest",
      changedManifest,
      () => ["--trusted-key", key],
      "manifest.sig.json does not contain a valid signature of manifest.json: one of them was changed",
    ],
    [
      "a changed manifest, also from a trusted source",
      changedManifest,
      () => ["--trust-source"],
      "one of them was changed",
    ],
    ["an unknown block", () => "signed", () => ["--block", otherKey], `contradicts --block ${otherKey}`],
    [
      "an older block without its height",
      () => "unsigned",
      () => ["--block", ids.get(2) ?? ""],
      `The snapshot ends at height ${HEIGHT} with block`,
    ],
    [
      "another block of its height",
      () => "signed",
      () => ["--block", `${HEIGHT}:${ids.get(2)}`, "--trust-source"],
      `contradicts --block ${HEIGHT}:`,
    ],
    [
      "a block above it",
      () => "signed",
      () => ["--block", `9:${ids.get(HEIGHT)}`, "--trusted-key", key],
      "contradicts --block 9:",
    ],
    [
      "another network",
      () => "signed",
      () => ["--network", "testnet", "--trust-source"],
      "The snapshot belongs to the network LTO (chain id Z,",
    ],
    ["a missing folder", () => "missing", () => ["--trust-source"], "has no manifest.json"],
  ])("refuses %s, and writes nothing", async (_, source, flags, text) => {
    const name = source();
    const { code, out, err } = await restore(name.startsWith("/") ? name : join(shared, name), ...flags());
    expect({ code, out }).toEqual({ code: ExitCode.failed, out: "" });
    expect(err).toContain(text);
    expect(existsSync(join(home, "node"))).toBe(false);
  });

  test("ends with an incomplete folder that is deleted if the chain has another block at the named height", async () => {
    const { code, err } = await restore(join(shared, "signed"), "--block", `2:${ids.get(3)}`);
    expect(code).toBe(ExitCode.failed);
    expect(err).toContain(
      `The snapshot has block ${ids.get(2)} at height 2, which contradicts --block 2:${ids.get(3)}`,
    );
    expect(readdirSync(join(home, "node", "chain"))).toEqual([]);
  });

  test.each<[string, string[], string]>([
    ["a block that is not an id", ["--block", "5:x"], "Expected the id of a block, or HEIGHT:ID"],
    ["a key that is not Base58", ["--trusted-key", "0OIl"], "Expected a public key in Base58"],
  ])("refuses %s as a usage error", async (_, flags, text) => {
    const { code, err } = await restore(join(shared, "signed"), ...flags);
    expect(code).toBe(ExitCode.usage);
    expect(err).toContain(text);
  });

  test("replaces no chain", async () => {
    await restore(join(shared, "signed"), "--trust-source");
    const { code, err } = await restore(join(shared, "signed"), "--trust-source");
    expect(code).toBe(ExitCode.failed);
    expect(err).toContain("contains a chain: a snapshot never replaces one");
  });
});

describe("snapshot verify", () => {
  test("names the signer, and refuses a changed manifest", async () => {
    const whole = await holdfast(["snapshot", "verify", join(shared, "signed")]);
    expect(whole.code).toBe(ExitCode.ok);
    expect(whole.out).toContain(`The snapshot is complete: chain up to height ${HEIGHT}, `);
    expect(whole.out).toContain(`The snapshot is signed with the ed25519 key ${key}.`);
    const changed = await holdfast(["snapshot", "verify", changedManifest()]);
    expect(changed.code).toBe(ExitCode.failed);
    expect(changed.err).toContain("one of them was changed");
  });
});

describe("start --snapshot", () => {
  let heights: (number | undefined)[] = [];
  let followed: (readonly string[])[] = [];
  beforeEach(() => {
    heights = [];
    followed = [];
  });

  /** Starts a node that only opens its store. */
  const start = (...flags: string[]) =>
    holdfast(["start", "--data-dir", join(home, "node"), "--log-level", "error", ...flags], {
      startNode: async (settings) => {
        const store = await openNodeStore(settings);
        heights.push(store.get(tables.heights, undefined)?.height);
        followed.push(settings.following.sources);
        await store.close();
        return { stop: async () => {}, finished: Promise.resolve() };
      },
    });

  test("restores before the first start, and has no effect on later ones", async () => {
    const flags = ["--snapshot", join(shared, "signed"), "--trusted-key", key];
    expect(await start(...flags)).toMatchObject({ code: ExitCode.ok, err: "" });
    expect(await start("--snapshot", join(home, "missing"), "--trusted-key", otherKey)).toMatchObject({
      code: ExitCode.ok,
      err: "",
    });
    expect(heights).toEqual([HEIGHT, HEIGHT]);
  });

  test("restores before a node follows another one", async () => {
    const flags = ["--snapshot", join(shared, "signed"), "--trusted-key", key];
    const source = "http://127.0.0.1:6869";
    expect(await start(...flags, "--follow", source)).toMatchObject({ code: ExitCode.ok, err: "" });
    expect([heights, followed]).toEqual([[HEIGHT], [[source]]]);
  });

  test("accepts a URL", async () => {
    const server = createServer(({ url = "" }, answer) => {
      const path = join(shared, "unsigned", url.slice(1));
      if (existsSync(path)) answer.end(readFileSync(path));
      else answer.writeHead(404).end();
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    const { port } = server.address() as AddressInfo;
    try {
      const flags = [
        "--snapshot",
        `http://127.0.0.1:${port}/manifest.json`,
        "--block",
        ids.get(HEIGHT) ?? "",
      ];
      expect(await start(...flags)).toMatchObject({ code: ExitCode.ok, err: "" });
      expect(heights).toEqual([HEIGHT]);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  test.each<[string, string[], string]>([
    ["without a reason to trust it", [], "The snapshot is not trusted: "],
    ["with an untrusted signature", ["--trusted-key", otherKey], "The snapshot is not trusted: "],
    ["with an unknown block", ["--block", otherKey, "--trust-source"], "contradicts --block"],
    [
      "of another network",
      ["--network", "testnet", "--trust-source"],
      "The snapshot belongs to the network LTO (chain id Z,",
    ],
  ])("is refused %s, and the node does not start", async (_, flags, text) => {
    const { code, err } = await start("--snapshot", join(shared, "signed"), ...flags);
    expect(code).toBe(ExitCode.failed);
    expect(err).toContain(text);
    expect(heights).toEqual([]);
    expect(existsSync(join(home, "node", "chain"))).toBe(false);
  });

  test("ends with code 0 if a signal stops the restore, and the node does not start", async () => {
    const { code, out } = await holdfast(
      ["start", "--data-dir", join(home, "node"), "--snapshot", join(shared, "signed"), "--trust-source"],
      {
        onSignal: (listener) => {
          listener("SIGTERM");
          return () => {};
        },
        startNode: async () => {
          throw new Error("started");
        },
      },
    );
    expect(code).toBe(ExitCode.ok);
    expect(out).toBe("");
    expect(readdirSync(join(home, "node", "chain")).sort()).toEqual(["data.mdb", "holdfast-incomplete.json"]);
  });

  test("continues an incomplete restore, with which no node starts otherwise", async () => {
    const directory = join(home, "node", "chain");
    await expect(
      restoreSnapshot(
        {
          source: snapshotSource(join(shared, "signed"), new VirtualClock(0)),
          directory,
          network,
          trust: { keys: [], isSourceTrusted: true },
          reserveBytes: 0,
        },
        { isStopped: () => true },
      ),
    ).rejects.toThrow("Stopped. The same command continues with what was written");
    const refused = await start();
    expect(refused.code).toBe(ExitCode.dataDirectory);
    expect(refused.err).toContain(
      `The directory ${directory} cannot be used: a snapshot was not restored completely: `,
    );
    expect(heights).toEqual([]);
    expect(await start("--snapshot", join(shared, "signed"), "--trusted-key", key)).toMatchObject({
      code: ExitCode.ok,
      err: "",
    });
    expect(heights).toEqual([HEIGHT]);
  });
});
