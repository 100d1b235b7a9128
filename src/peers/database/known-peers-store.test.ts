import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { encodeUtf8 } from "../../bytes/utf8.ts";
import type { Log } from "../../interfaces.ts";
import { silentLog } from "../../testing/silent-log.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { formatPeerAddress, parsePeerAddress } from "../peer-address.ts";
import { peerDatabase } from "../testing/peer-database.ts";
import { KnownPeersStore, parsePeersFile, peersFileBytes } from "./known-peers-store.ts";
import { DiskPeersFile, type PeersFile } from "./peers-file.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-peers-"));
  path = join(folder, "data", "peers.json");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function open(file: PeersFile = new DiskPeersFile(path)) {
  const clock = new VirtualClock(1_000);
  const database = peerDatabase(clock, {
    knownPeers: [parsePeerAddress("peer.example.org:6868"), parsePeerAddress("9.9.9.9:9")],
  });
  const warnings: string[] = [];
  const log: Log = { ...silentLog, warn: (message, facts) => warnings.push(`${message}: ${facts?.reason}`) };
  const keeper = new KnownPeersStore(database, file, clock, log);
  const touch = (...texts: string[]) => {
    for (const text of texts) database.touch(parsePeerAddress(text));
  };
  const known = () => database.knownPeers().map(({ address }) => formatPeerAddress(address));
  return { clock, database, keeper, touch, known, warnings };
}

/** A file in memory that counts writes and fails on demand. */
class MemoryFile implements PeersFile {
  readonly path = "peers.json";
  writes = 0;
  failing = false;
  async read(): Promise<Uint8Array | undefined> {
    return undefined;
  }
  async write(): Promise<void> {
    if (this.failing) throw new Error("no space left");
    this.writes++;
  }
  async setAside(): Promise<string> {
    return "aside";
  }
}

/** Settles promises and immediates. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

test("restores known peers after a restart with a new time", async () => {
  const before = open();
  await before.keeper.start();
  before.touch("2.2.2.2:2", "1.1.1.1:1", "[2001:db8::1]:6863");
  before.database.blacklist("2.2.2.2", "it lied");
  await before.keeper.close();
  // Configured names come from the settings.
  expect(readFileSync(path, "utf8")).toBe('["1.1.1.1:1","9.9.9.9:9","[2001:db8::1]:6863"]');
  const after = open();
  await after.keeper.start();
  expect(after.known()).toEqual(["peer.example.org:6868", "9.9.9.9:9", "1.1.1.1:1", "[2001:db8::1]:6863"]);
  expect(after.database.knownPeers()[2].lastSeen).toBe(1_000n);
  expect(after.warnings).toEqual([]);
  await after.keeper.close();
});

test("loses at most half a minute of changes in a kill, and leaves no partial file", async () => {
  const { clock, keeper, touch } = open();
  await keeper.start();
  touch("1.1.1.1:1");
  clock.advance(30_000);
  // The killed node does not close its store, but the file is on the disk.
  await waitFor(() => existsSync(path));
  expect(readFileSync(path, "utf8")).toBe('["1.1.1.1:1","9.9.9.9:9"]');
  // A leftover of a killed write is harmless.
  writeFileSync(join(folder, "data", ".peers.json.new"), '["3.3.3.');
  const after = open();
  await after.keeper.start();
  expect(after.known().slice(2)).toEqual(["1.1.1.1:1"]);
  expect(after.warnings).toEqual([]);
  after.touch("4.4.4.4:4");
  await after.keeper.close();
  expect(readFileSync(path, "utf8")).toBe('["1.1.1.1:1","4.4.4.4:4","9.9.9.9:9"]');
  expect(existsSync(join(folder, "data", ".peers.json.new"))).toBe(false);
});

async function waitFor(condition: () => boolean): Promise<void> {
  while (!condition()) await turn();
}

test("writes the file only when something has changed", async () => {
  const file = new MemoryFile();
  const { clock, keeper, touch } = open(file);
  await keeper.start();
  const interval = async () => {
    clock.advance(30_000);
    await turn();
  };
  for (let i = 0; i < 3; i++) await interval();
  expect(file.writes).toBe(1);
  touch("1.1.1.1:1");
  await interval();
  touch("1.1.1.1:1");
  await interval();
  expect(file.writes).toBe(2);
  await keeper.close();
  expect(file.writes).toBe(2);
  expect(clock.pending).toBe(0);
});

test("warns once when the disk fails, and tries again", async () => {
  const file = new MemoryFile();
  const { clock, keeper, warnings } = open(file);
  file.failing = true;
  await keeper.start();
  for (let i = 0; i < 3; i++) {
    clock.advance(30_000);
    await turn();
  }
  expect(warnings).toEqual(["Cannot write the known peers to peers.json: no space left"]);
  file.failing = false;
  await keeper.close();
  expect(file.writes).toBe(1);
});

test.each([
  ["", "Invalid file"],
  ["[", "Invalid file"],
  ['["1.1.1.1:1",', "Invalid file"],
  ['{"peers":[]}', "the file is not a JSON array"],
  ["[1]", "an entry is not a string"],
  ['["1.1.1.1:x"]', "use a number from 1 to 65535"],
  [`[${" ".repeat(1_048_576)}]`, "the file exceeds 1048576 bytes"],
])("moves an invalid file aside: %.20j", async (content, message) => {
  mkdirSync(join(folder, "data"));
  writeFileSync(path, content);
  const { keeper, touch, known, warnings } = open();
  await keeper.start();
  expect(known()).toEqual(["peer.example.org:6868", "9.9.9.9:9"]);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain(message);
  expect(readFileSync(`${path}.unreadable`, "utf8")).toBe(content);
  touch("1.1.1.1:1");
  await keeper.close();
  expect(readFileSync(path, "utf8")).toBe('["1.1.1.1:1","9.9.9.9:9"]');
});

test("leaves an unreadable file unchanged", async () => {
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o755);
  const { clock, keeper, warnings } = open();
  await keeper.start();
  clock.advance(60_000);
  await keeper.close();
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toMatch(/^Cannot read the known peers in .*: changes are not saved: .*EISDIR/);
  expect(existsSync(path)).toBe(true);
});

test("leaves an invalid file unchanged that it cannot move", async () => {
  const file = new MemoryFile();
  file.read = async () => encodeUtf8("{}");
  file.setAside = async () => {
    throw new Error("the folder is read-only");
  };
  const { clock, keeper, touch, warnings } = open(file);
  await keeper.start();
  touch("1.1.1.1:1");
  clock.advance(60_000);
  await keeper.close();
  expect(file.writes).toBe(0);
  expect(warnings).toEqual([
    "Invalid file of known peers peers.json: cannot move it, so changes are not saved: the file is not a JSON array",
  ]);
});

test("uses the format of the reference", () => {
  const list = [parsePeerAddress("203.0.113.7:6868"), { host: "198.51.100.20", port: 6863 }];
  expect(parsePeersFile(encodeUtf8('["203.0.113.7:6868","198.51.100.20"]'))).toEqual(list);
  expect(parsePeersFile(peersFileBytes(list))).toEqual([...list].reverse());
});
