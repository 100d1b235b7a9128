import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { createServer, type RequestListener, type Server } from "node:http";
import { type AddressInfo, createServer as createSocketServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { encodeBase58 } from "../../bytes/base58.ts";
import { rootKeyPair } from "../../testing/dev-node.ts";
import { SeededRandom } from "../../testing/seeded-random.ts";
import { openStore, type Store } from "../store.ts";
import { tables } from "../tables.ts";
import type { HeaderRow } from "../values/chain.ts";
import { createSnapshot, sha256Hex } from "./create-snapshot.ts";
import {
  type RestoreOptions,
  restoreSnapshot,
  type SnapshotTrust,
  verifySnapshot,
} from "./restore-snapshot.ts";
import { snapshotSource } from "./snapshot-source.ts";

const network = "LTO 84 5Genesis";
const key = encodeBase58(rootKeyPair.publicKey);
/** Waits for no retry, and has no timeouts. */
const noTimeouts = {
  after: (ms: number, task: () => void) => {
    if (ms < 30_000) setImmediate(task);
    return () => {};
  },
};

let shared = "";
let home = "";
let rows = "";

function header(height: number): HeaderRow {
  return {
    version: 3,
    timestamp: BigInt(height),
    reference: new Uint8Array(64).fill(height - 1),
    baseTarget: 1n,
    generationSignature: new Uint8Array(32),
    features: [],
    feeVote: 0,
    generator: new Uint8Array(32),
    signature: new Uint8Array(64).fill(height),
    baseSignature: new Uint8Array(64).fill(height),
    size: 1,
    transactionCount: 0,
  };
}
const idAt = (height: number): string => encodeBase58(header(height).signature);

const rowsOf = (store: Store): string =>
  sha256Hex(
    Buffer.concat(
      store.read((reader) => [...reader.range(tables.journal)].map(([, value]) => Buffer.from(value))),
    ),
  );

/** A value of 1 MiB that compresses well. */
function contentOf(random: SeededRandom): Uint8Array {
  const content = new Uint8Array(2 ** 20);
  content.set(random.bytes(1_000));
  return content;
}

beforeAll(async () => {
  shared = mkdtempSync(join(tmpdir(), "holdfast-snapshot-"));
  const random = new SeededRandom(3);
  const store = await openStore(join(shared, "chain"), { network });
  store.write((batch) => {
    for (let height = 1; height <= 5; height++) {
      batch.beginUnit({ height, sequence: 0 });
      batch.put(tables.headers, height, header(height));
      batch.endUnit();
    }
    // Two chunks.
    for (let i = 0; i < 18; i++)
      batch.put(tables.journal, { height: 100 + i, sequence: 0 }, contentOf(random));
  });
  rows = rowsOf(store);
  await store.close();
  await createSnapshot({
    target: join(shared, "snapshot"),
    directory: join(shared, "chain"),
    network,
    reserveBytes: 0,
    now: Date.UTC(2026, 10, 24),
    keyPair: rootKeyPair,
  });
});
afterAll(() => rmSync(shared, { recursive: true, force: true }));
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "holdfast-restore-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Returns the folder of the snapshot, or of a copy that a test may change. */
function folder(change?: (folder: string) => void): string {
  if (change === undefined) return join(shared, "snapshot");
  cpSync(join(shared, "snapshot"), join(home, "snapshot"), { recursive: true });
  change(join(home, "snapshot"));
  return join(home, "snapshot");
}

/** Changes the manifest, and removes the signature, which no longer fits. */
function changed(
  change: (manifest: Record<string, never> & { chunks: Record<string, unknown>[] }) => void,
): string {
  return folder((path) => {
    const manifest = JSON.parse(readFileSync(join(path, "manifest.json"), "utf8"));
    change(manifest);
    writeFileSync(join(path, "manifest.json"), JSON.stringify(manifest));
    rmSync(join(path, "manifest.sig.json"));
  });
}

const trusted: SnapshotTrust = { keys: [], isSourceTrusted: true };

async function restore(
  path: string,
  trust: SnapshotTrust = trusted,
  options: RestoreOptions = {},
  of = network,
) {
  const directory = join(home, "restored");
  const request = {
    source: snapshotSource(path, noTimeouts),
    directory,
    network: of,
    trust,
    reserveBytes: 0,
  };
  return restoreSnapshot(request, options);
}

async function expectRestored(): Promise<void> {
  const store = await openStore(join(home, "restored"), { network });
  expect(rowsOf(store)).toBe(rows);
  await store.close();
}

test("a restored snapshot has all rows, and its manifest names chain, network and signer", async () => {
  const { manifest, signer } = await verifySnapshot(snapshotSource(folder(), noTimeouts), network);
  expect(manifest).toMatchObject({ height: 5, block: idAt(5), parent: idAt(4), network });
  expect(manifest.chunks.length).toBe(2);
  expect(signer).toEqual({ keyType: "ed25519", publicKey: rootKeyPair.publicKey });
  await restore(folder());
  await expectRestored();
  await expect(restore(folder())).rejects.toThrow("contains a chain: a snapshot never replaces one");
});

describe("trust", () => {
  test.each<[string, Partial<SnapshotTrust>]>([
    ["a trusted key", { keys: ["x", key] }],
    ["the newest block", { block: { id: idAt(5) } }],
    ["the block before", { block: { id: idAt(4) } }],
    ["an older block", { block: { height: 2, id: idAt(2) } }],
  ])("is given by %s", async (_, trust) => {
    await restore(folder(), { keys: [], isSourceTrusted: false, ...trust });
    await expectRestored();
  });

  test.each<[string, Partial<SnapshotTrust>, string]>([
    ["nothing", {}, `The snapshot is not trusted: it is signed by ${key}, which is not a --trusted-key`],
    ["another key", { keys: [idAt(1)] }, "The snapshot is not trusted"],
    ["an unknown block", { isSourceTrusted: true, block: { id: idAt(7) } }, "contradicts --block"],
    [
      "a block above the snapshot",
      { isSourceTrusted: true, block: { height: 6, id: idAt(6) } },
      "contradicts --block 6:",
    ],
    [
      "another block of the height",
      { isSourceTrusted: true, block: { height: 5, id: idAt(4) } },
      "contradicts --block 5:",
    ],
  ])("is refused for %s, before anything is written", async (_, trust, text) => {
    await expect(restore(folder(), { keys: [], isSourceTrusted: false, ...trust })).rejects.toThrow(text);
    expect(existsSync(join(home, "restored"))).toBe(false);
  });

  test("ends if an older block is another one", async () => {
    const block = { height: 2, id: idAt(3) };
    await expect(restore(folder(), { keys: [], isSourceTrusted: false, block })).rejects.toThrow(
      `The snapshot has block ${idAt(2)} at height 2, which contradicts --block 2:${idAt(3)}`,
    );
    expect(readdirSync(join(home, "restored"))).toEqual([]);
  });

  test("is refused if the manifest was changed after it was signed", async () => {
    const path = folder((copy) => {
      const manifest = readFileSync(join(copy, "manifest.json"), "utf8");
      writeFileSync(join(copy, "manifest.json"), manifest.replace('"height": 5', '"height": 6'));
    });
    await expect(restore(path, { keys: [key], isSourceTrusted: false })).rejects.toThrow(
      "one of them was changed",
    );
  });
});

describe("a snapshot is refused before anything is written if", () => {
  test.each<[string, Parameters<typeof changed>[0], string]>([
    ["a chunk is not listed", ({ chunks }) => chunks.pop(), "lists 1 chunks"],
    [
      "a chunk is listed twice",
      ({ chunks }) => chunks.splice(1, 1, chunks[0]),
      "chunk 1 must be chunk-000001.gz",
    ],
    ["chunks are swapped", ({ chunks }) => chunks.reverse(), "chunk 0 must be chunk-000000.gz"],
    [
      "a name is a path",
      ({ chunks }) => Object.assign(chunks[1], { file: "../../etc/passwd" }),
      "must be chunk-000001.gz",
    ],
    ["a chunk is too large", ({ chunks }) => Object.assign(chunks[1], { bytes: 2 ** 30 }), "impossible size"],
    [
      "a hash is missing",
      ({ chunks }) => Object.assign(chunks[1], { sha256: "" }),
      "hash of chunk-000001.gz",
    ],
    ["its format is newer", (manifest) => Object.assign(manifest, { format: 99 }), "store format 99"],
    [
      "its network has control characters",
      (manifest) => Object.assign(manifest, { network: "\u001b[2J\u202eX 84 5Genesis" }),
      "belongs to the network  [2J X (chain id T",
    ],
    [
      "a name has control characters",
      ({ chunks }) => Object.assign(chunks[0], { file: "\u009b2J" }),
      'chunk 0 must be chunk-000000.gz, not " 2J"',
    ],
    [
      "its version is newer",
      (manifest) => Object.assign(manifest, { version: 2 }),
      "The snapshot has version 2",
    ],
    [
      "its size is impossible",
      (manifest) => Object.assign(manifest, { bytes: 1e300 }),
      "the bytes is missing or invalid",
    ],
    [
      "two contents are swapped",
      ({ chunks }) => {
        const { sha256, bytes, contentSha256 } = chunks[0];
        Object.assign(chunks[0], { ...chunks[1], file: chunks[0].file });
        Object.assign(chunks[1], { sha256, bytes, contentSha256 });
      },
      "has more than",
    ],
  ])("%s", async (_, change, text) => {
    await expect(restore(changed((manifest) => void change(manifest)))).rejects.toThrow(text);
    expect(existsSync(join(home, "restored"))).toBe(false);
  });

  test.each<[string, (path: string) => void, string]>([
    ["it has no manifest", (path) => rmSync(join(path, "manifest.json")), "it is not a complete snapshot"],
    ["its manifest is not JSON", (path) => writeFileSync(join(path, "manifest.json"), "{"), "not valid JSON"],
    [
      "its manifest is too long",
      (path) => writeFileSync(join(path, "manifest.json"), Buffer.alloc(2 ** 24 + 1)),
      "more than",
    ],
    ["a chunk is missing", (path) => rmSync(join(path, "chunk-000001.gz")), "lacks chunk-000001.gz"],
    [
      "a chunk is longer",
      (path) => writeFileSync(join(path, "chunk-000001.gz"), "x", { flag: "a" }),
      "more than",
    ],
    [
      "a chunk is changed",
      (path) => {
        const bytes = readFileSync(join(path, "chunk-000001.gz"));
        bytes[bytes.length >> 1] ^= 1;
        writeFileSync(join(path, "chunk-000001.gz"), bytes);
      },
      "is damaged",
    ],
  ])("%s", async (_, change, text) => {
    await expect(restore(folder(change))).rejects.toThrow(text);
    expect(existsSync(join(home, "restored"))).toBe(false);
  });

  test("it belongs to another network", async () => {
    await expect(restore(folder(), trusted, {}, "LTO 76 5Other")).rejects.toThrow(
      "The snapshot belongs to the network LTO (chain id T, genesis block 5Genesis), not to LTO (chain id L, genesis block 5Other)",
    );
  });
});

/** Replaces the second chunk, with hashes that fit. */
function withChunk(content: Buffer, file = gzipSync(content, { level: 1 })): string {
  return folder((path) => {
    writeFileSync(join(path, "chunk-000001.gz"), file);
    const manifest = JSON.parse(readFileSync(join(path, "manifest.json"), "utf8"));
    Object.assign(manifest.chunks[1], {
      bytes: file.length,
      sha256: sha256Hex(file),
      contentSha256: sha256Hex(content),
    });
    writeFileSync(join(path, "manifest.json"), JSON.stringify(manifest));
    rmSync(join(path, "manifest.sig.json"));
  });
}

test("content that is too long, is not gzip, or is not a store is never used", async () => {
  for (const [content, file, text] of [
    [Buffer.alloc(2 ** 26), undefined, "is not gzip data of"],
    [Buffer.from("x"), Buffer.from("not gzip"), "is not gzip data of"],
  ] as const) {
    await expect(restore(withChunk(content, file))).rejects.toThrow(text);
    await expect(openStore(join(home, "restored"), { network })).rejects.toThrow(
      "a snapshot was not restored completely",
    );
    rmSync(join(home, "snapshot"), { recursive: true });
  }
  const { manifest } = await verifySnapshot(snapshotSource(folder(), noTimeouts), network);
  const zeros = Buffer.alloc(manifest.bytes - 16 * 2 ** 20);
  await expect(restore(withChunk(zeros))).rejects.toThrow(
    "The snapshot is invalid: its data file is damaged",
  );
  expect(readdirSync(join(home, "restored"))).toEqual([]);
});

describe("a restore that fails", () => {
  test.each(["ENOSPC", "EIO", "ENOENT"])(
    "with %s leaves the snapshot unchanged, is refused by name, and continues with what was written",
    async (code) => {
      const snapshotHash = () =>
        readdirSync(folder()).map((name) => sha256Hex(readFileSync(join(folder(), name))));
      const before = snapshotHash();
      let writes = 0;
      const failing = async (path: string): Promise<FileHandle> => {
        const file = await open(path, existsSync(path) ? "r+" : "wx+");
        // The overloads of `write` do not accept its parameters as a list.
        const write = file.write.bind(file) as (
          bytes: Buffer,
          ...rest: number[]
        ) => ReturnType<FileHandle["write"]>;
        return Object.assign(file, {
          write: async (bytes: Buffer, ...rest: [number, number, number]) => {
            if (++writes === 2) throw Object.assign(new Error(code), { code });
            return write(bytes, ...rest);
          },
        });
      };
      await expect(restore(folder(), trusted, { openFile: failing })).rejects.toThrow(
        "The same command continues with what was written",
      );
      await expect(openStore(join(home, "restored"), { network })).rejects.toThrow(
        "a snapshot was not restored completely: repeat `holdfast snapshot restore` to continue",
      );
      writes = 10;
      await restore(folder(), trusted, { openFile: failing });
      expect(snapshotHash()).toEqual(before);
      // Only the second chunk was missing.
      expect(writes).toBe(11);
      await expectRestored();
    },
  );
});

describe("over HTTP", () => {
  let server: Server | undefined;

  async function serve(listener: RequestListener): Promise<string> {
    server = createServer(listener);
    await new Promise<void>((listening) => server?.listen(0, "127.0.0.1", listening));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });

  test("a broken download continues where it ended, and redirects are followed", async () => {
    const ranges: (string | undefined)[] = [];
    let broken = 0;
    const url = await serve(({ url: path = "", headers: { range } }, answer) => {
      if (path.startsWith("/old/")) {
        answer.writeHead(302, { location: path.replace("/old/", "/new/") }).end();
        return;
      }
      const file = join(shared, "snapshot", path.slice("/new/".length));
      if (!existsSync(file)) {
        answer.writeHead(404).end();
        return;
      }
      const bytes = readFileSync(file);
      if (path.endsWith("1.gz")) ranges.push(range);
      const from = Number(/^bytes=(\d+)-$/.exec(range ?? "")?.[1] ?? 0);
      if (from > 0)
        answer.writeHead(206, { "content-range": `bytes ${from}-${bytes.length - 1}/${bytes.length}` });
      if (path.endsWith("1.gz") && broken++ < 2) {
        answer.write(bytes.subarray(from, from + 900), () => answer.destroy());
        return;
      }
      answer.end(bytes.subarray(from));
    });
    const directory = join(home, "restored");
    const source = snapshotSource(`${url}/old/manifest.json`, noTimeouts);
    await restoreSnapshot({ source, directory, network, trust: trusted, reserveBytes: 0 });
    await expectRestored();
    expect(ranges.length).toBe(3);
    expect(ranges[0]).toBeUndefined();
    expect(ranges[2]).toMatch(/^bytes=\d+-$/);
  });

  test("a stop ends a download that never ends, and no other attempt begins", async () => {
    let requests = 0;
    const stop = new AbortController();
    const url = await serve(({ url: path = "" }, answer) => {
      requests++;
      if (path.endsWith("manifest.json")) answer.end(readFileSync(join(folder(), "manifest.json")));
      else if (path.endsWith("manifest.sig.json")) answer.writeHead(404).end();
      else answer.write("x", () => stop.abort());
    });
    const source = snapshotSource(url, noTimeouts, stop.signal);
    await expect(verifySnapshot(source, network)).rejects.toThrow("Stopped");
    expect(requests).toBeLessThanOrEqual(4);
  });

  test("a URL with a password is refused without showing the password", async () => {
    const read = async () => snapshotSource("http://me:secret@127.0.0.1/", noTimeouts).read("x", 1);
    await expect(read()).rejects.toThrow(/^(?!.*secret).*http:\/\/127\.0\.0\.1\/ .*user name or a password/);
  });

  test.each<[string, RequestListener, string]>([
    ["too long", (_, answer) => void answer.end(Buffer.alloc(2 ** 24 + 1)), "has more than 16777216 bytes"],
    ["refused", (_, answer) => void answer.writeHead(403).end(), "status 403"],
    ["always unavailable", (_, answer) => void answer.writeHead(503).end(), "status 503 (6 attempts)"],
    [
      "redirected for ever",
      (_, answer) => void answer.writeHead(302, { location: "/x" }).end(),
      "redirects more than 5 times",
    ],
    [
      "redirected elsewhere",
      (_, answer) => void answer.writeHead(302, { location: "file:///etc/passwd" }).end(),
      "redirects to file:",
    ],
  ])("an answer that is %s ends the restore", async (_, listener, text) => {
    const source = snapshotSource(await serve(listener), noTimeouts);
    await expect(verifySnapshot(source, network)).rejects.toThrow(text);
  });
});

describe("a snapshot that fails", () => {
  const create = (options: Parameters<typeof createSnapshot>[1] = {}) =>
    createSnapshot(
      {
        target: join(home, "x"),
        directory: join(shared, "chain"),
        network,
        reserveBytes: 0,
        now: 0,
      },
      options,
    );
  const sourceHash = () => sha256Hex(readFileSync(join(shared, "chain", "data.mdb")));

  test.each([
    ["ENOSPC", "no space is left on the disk"],
    ["EIO", "the disk reported an I/O error"],
    ["ENOENT", "a part of its path is missing"],
  ])("with %s leaves the chain unchanged and no files", async (code, text) => {
    const before = sourceHash();
    const writeFile = async (path: string) => {
      if (path.endsWith("1.gz")) throw Object.assign(new Error(code), { code });
    };
    await expect(create({ writeFile })).rejects.toThrow(
      `Cannot write the snapshot ${join(home, "x")}: ${text}`,
    );
    expect(readdirSync(home)).toEqual([]);
    expect(sourceHash()).toBe(before);
  });

  test("because the process was killed is refused by name, and replaced by the next one", async () => {
    const kept = join(home, "kept");
    const draft = join(home, "x.incomplete");
    const writeFile = async (path: string, bytes: Uint8Array) => {
      writeFileSync(path, bytes);
      // What a kill before the manifest would leave.
      const chunks = readdirSync(draft).filter((name) => name.endsWith(".gz"));
      if (chunks.length < 2) return;
      mkdirSync(kept);
      for (const name of chunks) cpSync(join(draft, name), join(kept, name));
      throw Object.assign(new Error("killed"), { code: "EIO" });
    };
    await expect(create({ writeFile })).rejects.toThrow("I/O error");
    expect(readdirSync(kept).sort()).toEqual(["chunk-000000.gz", "chunk-000001.gz"]);
    await expect(restore(kept)).rejects.toThrow(
      `${kept} has no manifest.json: it is not a complete snapshot`,
    );
    expect(existsSync(join(home, "restored"))).toBe(false);
    cpSync(kept, draft, { recursive: true });
    await create();
    expect(existsSync(draft)).toBe(false);
    await restore(join(home, "x"));
    await expectRestored();
  });

  test("is stopped on request, and foreign files in its place stay", async () => {
    await expect(create({ isStopped: () => true })).rejects.toThrow("Stopped. The snapshot was deleted");
    expect(readdirSync(home)).toEqual([]);
    mkdirSync(join(home, "x.incomplete"));
    writeFileSync(join(home, "x.incomplete", "notes"), "");
    await expect(create()).rejects.toThrow("exists and is not an incomplete snapshot: remove it");
    expect(readdirSync(join(home, "x.incomplete"))).toEqual(["notes"]);
  });

  test("ends after all of its compressions, so that none writes a file later", async () => {
    let checks = 0;
    let writes = 0;
    const stopped = create({
      isStopped: () => ++checks === 2,
      writeFile: async () => {
        writes++;
      },
    });
    await expect(stopped).rejects.toThrow("Stopped. The snapshot was deleted");
    expect(writes).toBe(2);
    expect(readdirSync(home)).toEqual([]);
  });

  test("because another process writes the same snapshot leaves that one complete", async () => {
    let second: Promise<unknown> | undefined;
    const writeFile = async (path: string, bytes: Uint8Array) => {
      second ??= create().catch((error: Error) => error.message);
      expect(await second).toBe(`Another process writes ${join(home, "x.incomplete")}: wait until it ends`);
      writeFileSync(path, bytes);
    };
    await create({ writeFile });
    expect(readdirSync(join(home, "x")).sort()).toEqual([
      "chunk-000000.gz",
      "chunk-000001.gz",
      "manifest.json",
    ]);
    await restore(join(home, "x"));
    await expectRestored();
  });
});

describe("while another process restores to the same directory", () => {
  test("a restore is refused, and the first one completes", async () => {
    const openFile: RestoreOptions["openFile"] = async (path) => {
      await expect(restore(folder())).rejects.toThrow(
        `Another process writes ${join(home, "restored")}: wait until it ends`,
      );
      return open(path, "wx+");
    };
    await restore(folder(), trusted, { openFile });
    await expectRestored();
  });

  test("a restore continues after the other process was killed", async () => {
    mkdirSync(join(home, "restored"));
    const socket = join(home, "restored", ".holdfast-726573746f72.sock");
    const server = createSocketServer().listen(socket);
    await once(server, "listening");
    await expect(restore(folder())).rejects.toThrow("wait until it ends");
    // A killed process leaves its socket behind.
    renameSync(socket, join(home, "left"));
    server.close();
    await once(server, "close");
    renameSync(join(home, "left"), socket);
    await restore(folder());
    await expectRestored();
    expect(readdirSync(join(home, "restored")).filter((name) => name.endsWith(".sock"))).toEqual([]);
  });

  test("a restore changes nothing after the other process has completed one", async () => {
    const original = snapshotSource(folder(), noTimeouts);
    const directory = join(home, "restored");
    const request = { directory, network, trust: trusted, reserveBytes: 0 };
    let isFirst = true;
    const source = {
      ...original,
      read: async (file: string, limit: number) => {
        if (isFirst) {
          isFirst = false;
          await restoreSnapshot({ ...request, source: original });
        }
        return original.read(file, limit);
      },
    };
    await expect(restoreSnapshot({ ...request, source })).rejects.toThrow("contains a chain");
    await expectRestored();
  });
});
