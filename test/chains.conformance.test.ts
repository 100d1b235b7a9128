/** Imports whole chains recorded from the reference through the normal path. README of `chains/`. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { refusalFailure, requestFailure, validationFailure } from "../src/api/refusals.ts";
import { type Block, buildBlock } from "../src/blocks/block.ts";
import { buildMicroBlock } from "../src/blocks/micro-block.ts";
import { parseBlock } from "../src/blocks/testing/parse-block.ts";
import { decodeBase58, encodeBase58 } from "../src/bytes/base58.ts";
import { JsonNumber, type JsonObject, type JsonValue, parseJson, printJson } from "../src/bytes/json.ts";
import { ByteReader } from "../src/bytes/reader.ts";
import { ByteWriter } from "../src/bytes/writer.ts";
import type { Chain } from "../src/chain/chain.ts";
import type { AppendResult } from "../src/chain/deciding/block-refusal.ts";
import { chainReader } from "../src/chain/snapshot.ts";
import { atOnce } from "../src/chain/testing/at-once.ts";
import { addressText, parseAddress } from "../src/crypto/addresses.ts";
import type { KeyPair } from "../src/crypto/signatures.ts";
import type { ApiFailure } from "../src/http/errors.ts";
import type { ChainReader } from "../src/interfaces.ts";
import { checkRequest } from "../src/ledger/admission.ts";
import type { Mempool } from "../src/mempool/mempool.ts";
import { allOf } from "../src/mempool/testing/all-of.ts";
import { readerContext } from "../src/node/composition.ts";
import { createNode } from "../src/node.ts";
import { customProfile, type NetworkProfile } from "../src/profiles/index.ts";
import { memoryStore } from "../src/storage/memory-store.ts";
import type { Store } from "../src/storage/store.ts";
import { settingsOf } from "../src/testing/settings.ts";
import { simulatedEnvironment } from "../src/testing/simulated-environment.ts";
import { VirtualClock } from "../src/testing/virtual-clock.ts";
import { transactionFromRequest, transactionId } from "../src/transactions/index.ts";
import { fixedWallet } from "../src/wallet/fixed-wallet.ts";
import { JsonComparison } from "./replay/json-compare.ts";
import { hasVectors, vectorsPath } from "./vectors.ts";

/** Later than every block of the recordings. */
const NOW = Date.UTC(2030, 0, 1);

const BLOCKS_PER_COMMIT = 50;

/** A node's chain and pool, without a disk. */
class RecordedChain {
  readonly folder: string;
  readonly profile: NetworkProfile;
  readonly blocks: readonly Block[];
  readonly store: Store = memoryStore();
  readonly clock = new VirtualClock(NOW);
  readonly chain: Chain;
  readonly pool: Mempool;
  readonly reader: ChainReader;

  constructor(name: string) {
    this.folder = vectorsPath(`chains/${name}`);
    this.profile = customProfile(this.text("genesis.json"));
    this.blocks = this.readBlocks();
    const { profile, clock, store } = this;
    const environment = simulatedEnvironment({ clock, store, wallet: fixedWallet([], profile.chainId) });
    const settings = settingsOf(profile);
    const { chain, pool, trust } = createNode(environment, settings);
    this.chain = chain;
    this.pool = pool;
    this.reader = chainReader(store, readerContext(settings, chain.rules, trust));
  }

  text(file: string): string {
    return readFileSync(`${this.folder}/${file}`, "utf8");
  }

  has(file: string): boolean {
    return existsSync(`${this.folder}/${file}`);
  }

  /** The lines of a compressed file. */
  lines(file: string): JsonObject[] {
    const text = gunzipSync(readFileSync(`${this.folder}/${file}`)).toString("utf8");
    const lines = text.split("\n").filter((line) => line !== "");
    expect(lines.length).toBeGreaterThan(0);
    return lines.map((line) => parseJson(line, { maxDepth: 1000 }) as JsonObject);
  }

  /** Accepts every block, in groups, and persists the last one. */
  importAll(): void {
    for (let first = 0; first < this.blocks.length; first += BLOCKS_PER_COMMIT) {
      const group = this.chain.beginGroup();
      for (const block of this.blocks.slice(first, first + BLOCKS_PER_COMMIT)) {
        mustAppend(group.append(block));
      }
      group.commit();
    }
    this.chain.persistTip();
  }

  private readBlocks(): Block[] {
    const reader = new ByteReader(new Uint8Array(readFileSync(`${this.folder}/blocks.bin`)));
    const blocks: Block[] = [];
    while (reader.remaining > 0) blocks.push(parseBlock(reader.bytes(reader.i32()), this.profile));
    return blocks;
  }
}

function member(object: JsonObject, name: string): JsonValue {
  const value = object.get(name);
  if (value === undefined) throw new Error(`no member ${name}`);
  return value;
}

function integer(value: JsonValue): bigint {
  if (!(value instanceof JsonNumber)) throw new Error(`${printJson(value)} is no number`);
  return value.toBigInt();
}

/** The figures of a block that only the state determines, as the recording has them. */
function stateFigures(block: JsonObject): unknown {
  const transactions = member(block, "transactions") as readonly JsonObject[];
  return {
    fee: integer(member(block, "fee")),
    burnedFees: integer(member(block, "burnedFees")),
    miningReward: integer(member(block, "miningReward")),
    generatorReward: integer(member(block, "generatorReward")),
    fees: transactions.map((transaction) => integer(member(transaction, "effectiveFee"))),
    sponsors: transactions.map((transaction) => transaction.get("effectiveSponsor")),
  };
}

// ----------------------------------------------------------------------------------------- refused attempts

interface Attempt {
  readonly line: number;
  readonly height: number;
  readonly time: number;
  readonly transaction: JsonValue;
  readonly status: number;
  readonly response: JsonValue;
}

const attemptMembers = ["height", "time", "why", "transaction", "status", "response"];

function readAttempts(recorded: RecordedChain): Attempt[] {
  return recorded.lines("rejected.jsonl.gz").map((line, i) => {
    for (const name of line.keys())
      if (!attemptMembers.includes(name)) throw new Error(`unknown member ${name}`);
    return {
      line: i + 1,
      height: Number(integer(member(line, "height"))),
      time: Number(integer(member(line, "time"))),
      transaction: member(line, "transaction"),
      status: Number(integer(member(line, "status"))),
      response: member(line, "response"),
    };
  });
}

/** The answer of `POST /transactions/broadcast` to a rejected request. Page 06 §7.5. */
function answer(recorded: RecordedChain, { transaction: json }: Attempt): ApiFailure | undefined {
  const { chain, pool, reader, profile } = recorded;
  const request = transactionFromRequest(json, { network: profile });
  if (!request.ok) return requestFailure(request.error);
  const { transaction } = request.value;
  const refusal = reader.read((snapshot) =>
    chain.ledger((stored) => {
      const ledger = Object.assign(stored, {
        transaction: (id: Uint8Array) => snapshot.transactions.byId(id),
      });
      return checkRequest(ledger, transaction);
    }),
  );
  if (refusal !== undefined) return validationFailure(refusal);
  const added = pool.add(transaction);
  if (added.ok) {
    pool.remove(allOf(pool).map(transactionId));
    return undefined;
  }
  return refusalFailure(added.error);
}

/** Returns true if an answer is the recorded one, except for the placeholders that the README defines. */
function isRecorded(attempt: Attempt, actual: ApiFailure): boolean {
  // The reference failed with an exception, so any rejection is correct.
  if (attempt.status === 500) return actual.status >= 400 && actual.status < 500;
  const body = parseJson(printJson(actual.body)) as JsonObject;
  const expected = new Map(attempt.response as JsonObject);
  const message = String(expected.get("message"));
  const id = (body.get("tx") as JsonObject | undefined)?.get("id");
  // The recording has an internal object of the reference in place of the id.
  if (message.includes("Coeval.Suspend$")) {
    const text = message.replace(/[\w.]*Coeval\.Suspend\$\w+(\(.*?\))?/, String(id));
    expected.set("message", text.replace(/ scala\.\S+/, ""));
  }
  const anyLimit = /Max bytes of \S+@\S+ reached/;
  if (anyLimit.test(message)) {
    if (!/Max bytes|too (big|large|long)/i.test(String(body.get("message")))) return false;
    expected.set("message", body.get("message") ?? null);
  }
  return actual.status === attempt.status && new JsonComparison({}).differences(expected, body).length === 0;
}

/** Follows the chain block by block. At each height it makes the attempts on every prefix of the block. */
function checkAttempts(recorded: RecordedChain, attempts: readonly Attempt[]): string[] {
  const { chain, clock, blocks } = recorded;
  const keys = new Map<string, KeyPair>();
  for (const account of parseJson(recorded.text("accounts.json")) as readonly JsonObject[]) {
    if (account.get("keyType") !== "ed25519") continue;
    const publicKey = decodeBase58(String(member(account, "publicKey")), 1_000);
    const privateKey = decodeBase58(String(member(account, "privateKey")), 1_000);
    keys.set(encodeBase58(publicKey), { keyType: "ed25519", publicKey, privateKey });
  }
  const unlike: string[] = [];
  for (const [i, block] of blocks.entries()) {
    const height = i + 2;
    const open = new Map(attempts.filter((attempt) => attempt.height === height).map((a) => [a, "nothing"]));
    if (open.size > 0) {
      const keyPair = keys.get(encodeBase58(block.generator));
      if (keyPair === undefined) throw new Error(`no key of the generator of block ${height}`);
      let total = buildBlock({ ...block, transactions: [] }, keyPair);
      mustAppend(atOnce(chain.accept(total)));
      for (let k = 0; ; k++) {
        for (const attempt of open.keys()) {
          clock.jump(attempt.time);
          const actual = answer(recorded, attempt);
          if (actual !== undefined && isRecorded(attempt, actual)) open.delete(attempt);
          else open.set(attempt, actual === undefined ? "not refused" : printJson(actual.body));
        }
        clock.jump(NOW);
        if (k >= block.transactions.length || open.size === 0) break;
        const next = buildMicroBlock(total, [block.transactions[k]], keyPair);
        mustAppend(atOnce(chain.acceptMicroBlock(next.micro)));
        total = next.total;
      }
      for (const [attempt, last] of open)
        unlike.push(`line ${attempt.line}: ${printJson(attempt.response)} but ${last}`);
      chain.removeAfter(block.reference, { returnTransactions: false });
    }
    mustAppend(atOnce(chain.accept(block)));
  }
  return unlike;
}

function mustAppend(result: AppendResult): void {
  if (!result.ok) throw new Error(result.error.printed);
}

// -------------------------------------------------------------------------------------------------- the tests

const names = hasVectors("chains")
  ? readdirSync(vectorsPath("chains")).filter((name) => hasVectors(`chains/${name}/blocks.bin`))
  : [];

test.skipIf(!hasVectors("chains"))("there are recorded chains", () => {
  expect(names.length).toBeGreaterThan(0);
});

/** Large: `bench/import` measures it. This test runs it only with external data. */
const LARGE = "load";

describe.each(names)("recorded chain %s", (name) => {
  if (name === LARGE && process.env.HOLDFAST_VECTORS === undefined) {
    test.skip("is imported by the benchmark");
    return;
  }
  const recorded = new RecordedChain(name);
  const finalHeight = recorded.blocks.length + 1;

  beforeAll(() => {
    recorded.importAll();
  });

  test("is accepted completely, and its last block is persisted", () => {
    expect(recorded.chain.tip).toMatchObject({
      height: finalHeight,
      persistedHeight: finalHeight,
      liquid: false,
    });
    expect(recorded.chain.tip.id).toEqual(recorded.blocks.at(-1)?.signature);
  });

  test("is exported byte for byte as it was imported", () => {
    const writer = new ByteWriter();
    recorded.reader.read((chain) => {
      for (let height = 2; height <= finalHeight; height++) {
        const bytes = chain.blocks.bytesAt(height);
        if (bytes === undefined) throw new Error(`no block ${height}`);
        writer.i32(bytes.length).bytes(bytes);
      }
    });
    const file = readFileSync(`${recorded.folder}/blocks.bin`);
    expect(Buffer.compare(writer.toBytes(), file)).toBe(0);
  });

  test.skipIf(!recorded.has("blocks.jsonl.gz"))("has the recorded ids, fees, rewards and sponsors", () => {
    const lines = recorded.lines("blocks.jsonl.gz");
    expect(lines).toHaveLength(finalHeight);
    recorded.reader.read((chain) => {
      for (const line of lines) {
        const height = Number(integer(member(line, "height")));
        const expected = member(line, "block") as JsonObject;
        const block = chain.blocks.at(height);
        if (block === undefined) throw new Error(`no block ${height}`);
        expect(encodeBase58(block.id)).toBe(member(expected, "signature"));
        expect(addressText(block.generator)).toBe(member(expected, "generator"));
        expect(block.size).toBe(Number(integer(member(expected, "blocksize"))));
        const { fee, burnedFees, miningReward, generatorReward, transactions } = block;
        expect({
          fee,
          burnedFees,
          miningReward,
          generatorReward,
          fees: transactions.map(({ effectiveFee }) => effectiveFee),
          sponsors: transactions.map(
            ({ effectiveSponsor }) => effectiveSponsor && addressText(effectiveSponsor),
          ),
        }).toEqual(stateFigures(expected));
      }
    });
  });

  test.skipIf(!recorded.has("state"))("has the recorded balances at the recorded heights", () => {
    const files = readdirSync(`${recorded.folder}/state`);
    expect(files.length).toBeGreaterThan(0);
    recorded.reader.read((chain) => {
      for (const file of files) {
        const height = Number(/^h-(\d+)\.json$/.exec(file)?.[1]);
        const expected = parseJson(recorded.text(`state/${file}`)) as JsonObject;
        const actual = [...chain.accounts.distribution(height)].map(
          ({ address, balance }) => [addressText(address), String(balance)] as const,
        );
        expect(new Map(actual)).toEqual(
          new Map([...expected].map(([address, n]) => [address, printJson(n)])),
        );
      }
    });
  });

  test.skipIf(!recorded.has("state.txt"))("has the recorded balances at the end", () => {
    const lines = recorded.text("state.txt").trim().split("\n");
    expect(lines.length).toBeGreaterThan(0);
    recorded.reader.read((chain) => {
      const actual = [...chain.accounts.distribution(finalHeight)].map(
        ({ address, balance }) => `${addressText(address)} ${balance}`,
      );
      expect(actual.sort()).toEqual(lines.sort());
    });
  });

  test.skipIf(!recorded.has("routes.jsonl.gz"))("has the recorded details of every account", () => {
    const path = "/addresses/balance/details/";
    let compared = 0;
    recorded.reader.read((chain) => {
      for (const line of recorded.lines("routes.jsonl.gz")) {
        const route = String(line.get("path"));
        if (!route.startsWith(path) || Number(integer(member(line, "status"))) !== 200) continue;
        const expected = parseJson(String(member(line, "body"))) as JsonObject;
        const address = parseAddress(String(member(expected, "address")), recorded.profile.chainId);
        const { balance, leaseIn, leaseOut, unbonding } = chain.accounts.info(address);
        const actual = {
          regular: balance,
          generating: chain.accounts.generatingBalance(address),
          available: balance - leaseOut - unbonding,
          effective: balance + leaseIn - leaseOut,
          leasing: leaseOut,
          unbonding,
        };
        for (const [figure, value] of Object.entries(actual))
          expect(`${route} ${figure} ${value}`).toBe(
            `${route} ${figure} ${integer(member(expected, figure))}`,
          );
        compared++;
      }
    });
    expect(compared).toBeGreaterThan(0);
  });

  test.skipIf(!recorded.has("rejected.jsonl.gz"))(
    "rejects what the reference rejected, with the recorded answer",
    () => {
      const other = new RecordedChain(name);
      expect(checkAttempts(other, readAttempts(other))).toEqual([]);
      expect(other.chain.tip.id).toEqual(recorded.chain.tip.id);
    },
  );
});
