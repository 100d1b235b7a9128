/** The scripts of docs/scripts.md: the page contains the files' text, and the scripts behave as the page says. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { addressOf } from "../src/crypto/addresses.ts";
import { keyPairFromSeed } from "../src/crypto/seeds.ts";
import { type KeyPair, sign } from "../src/crypto/signatures.ts";
import { compileScript, evaluateScript, type Script } from "../src/script/index.ts";
import { bodyBytes, scriptView, type Transaction, type TransactionBase } from "../src/transactions/index.ts";

const docs = join(import.meta.dirname, "../docs");
const chainId = 0x54;
const LTO = 100_000_000n;

const keyOf = (seed: string) => keyPairFromSeed(new TextEncoder().encode(seed));
const [owner, alice, bob, carol, admin] = ["owner", "alice", "bob", "carol", "admin"].map(keyOf);
const addressOfSeed = (seed: string) => addressOf(keyOf(seed).publicKey, chainId);

function read(name: string): Script {
  const result = compileScript(readFileSync(join(docs, "scripts", name), "utf8"));
  if (!result.ok) throw new Error(result.error);
  return result.value;
}

const common = {
  version: 3,
  chainId,
  timestamp: 1_700_000_000_000n,
  sender: { keyType: "ed25519", bytes: owner.publicKey },
  senderAddress: addressOfSeed("owner"),
  fee: LTO,
  proofs: [],
} satisfies Omit<TransactionBase, "type">;

const transfer = (recipient: Uint8Array, amount: bigint): Transaction => ({
  ...common,
  type: 4,
  recipient,
  amount,
  attachment: new Uint8Array(0),
});
const massTransfer = (...amounts: bigint[]): Transaction => ({
  ...common,
  type: 11,
  transfers: amounts.map((amount) => ({ recipient: addressOfSeed("shop"), amount })),
  attachment: new Uint8Array(0),
});
const setScript: Transaction = { ...common, type: 13, script: undefined };
const anchor: Transaction = { ...common, type: 15, anchors: [new Uint8Array(32).fill(1)] };
const lease: Transaction = { ...common, type: 8, recipient: addressOfSeed("shop"), amount: 1n };
const burn: Transaction = { ...common, type: 21, amount: 1n };
const pay = transfer(addressOfSeed("shop"), 1n);

/** The script's verdict on a transaction with proofs of these keys, in this order. */
function verdict(
  script: Script,
  unsigned: Transaction,
  signers: readonly (KeyPair | undefined)[],
  height = 10,
) {
  const body = bodyBytes(unsigned);
  const proofs = signers.map((keys) => (keys === undefined ? new Uint8Array(0) : sign(keys, body)));
  const transaction = { ...unsigned, proofs };
  return evaluateScript(script, { transaction: scriptView(transaction), height, chainId }).outcome;
}

it("every script is in the page word for word", () => {
  const page = readFileSync(join(docs, "scripts.md"), "utf8");
  const files = readdirSync(join(docs, "scripts"));
  expect(files).toHaveLength(5);
  for (const file of files) {
    expect(page).toContain(`\`\`\`\n${readFileSync(join(docs, "scripts", file), "utf8")}\`\`\``);
    expect(page, "the cost").toContain(`Cost: ${read(file).complexity}.`);
  }
});

describe("two of three", () => {
  const script = read("two-of-three.ride");

  it("allows any two signatures at their positions", () => {
    expect(verdict(script, pay, [alice, bob])).toBe("allowed");
    expect(verdict(script, pay, [alice, undefined, carol])).toBe("allowed");
    expect(verdict(script, pay, [undefined, bob, carol])).toBe("allowed");
    expect(verdict(script, setScript, [alice, bob, carol])).toBe("allowed");
  });

  it("rejects one signature, wrong positions, and the account's own key", () => {
    expect(verdict(script, pay, [alice])).toBe("refused");
    expect(verdict(script, pay, [bob, alice])).toBe("refused");
    expect(verdict(script, pay, [alice, alice, alice])).toBe("refused");
    expect(verdict(script, pay, [owner])).toBe("refused");
    expect(verdict(script, pay, [])).toBe("refused");
  });
});

describe("allow-list", () => {
  const script = read("allow-list.ride");

  it("allows payments to listed accounts, and its replacement", () => {
    expect(verdict(script, pay, [owner])).toBe("allowed");
    expect(verdict(script, transfer(addressOfSeed("savings"), 5n), [owner])).toBe("allowed");
    expect(verdict(script, setScript, [owner])).toBe("allowed");
  });

  it("rejects everything else, and everything without the owner's signature", () => {
    expect(verdict(script, transfer(addressOfSeed("alice"), 5n), [owner])).toBe("refused");
    expect(verdict(script, massTransfer(1n), [owner])).toBe("refused");
    expect(verdict(script, lease, [owner])).toBe("refused");
    expect(verdict(script, pay, [alice])).toBe("refused");
  });
});

describe("frozen until a height", () => {
  const script = read("frozen-until-height.ride");

  it("rejects everything before that height", () => {
    expect(verdict(script, pay, [owner], 999_999)).toBe("refused");
    expect(verdict(script, setScript, [owner], 999_999)).toBe("refused");
    // Before that height the script does not read the transaction.
    expect(verdict(script, burn, [owner], 999_999)).toBe("refused");
  });

  it("requires the owner's signature from that height", () => {
    expect(verdict(script, pay, [owner], 1_000_000)).toBe("allowed");
    expect(verdict(script, pay, [alice], 1_000_000)).toBe("refused");
  });
});

describe("anchors only", () => {
  const script = read("anchors-only.ride");

  it("allows anchors with the account's key", () => {
    expect(verdict(script, anchor, [owner])).toBe("allowed");
    expect(verdict(script, anchor, [admin])).toBe("refused");
  });

  it("requires the administrator's key for everything else", () => {
    expect(verdict(script, pay, [owner])).toBe("refused");
    expect(verdict(script, pay, [admin])).toBe("allowed");
    expect(verdict(script, setScript, [admin])).toBe("allowed");
  });

  it("cannot burn: no script that reads the transaction can", () => {
    expect(verdict(script, burn, [admin])).toBe("exception");
  });
});

describe("transfer limit", () => {
  const script = read("transfer-limit.ride");

  it("allows the account's key to spend up to the limit, including the fee", () => {
    expect(verdict(script, transfer(addressOfSeed("shop"), 99n * LTO), [owner])).toBe("allowed");
    expect(verdict(script, massTransfer(50n * LTO, 49n * LTO), [owner])).toBe("allowed");
    expect(verdict(script, transfer(addressOfSeed("shop"), 99n * LTO + 1n), [owner])).toBe("refused");
    expect(verdict(script, massTransfer(50n * LTO, 49n * LTO + 1n), [owner])).toBe("refused");
    expect(verdict(script, lease, [owner])).toBe("refused");
  });

  it("requires the administrator's key above the limit", () => {
    expect(verdict(script, transfer(addressOfSeed("shop"), 1_000n * LTO), [admin])).toBe("allowed");
    expect(verdict(script, lease, [admin])).toBe("allowed");
    expect(verdict(script, pay, [admin])).toBe("refused");
  });
});
