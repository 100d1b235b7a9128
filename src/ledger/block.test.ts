import { describe, expect, test } from "vitest";
import { INT64_MAX, INT64_MIN } from "../bytes/int64.ts";
import type { AppliedTransaction } from "./block.ts";
import { MAX_BLOCK_SIZE } from "./limits.ts";
import { persistBlock } from "./persist.ts";
import { Refusal } from "./refusal.ts";
import { isScripted } from "./scripts/counts-as-scripted.ts";
import { type Draft, SmallChain } from "./testing/small-chain.ts";

const anchor: Draft = { type: "anchor", anchors: [] };
const many = (count: number, draft: Draft): Draft[] => new Array<Draft>(count).fill(draft);

function refusal(result: readonly AppliedTransaction[] | Refusal): Refusal {
  if (!(result instanceof Refusal)) throw new Error("it was accepted");
  return result;
}

describe("limits of a block", () => {
  test("100 script runs fit, 101 do not, counted over micro blocks", () => {
    const chain = new SmallChain();
    chain.key("miner", [{ type: "setScript", script: "TRUE" }]);
    chain.key("miner", many(60, anchor));
    chain.micro(many(40, anchor));
    const saved = chain.ledger.save();
    const over = refusal(chain.tryMicro([chain.transaction(anchor)]));
    expect(over.kind).toBe("GenericError");
    expect(over.args[0]).toMatch(/^Limit of txs was reached: /);
    expect(over.isWrapped).toBe(false);
    chain.ledger.restore(saved);
    chain.key("miner", many(100, anchor));
    const next = chain.ledger.save();
    expect(
      refusal(
        chain.tryKey(
          "miner",
          many(101, anchor).map((draft) => chain.transaction(draft)),
        ),
      ).isWrapped,
    ).toBe(false);
    chain.ledger.restore(next);
  });

  test("there is no limit of script runs before SmartAccounts", () => {
    const chain = new SmallChain({ features: { 13: 0 } });
    chain.key("miner", [{ type: "setScript", version: 1, script: "TRUE", fee: "200000000" }]);
    chain.key(
      "miner",
      many(101, { type: "anchor", version: 1, anchors: ["00".repeat(32)], fee: "200000000" }),
    );
    expect(chain.ledger.blockTotals(3)?.scriptsLeft).toBeUndefined();
  });

  test("a micro block takes at most as many transactions as the setting allows", () => {
    const chain = new SmallChain({ maxTransactionsInMicroBlock: 3 });
    chain.key("miner", many(4, anchor));
    chain.micro(many(3, anchor));
    const over = refusal(chain.tryMicro(many(4, anchor).map((draft) => chain.transaction(draft))));
    expect(over.args[0]).toMatch(/^Limit of txs was reached: /);
  });

  test("exactly one mebibyte fits", () => {
    const chain = new SmallChain();
    const value = "a".repeat(1024);
    const data = Array.from({ length: 8 }, (_, i) => ({ key: `k${i}`, type: "string" as const, value }));
    const large: Draft = { type: "data", data };
    chain.key("miner", [large]);
    const size = MAX_BLOCK_SIZE - (chain.ledger.blockTotals(2)?.sizeLeft ?? 0);
    const count = Math.floor(MAX_BLOCK_SIZE / size);
    chain.key("miner", many(count, large));
    const left = chain.ledger.blockTotals(3)?.sizeLeft ?? 0;
    // One entry less, shortened to the remaining size.
    const fill = (bytes: number): Draft => {
      const rest = [...data];
      let surplus = size - bytes;
      while (surplus > 0) {
        const last = rest.pop();
        if (last === undefined) throw new Error("nothing left to shorten");
        const entry = 7 + last.value.length;
        if (surplus < last.value.length) {
          rest.push({ ...last, value: last.value.slice(surplus) });
          surplus = 0;
        } else surplus -= entry;
      }
      if (surplus < 0) rest[0] = { ...rest[0], key: `${rest[0].key}${"x".repeat(-surplus)}` };
      return { ...large, data: rest };
    };
    const saved = chain.ledger.save();
    expect(refusal(chain.tryMicro([chain.transaction(fill(left + 1))])).args[0]).toMatch(/^Limit of txs/);
    chain.ledger.restore(saved);
    chain.micro([fill(left)]);
    expect(chain.ledger.blockTotals(3)?.sizeLeft).toBe(0);
  });
});

test("script runs are limited from two blocks after SmartAccounts, while parents are liquid", () => {
  const chain = new SmallChain({ features: { 4: 3 } });
  const limits: (number | undefined)[] = [];
  for (let height = 2; height <= 6; height++) {
    chain.key("miner");
    limits.push(chain.ledger.blockTotals(height)?.scriptsLeft);
  }
  expect(limits).toEqual([undefined, undefined, undefined, 100, 100]);
});

test("a generator's income beyond 64 bits leaves the lowest value for that block", () => {
  const chain = new SmallChain({
    balances: { alice: "1000000000000000", rich: String(INT64_MAX - 1n) },
    settings: { miningReward: "0" },
  });
  chain.key("rich", [anchor, anchor]);
  expect(chain.balance("rich")).toBe(INT64_MIN);
  chain.micro([anchor]);
  expect(chain.balance("rich")).toBe(INT64_MIN);
  // From the next block on it is a normal balance: three closing parts.
  chain.key("rich");
  expect(chain.balance("rich")).toBe(INT64_MIN + 22_500_000n);
  chain.micro([anchor]);
  expect(chain.balance("rich")).toBe(INT64_MIN + 27_500_000n);
});

test("data transactions have a size limit from Cobalt Alloy on", () => {
  const data = Array.from({ length: 10 }, (_, i) => ({
    key: `k${i}`,
    type: "string" as const,
    value: "a".repeat(i < 9 ? 1024 : 950),
  }));
  const old = new SmallChain({ features: { 13: 0 } });
  old.key("miner", [{ type: "data", version: 1, data }]);
  const chain = new SmallChain();
  const over = refusal(chain.tryKey("miner", [chain.transaction({ type: "data", data })]));
  expect(over.args).toEqual(["Max bytes of 10240 reached"]);
});

describe("counting as scripted", () => {
  test("a removal in the liquid block counts until the block is persisted", () => {
    const chain = new SmallChain();
    const alice = chain.world.address("alice");
    chain.key("miner", [{ type: "setScript", script: "TRUE" }]);
    chain.key("miner");
    chain.micro([{ type: "setScript", script: null }]);
    expect(isScripted(chain.ledger, alice)).toBe(true);
    const before = chain.ledger.blockTotals(3)?.scriptsLeft;
    chain.micro([anchor]);
    expect(chain.ledger.blockTotals(3)?.scriptsLeft).toBe((before ?? 0) - 1);
    chain.key("miner", [anchor]);
    expect(isScripted(chain.ledger, alice)).toBe(false);
    expect(chain.ledger.blockTotals(4)?.scriptsLeft).toBe(100);
  });

  test("within the micro block of the removal the exact state counts", () => {
    const chain = new SmallChain();
    chain.key("miner", [{ type: "setScript", script: "TRUE" }]);
    chain.key("miner");
    chain.micro([{ type: "setScript", script: null }, anchor]);
    expect(chain.ledger.blockTotals(3)?.scriptsLeft).toBe(99);
  });

  test("a removal of an earlier block does not count", () => {
    const chain = new SmallChain();
    chain.key("miner", [{ type: "setScript", script: null }]);
    chain.key("miner");
    chain.micro([anchor]);
    expect(chain.ledger.blockTotals(3)?.scriptsLeft).toBe(100);
  });

  test("a SetScript without a script counts too", () => {
    const chain = new SmallChain();
    chain.key("miner", [{ type: "setScript", script: null }]);
    expect(isScripted(chain.ledger, chain.world.address("alice"))).toBe(true);
    persistBlock(chain.ledger, chain.rules);
    expect(isScripted(chain.ledger, chain.world.address("alice"))).toBe(false);
  });
});

describe("effects of the child", () => {
  test("a release is visible to micro blocks on the child, not to the child's transactions", () => {
    const chain = new SmallChain({ settings: { leaseUnbondingPeriod: 1 } });
    const unbonding = () => chain.ledger.account(chain.world.address("alice")).unbonding;
    chain.key("miner", [{ type: "lease", ref: "L", recipient: "bob", amount: "500" }]);
    chain.key("miner", [{ type: "cancelLease", leaseId: "L" }]);
    expect(unbonding()).toBe(500n);
    chain.key("miner");
    expect(unbonding()).toBe(500n);
    chain.key("miner");
    expect(unbonding()).toBe(0n);
    expect(chain.ledger.persistedHeight).toBe(4);
    expect(chain.ledger.height).toBe(5);
  });

  test("throws if every block is persisted", () => {
    const chain = new SmallChain();
    persistBlock(chain.ledger, chain.rules);
    expect(() => persistBlock(chain.ledger, chain.rules)).toThrow(RangeError);
    expect(() => chain.tryMicro([])).toThrow(RangeError);
  });

  test("the closing part follows a price decided by the arrival of the block itself", () => {
    // With periods of one block, persisting block 3 decides the price of height 4: when block 4 arrives.
    const chain = new SmallChain({ settings: { feeVoteBlocksPeriod: 1, blocksForFeeChange: 1 } });
    chain.key("miner");
    chain.key("miner");
    chain.ledger.setFeePriceOfPeriod(4, 100_000n);
    const saved = chain.ledger.save();
    chain.key("opener", [{ ...anchor, sender: "alice" }]);
    const plain = chain.ledger.blockTotals(4);
    chain.ledger.restore(saved);
    chain.ledger.setFeePriceOfPeriod(3, 200_000n);
    chain.key("opener", [{ ...anchor, sender: "alice" }]);
    const doubled = chain.ledger.blockTotals(4);
    expect(doubled?.fees).toBe(plain?.fees);
    expect(doubled?.closing).toBe(2n * (plain?.closing ?? 0n));
  });
});

test("the generator is paid in the protocol's order", () => {
  const chain = new SmallChain({ settings: { miningReward: "700" } });
  chain.key("first", [{ type: "burn", amount: "100000" }]);
  // A fee of 1 token: half burned, a fifth to the opener, the rest to the closer.
  expect(chain.balance("first")).toBe(20_000_000n);
  const applied = chain.key("second", [{ type: "anchor", anchors: [], sponsor: "second", fee: "25000000" }]);
  expect(applied[0].effectiveSponsor).toEqual(chain.world.address("second"));
  expect(applied[0].effectiveFee).toBe(25_000_000n);
  expect(chain.balance("second")).toBe(30_000_000n + 700n - 25_000_000n + 5_000_000n);
  expect(chain.ledger.blockTotals(3)).toMatchObject({
    miningReward: 700n,
    generatorReward: 30_000_700n + 5_000_000n,
    fees: 25_000_000n,
    burnedFees: 12_500_000n,
    closing: 7_500_000n,
    burned: 50_100_000n - 700n + 12_500_000n,
  });
});

test("applying reports each transaction", () => {
  const chain = new SmallChain({ balances: { alice: "1000000000000", carol: "1000000000000" } });
  chain.key("miner", [{ type: "sponsorship", sender: "carol", recipient: "alice" }]);
  const [paid, cancel] = chain.key("miner", [
    { type: "transfer", recipient: "bob", amount: "5" },
    { type: "cancelSponsorship", sender: "carol", recipient: "alice" },
  ]);
  expect(paid.addresses).toEqual([chain.world.address("alice"), chain.world.address("bob")]);
  expect(paid.effectiveSponsor).toEqual(chain.world.address("carol"));
  expect(paid.position).toBe(0);
  expect(cancel.addresses).toEqual([]);
  expect(cancel.effectiveSponsor).toBeUndefined();
  expect(cancel.position).toBe(1);
});
