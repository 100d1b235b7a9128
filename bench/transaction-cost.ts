/**
 * Compares the cost of the most expensive transaction of each type with its fee: reading it from a request (HTTP
 * thread), its signature and id (checker threads), its validation for the pool, and its part of a block including the
 * commit (writer). Figures are processor time of the measuring thread; Linux only. Then the same signature with the
 * other kinds of keys.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseJson, printJson } from "../src/bytes/json.ts";
import { addressOf } from "../src/crypto/addresses.ts";
import type { KeyPair } from "../src/crypto/signatures.ts";
import { ecdsaPublicKey } from "../src/crypto/testing/ecdsa-public-key.ts";
import { eraAt } from "../src/ledger/era.ts";
import { minimumFee } from "../src/ledger/fees.ts";
import { verifyProofOnce } from "../src/ledger/verdicts.ts";
import { networkIdentity } from "../src/node/composition.ts";
import { dev } from "../src/profiles/index.ts";
import { StoredLedgerView } from "../src/storage/ledger/ledger-view.ts";
import { openStore } from "../src/storage/store.ts";
import { DevNode, keyPairOf, rootKeyPair } from "../src/testing/dev-node.ts";
import { certificate, spenders } from "../src/testing/random-transactions.ts";
import {
  definitions,
  parseTransaction,
  type Transaction,
  transactionBytes,
  transactionFromRequest,
  transactionId,
  transactionJson,
} from "../src/transactions/index.ts";
import { appendBlock, DEAREST, freshAddress, hashOf, LTO, nextTime, signedOf } from "./dear-transactions.ts";
import { report } from "./figures.ts";
import { inHome, whole } from "./support.ts";

const network = { chainId: dev.chainId, payment: true };
const TURNS = 5;
/** Transactions of one type per block; fewer if the block is full earlier, or if one takes long. */
const TOGETHER = 200;
const FEW = 20;
const BLOCK = 1_000_000;

interface Figures {
  readonly name: string;
  readonly bytes: number;
  readonly fee: bigint;
  /** Microseconds. */
  readonly request: number;
  readonly check: number;
  readonly judge: number;
  readonly apply: number;
}

function never(name: string): never {
  throw new Error(`Missing transaction of type ${name}`);
}

/**
 * Processor time of this thread, microseconds, as the system counts it: it does not depend on the load of the machine.
 */
function threadTime(): number {
  return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[0]) / 1_000;
}

/** Processor time of this thread per item, microseconds. */
function us(count: number, task: () => void): number {
  const start = threadTime();
  task();
  return (threadTime() - start) / count;
}

await inHome(async (home) => {
  const store = await openStore(join(home, "chain"), { network: networkIdentity(dev), rollbackDepth: 100 });
  const node = new DevNode({ store });
  let serial = 0;
  const rules = {
    chainId: dev.chainId,
    functionality: dev.functionality,
    maxTransactionsInMicroBlock: 255,
  };
  const feeOf = (transaction: Transaction): bigint =>
    store.read((reader) => {
      const view = new StoredLedgerView(reader);
      return minimumFee(transaction, eraAt(view, rules, view.height)) ?? 0n;
    });

  /** Total cost of an empty block. */
  const empty = (): number => {
    const time = nextTime(node);
    return us(1, () => appendBlock(node, time, []));
  };

  /**
   * * @param senders sender of the transaction with a given serial number
   * * @param before what a block must contain before the transactions with these serial numbers
   */
  function measure(
    name: string,
    senders: (serial: number) => KeyPair,
    members: (serial: number) => Record<string, unknown>,
    before?: (serials: readonly number[], time: bigint) => Transaction[],
  ): Figures {
    const example = transactionBytes(
      signedOf(name, DEAREST[name]?.(serial) ?? members(serial), nextTime(node), senders(serial)),
    );
    const size = example.length;
    const count = Math.min(name === "set script" ? FEW : TOGETHER, Math.floor(BLOCK / size));
    const turns = Array.from({ length: TURNS }, () => {
      const serials = Array.from({ length: count }, () => serial++);
      if (before !== undefined) {
        const time = nextTime(node);
        appendBlock(node, time, before(serials, time));
      }
      const time = nextTime(node);
      const made = serials.map((n) => signedOf(name, members(n), time - BigInt(n % 4_000), senders(n)));
      // Read it as a client sends it, and as the writer thread receives it.
      const texts = made.map((transaction) => printJson(transactionJson(transaction)));
      const bytes = made.map((transaction) => transactionBytes(transaction).slice());
      const request = us(count, () => {
        for (const text of texts)
          if (!transactionFromRequest(parseJson(text), { network }).ok)
            throw new Error(`${name}: request could not be read`);
      });
      const read: Transaction[] = [];
      const check = us(count, () => {
        for (const one of bytes) {
          const transaction = parseTransaction(one, network);
          transactionId(transaction);
          if (!verifyProofOnce(transaction, 0, transaction.sender))
            throw new Error(`${name}: signature is invalid`);
          read.push(transaction);
        }
      });
      node.clock.advance(Number(time) - node.clock.now());
      const judge = us(count, () => {
        for (const transaction of read) {
          const answer = node.pool.add(transaction);
          if (!answer.ok) throw new Error(`${name}: ${answer.error.kind}`);
        }
      });
      const apply = (us(1, () => appendBlock(node, time, read)) - empty()) / count;
      return { request, check, judge, apply };
    });
    // Use the mean, since the system counts in steps of a millisecond or more. The first turn compiles the code.
    const of = (part: keyof (typeof turns)[number]): number =>
      turns.slice(1).reduce((sum, turn) => sum + turn[part], 0) / (TURNS - 1);
    return {
      name,
      bytes: size,
      fee: feeOf(parseTransaction(example, network)),
      request: of("request"),
      check: of("check"),
      judge: of("judge"),
      apply: of("apply"),
    };
  }

  const root = (): KeyPair => rootKeyPair;
  const attachment = new Uint8Array(0);
  /** Funds the senders of some serial numbers. */
  const fund =
    (senders: (serial: number) => KeyPair) =>
    (serials: readonly number[], time: bigint): Transaction[] => {
      const keys = new Set(serials.map((n) => senders(n)));
      const amount = (20_000n * LTO) / BigInt(keys.size);
      const transfers = [...keys].map(({ publicKey }) => ({
        recipient: addressOf(publicKey, dev.chainId),
        amount,
      }));
      return [signedOf("mass transfer", { transfers, attachment }, time)];
    };
  const rows: Figures[] = [];
  for (let i = 0; i < 3; i++) empty();
  for (const { name } of definitions) {
    const members = DEAREST[name];
    if (name === "genesis") continue;
    if (name === "set script") {
      // A script runs on each transaction of its account, so each transaction has its own sender.
      const senders = (n: number): KeyPair => keyPairOf(`scripted ${n}`);
      rows.push(measure(name, senders, members ?? never(name), fund(senders)));
    } else if (name === "cancel lease") {
      const ids = new Map<number, Uint8Array>();
      const lease = (serials: readonly number[], time: bigint): Transaction[] =>
        serials.map((n) => {
          const made = signedOf("lease", { recipient: freshAddress(`lent ${n}`), amount: 1n }, time);
          ids.set(n, transactionId(made));
          return made;
        });
      rows.push(measure(name, root, (n) => ({ leaseId: ids.get(n) ?? new Uint8Array(32) }), lease));
    } else if (name === "cancel sponsorship" || name === "revoke association") {
      const first = name === "cancel sponsorship" ? "sponsorship" : "issue association";
      const made = (n: number): Record<string, unknown> => ({
        ...DEAREST[name]?.(n),
        ...(first === "issue association" ? { data: [] } : {}),
      });
      const before = (serials: readonly number[], time: bigint): Transaction[] =>
        serials.map((n) => signedOf(first, made(n), time));
      rows.push(measure(name, root, members ?? never(name), before));
    } else if (name === "certificate") {
      const holder = (): KeyPair => spenders[4] as KeyPair;
      rows.push(measure(name, holder, () => ({ certificate }), fund(holder)));
    } else rows.push(measure(name, root, members ?? never(name)));
  }
  const privateKey = hashOf("private");
  const others = (["secp256k1", "secp256r1"] as const).map(
    (keyType): KeyPair => ({ keyType, privateKey, publicKey: ecdsaPublicKey(keyType, privateKey) }),
  );
  for (const keys of others) {
    const recipient = addressOf(keys.publicKey, dev.chainId);
    const time = nextTime(node);
    appendBlock(node, time, [signedOf("transfer", { recipient, amount: 100_000n * LTO, attachment }, time)]);
    const figures = measure(
      "transfer",
      () => keys,
      (n) => ({
        recipient: freshAddress(`by ${keys.keyType} ${n}`),
        amount: 1n,
        attachment,
      }),
    );
    rows.push({ ...figures, name: `transfer, ${keys.keyType}` });
  }
  console.log(
    "type                    bytes   fee, tokens   request (HTTP)   check (threads)   judge (writer)   apply (writer)   writer µs for 0.01 tokens",
  );
  for (const { name, bytes, fee, request, check, judge, apply } of rows) {
    const tokens = Number(fee) / Number(LTO);
    console.log(
      `${name.padEnd(20)} ${whole(bytes).padStart(8)} ${tokens.toFixed(5).padStart(13)} ${whole(request).padStart(16)} ${whole(check).padStart(17)} ${whole(judge).padStart(16)} ${whole(apply).padStart(16)} ${((judge + apply) / (tokens * 100)).toFixed(1).padStart(27)}`,
    );
    report(`${name}: writer for a fee of 0.01 tokens`, (judge + apply) / (tokens * 100), "µs");
  }
  await store.close();
});
