import { describe, expect, test } from "vitest";
import { encodeBase58 } from "../bytes/base58.ts";
import { addressText } from "../crypto/addresses.ts";
import type { PublicKey } from "../crypto/key-types.ts";
import { copyTransaction, type Transaction, transactionId } from "../transactions/index.ts";
import { TransactionRecord } from "../transactions/record.ts";
import { admitToPool, checkPoolFee, checkRequest } from "./admission.ts";
import { poolContext } from "./block.ts";
import { eraAt } from "./era.ts";
import { errorMessage, Refusal, refusalMessage, refuse } from "./refusal.ts";
import type { MemoryLedger } from "./testing/memory-ledger.ts";
import { SCENARIO_CHAIN_ID } from "./testing/scenario-world.ts";
import { type Draft, SmallChain, type SmallChainOptions } from "./testing/small-chain.ts";
import { type Outcome, type ValidationContext, validateTransaction } from "./validate.ts";

const transfer: Draft = { type: "transfer", recipient: "bob", amount: "1" };

function contextOf(chain: SmallChain, more: Partial<ValidationContext> = {}): ValidationContext {
  const height = chain.ledger.height + 1;
  return {
    era: eraAt(chain.ledger, chain.rules, height),
    blockTimestamp: BigInt(chain.timeOf(height)),
    parentTimestamp: BigInt(chain.timeOf(height - 1)),
    verdicts: () => true,
    ...more,
  };
}

function refusedAs(result: Outcome | Refusal | undefined): Refusal {
  if (!(result instanceof Refusal)) throw new Error("it was accepted");
  return result;
}

describe("signatures", () => {
  const asked: [number, PublicKey][] = [];
  const only =
    (...valid: readonly [number, string][]) =>
    (chain: SmallChain) =>
    (_: Transaction, proof: number, key: PublicKey): boolean => {
      asked.push([proof, key]);
      return valid.some(
        ([at, name]) => at === proof && chain.world.account(name).publicKey.bytes === key.bytes,
      );
    };
  const judge = (draft: Draft, verdicts: ReturnType<typeof only>) => {
    const chain = new SmallChain();
    const transaction = chain.transaction(draft);
    // Keys of a parsed transaction are other objects: compare by content.
    const byContent = (tx: Transaction, proof: number, key: PublicKey): boolean => {
      const name = chain.world
        .names()
        .find(
          (known) => encodeBase58(chain.world.account(known).publicKey.bytes) === encodeBase58(key.bytes),
        );
      return verdicts(chain)(tx, proof, name === undefined ? key : chain.world.account(name).publicKey);
    };
    return {
      chain,
      transaction,
      result: validateTransaction(chain.ledger, transaction, contextOf(chain, { verdicts: byContent })),
    };
  };

  test("the given verdicts decide, proof by proof, until one is valid", () => {
    asked.length = 0;
    const sponsored = { ...transfer, sponsor: "carol" };
    const { chain, transaction, result } = judge(sponsored, only([1, "alice"], [0, "carol"]));
    expect(asked.map(([proof]) => proof)).toEqual([0, 1, 1, 0]);
    // The proofs are valid, but the sponsor cannot pay the fee.
    expect(refusedAs(result).kind).toBe("AccountBalanceError");
    expect(refusedAs(result).transaction).toBe(transaction);
    expect(refusedAs(result).args[0]).toContain(addressText(chain.world.address("carol")));
  });

  test("the error names a sponsor who did not sign", () => {
    const { chain, result } = judge({ ...transfer, sponsor: "carol" }, only([0, "alice"], [1, "alice"]));
    const carol = addressText(chain.world.address("carol"));
    expect(refusedAs(result).args[0]).toMatch(
      `Proof doesn't validate as signature of ${carol} for {"type":4,`,
    );
  });

  test("without verdicts the signatures are checked", () => {
    const chain = new SmallChain();
    const context = contextOf(chain, { verdicts: undefined });
    expect(
      refusedAs(validateTransaction(chain.ledger, chain.transaction(transfer), context)).args[0],
    ).toMatch(/^Proof doesn't validate/);
    const signed = chain.world.transaction({
      ...transfer,
      ref: "signed",
      version: 3,
      sender: "alice",
      fee: "100000000",
      timestamp: chain.timeOf(2),
      proofs: ["alice"],
    });
    expect(validateTransaction(chain.ledger, signed, context)).not.toBeInstanceOf(Refusal);
  });
});

describe("known ids", () => {
  /** A transfer in block 2, then blocks until it is older than two hours at the next one. */
  function aged(heights: number): { chain: SmallChain; transaction: Transaction } {
    const chain = new SmallChain();
    const timestamp = chain.timeOf(2);
    const transaction = chain.transaction({ ...transfer, timestamp });
    chain.tryKey("miner", [transaction]);
    while (chain.ledger.height < heights) chain.key("miner");
    return { chain, transaction };
  }
  /** Disables the age rule, to test only known ids. */
  const young = { parentTimestamp: undefined };

  test("an id is forgotten when it is older than two hours at the new block", () => {
    // Block 122 is dated exactly two hours after block 2.
    const exact = aged(121);
    const known = validateTransaction(exact.chain.ledger, exact.transaction, contextOf(exact.chain, young));
    expect(refusedAs(known).args).toEqual([encodeBase58(transactionId(exact.transaction)), 0]);
    const later = aged(122);
    expect(
      validateTransaction(later.chain.ledger, later.transaction, contextOf(later.chain, young)),
    ).not.toBeInstanceOf(Refusal);
    const strict = contextOf(later.chain, { ...young, refuseEveryDuplicate: true });
    expect(refusedAs(validateTransaction(later.chain.ledger, later.transaction, strict)).kind).toBe(
      "AlreadyInTheState",
    );
  });

  test("ids of the parent are never forgotten", () => {
    const { chain, transaction } = aged(2);
    const context = contextOf(chain, { ...young, blockTimestamp: BigInt(chain.timeOf(500)) });
    expect(refusedAs(validateTransaction(chain.ledger, transaction, context)).kind).toBe("AlreadyInTheState");
  });

  test("the pool refuses every known id", () => {
    const { chain, transaction } = aged(130);
    const context = {
      ...poolContext(chain.ledger, chain.rules, BigInt(chain.timeOf(2))),
      verdicts: () => true,
      ...young,
    };
    expect(refusedAs(admitToPool(chain.ledger, transaction, context)).kind).toBe("AlreadyInTheState");
  });
});

describe("payment", () => {
  function payment(chain: SmallChain, recipient: string): Transaction {
    const record = new TransactionRecord(2, 1, SCENARIO_CHAIN_ID);
    record.timestamp = BigInt(chain.timeOf(2));
    record.sender = chain.world.account("alice").publicKey;
    record.fee = 100_000_000n;
    record.set("recipient", chain.world.address(recipient));
    record.set("amount", 500n);
    const unsigned = record.complete(SCENARIO_CHAIN_ID) as unknown as Transaction;
    return copyTransaction(unsigned, { proofs: [new Uint8Array(64)] });
  }
  const options: SmallChainOptions = { settings: { burnAddresses: ["dave"] } };

  test("moves tokens and burns like a transfer", () => {
    const chain = new SmallChain(options);
    const before = chain.ledger.blockTotals(1)?.burned ?? 0n;
    chain.tryKey("miner", [payment(chain, "bob")]);
    expect(chain.balance("bob")).toBe(500n);
    chain.tryKey("miner", [payment(chain, "dave")]);
    expect(chain.balance("dave")).toBe(0n);
    expect(chain.ledger.blockTotals(3)?.burned).toBe(before + 50_000_000n + 50_000_000n + 500n);
  });

  test("has the fee of a transfer, and its check of sendable funds", () => {
    const chain = new SmallChain({ ...options, balances: { alice: "100000499" } });
    expect(
      refusedAs(validateTransaction(chain.ledger, payment(chain, "bob"), contextOf(chain))).args[0],
    ).toMatch(/^Attempt to transfer unavailable funds: /);
    const old = new SmallChain({ ...options, features: {} });
    expect(checkPoolFee(payment(old, "bob"), eraAt(old.ledger, old.rules, 2))).toBeUndefined();
  });

  test("cannot come from a scripted account", () => {
    const chain = new SmallChain(options);
    chain.key("miner", [{ type: "setScript", script: "TRUE" }]);
    expect(
      refusedAs(validateTransaction(chain.ledger, payment(chain, "bob"), contextOf(chain))).args[0],
    ).toBe("Can't process transaction with signature from scripted account");
  });
});

describe("the pool", () => {
  const now = (chain: SmallChain) => ({
    ...poolContext(chain.ledger, chain.rules, BigInt(chain.timeOf(chain.ledger.height))),
    verdicts: () => true,
  });

  test("checks the fee first, with its own text", () => {
    const chain = new SmallChain();
    const cheap = chain.transaction({ type: "massTransfer", transfers: [], fee: "99999999" });
    const refusal = refusedAs(admitToPool(chain.ledger, cheap, now(chain)));
    expect(refusal.isWrapped).toBe(false);
    expect(refusalMessage(refusal)).toBe(
      "Fee for mass transfer transaction (99999999) does not exceed minimal value of 100000000",
    );
    const enough = chain.transaction({ type: "massTransfer", transfers: [], fee: "100000000" });
    expect(admitToPool(chain.ledger, enough, now(chain))).not.toBeInstanceOf(Refusal);
  });

  test("refuses types without a fee rule in the era", () => {
    const chain = new SmallChain({ features: { 15: 9 } });
    const burn = chain.transaction({ type: "burn", amount: "1" });
    expect(refusedAs(admitToPool(chain.ledger, burn, now(chain)))).toMatchObject({
      kind: "UnsupportedTransactionType",
      isWrapped: false,
    });
  });

  test("judges at the current height, by the clock and the last block", () => {
    const chain = new SmallChain({ features: { 1: 0, 4: 0, 13: 2 } });
    const cheap = chain.transaction({ ...transfer, fee: "99999999" });
    expect(refusedAs(admitToPool(chain.ledger, cheap, now(chain))).kind).toBe("InsufficientFee");
    const rich = chain.transaction({ ...transfer, fee: "200000000" });
    const refusal = refusedAs(admitToPool(chain.ledger, rich, now(chain)));
    expect(refusalMessage(refusal)).toBe(
      "State check failed. Reason: NotActivated(Version 3 of TransferTransaction (tx type 4) has not been activated yet)",
    );
    chain.key("miner");
    expect(admitToPool(chain.ledger, rich, now(chain))).not.toBeInstanceOf(Refusal);
    const late = {
      ...poolContext(chain.ledger, chain.rules, BigInt(chain.timeOf(2) - 5_400_001)),
      verdicts: () => true,
    };
    const dated = chain.transaction({ ...transfer, fee: "200000000", timestamp: chain.timeOf(2) });
    expect(refusalMessage(refusedAs(admitToPool(chain.ledger, dated, late)))).toBe(
      `Transaction ts ${chain.timeOf(2)} is from far future. BlockTime: ${chain.timeOf(2) - 5_400_001}`,
    );
  });

  test("requests get two additional checks", () => {
    const chain = new SmallChain();
    const transactions = new Map<string, { height: number; position: number; transaction: Transaction }>();
    const reader: MemoryLedger & Parameters<typeof checkRequest>[0] = Object.assign(chain.ledger, {
      transaction: (id: Uint8Array) => transactions.get(encodeBase58(id)),
    });
    const revoke = chain.transaction({ type: "revokeAssociation", recipient: "bob", assocType: "1" });
    expect(checkRequest(reader, revoke)).toMatchObject({
      args: ["The association doesn't exist"],
      isWrapped: false,
    });
    const applied = chain.key("miner", [
      { type: "issueAssociation", recipient: "bob", assocType: "1" },
      { type: "lease", ref: "L", recipient: "bob", amount: "5" },
    ]);
    for (const [position, { id, transaction }] of applied.entries())
      transactions.set(encodeBase58(id), { height: 2, position, transaction });
    expect(checkRequest(reader, revoke)).toBeUndefined();
    const other = chain.transaction({
      type: "revokeAssociation",
      recipient: "bob",
      assocType: "1",
      subject: "00",
    });
    expect(checkRequest(reader, other)).toBeDefined();
    const cancel = chain.transaction({ type: "cancelLease", leaseId: "L" });
    expect(checkRequest(reader, cancel)).toBeUndefined();
    chain.tryKey("miner", [cancel]);
    expect(checkRequest(reader, cancel)).toMatchObject({
      args: ["The lease is not active"],
      isWrapped: false,
    });
    expect(checkRequest(reader, chain.transaction(transfer))).toBeUndefined();
  });
});

describe("scripts", () => {
  test("a refusal carries the script and what it evaluated", () => {
    const chain = new SmallChain();
    chain.key("miner", [{ type: "setScript", script: "FALSE" }]);
    const refusal = refusedAs(
      validateTransaction(chain.ledger, chain.transaction(transfer), contextOf(chain)),
    );
    expect(refusal.kind).toBe("TransactionNotAllowedByScript");
    expect(refusal.script?.script).toBe("FALSE");
    expect(refusal.script?.vars).toEqual([]);
    expect(refusalMessage(refusal)).toBe("Transaction not allowed by account-script");
  });

  test("a sponsor must sign although the sender's script needs no signature", () => {
    const chain = new SmallChain();
    chain.key("miner", [{ type: "setScript", script: "TRUE" }]);
    const sponsored = chain.transaction({ ...transfer, sponsor: "carol" });
    const context = contextOf(chain, { verdicts: () => false });
    expect(refusedAs(validateTransaction(chain.ledger, sponsored, context)).args[0]).toMatch(
      new RegExp(`^Proof doesn't validate as signature of ${addressText(chain.world.address("carol"))} for `),
    );
  });
});

test("error messages", () => {
  expect(errorMessage({ kind: "NegativeAmount", args: [-1n, "lto"] })).toBe("negative amount: -1 of lto");
  expect(errorMessage({ kind: "UnsupportedVersion", args: [5] })).toBe("UnsupportedVersion(5)");
  expect(errorMessage({ kind: "TooBigArray", args: [] })).toBe("Too big sequences requested");
  expect(errorMessage(refuse("AlreadyInTheState", "id", 0))).toBe(
    "Transaction id is already in the state on a height of 0",
  );
  expect(errorMessage(refuse("AccountBalanceError", "one", "two"))).toBe("one, two");
  expect(errorMessage(refuse("ScriptExecutionError", "/ by zero"))).toBe(
    "Error while executing account-script: / by zero",
  );
  expect(errorMessage(refuse("SenderIsBlacklisted", "3N"))).toBe("SenderIsBlacklisted(3N)");
});
