import { describe, expect, test } from "vitest";
import { bytesKey } from "../bytes/compare.ts";
import type { Transaction } from "../transactions/index.ts";
import { type AssociationReader, associationsOf } from "./associations.ts";
import type { AssociationDirection } from "./state.ts";
import { type Draft, SmallChain } from "./testing/small-chain.ts";

const issue = (more: Partial<Draft> = {}): Draft => ({
  type: "issueAssociation",
  recipient: "bob",
  assocType: "1",
  ...more,
});
const revoke = (more: Partial<Draft> = {}): Draft => ({ ...issue(more), type: "revokeAssociation" });

/** A chain that keeps its transactions for the fold. */
class AssociationChain extends SmallChain {
  readonly #found = new Map<string, ReturnType<AssociationReader["transaction"]>>();
  #position = 0;

  keyBlock(drafts: readonly Draft[]): void {
    this.#position = 0;
    for (const { id, transaction } of this.key("miner", drafts)) this.#remember(id, transaction);
  }

  microBlock(drafts: readonly Draft[]): void {
    for (const { id, transaction } of this.micro(drafts)) this.#remember(id, transaction);
  }

  outgoing(name = "alice") {
    return this.of(name, "outgoing");
  }

  of(name: string, direction: AssociationDirection) {
    const reader: AssociationReader = Object.assign(this.ledger, {
      transaction: (id: Uint8Array) => this.#found.get(bytesKey(id)),
    });
    return associationsOf(reader, this.world.address(name), direction);
  }

  #remember(id: Uint8Array, transaction: Transaction): void {
    this.#found.set(bytesKey(id), { height: this.ledger.height, position: this.#position++, transaction });
  }
}

describe("associations of the liquid block", () => {
  test("are dated one millisecond after the last persisted block, then like their block", () => {
    const chain = new AssociationChain();
    chain.keyBlock([issue()]);
    expect(chain.outgoing().map(({ timestamp }) => timestamp)).toEqual([BigInt(chain.timeOf(1)) + 1n]);
    chain.keyBlock([]);
    expect(chain.outgoing().map(({ timestamp }) => timestamp)).toEqual([BigInt(chain.timeOf(2))]);
  });

  test("end those in force, issues first in any order", () => {
    const chain = new AssociationChain();
    chain.keyBlock([issue()]);
    chain.keyBlock([revoke()]);
    expect(chain.outgoing()).toEqual([]);
    chain.microBlock([issue()]);
    expect(chain.outgoing()).toEqual([]);
    chain.keyBlock([issue()]);
    expect(chain.outgoing()).toHaveLength(1);
  });

  test("do not make others expire: only persisted blocks do", () => {
    const chain = new AssociationChain();
    chain.keyBlock([issue({ version: 4, expires: chain.timeOf(2) + 1 })]);
    chain.keyBlock([]);
    chain.microBlock([issue({ assocType: "2" })]);
    // The liquid block's time equals the expiry, yet the older association stays.
    expect(chain.outgoing().map(({ type }) => type)).toEqual([1n, 2n]);
    chain.keyBlock([]);
    expect(chain.outgoing().map(({ type }) => type)).toEqual([2n]);
  });

  test("that have expired already remove the one in force", () => {
    const chain = new AssociationChain();
    chain.keyBlock([issue({ version: 4 })]);
    chain.keyBlock([]);
    // The expiry is compared with the last persisted time plus one, inclusive.
    const saved = chain.ledger.save();
    chain.microBlock([issue({ version: 4, expires: chain.timeOf(2) + 1 })]);
    expect(chain.outgoing()).toEqual([]);
    chain.ledger.restore(saved);
    chain.microBlock([issue({ version: 4, expires: chain.timeOf(2) + 2 })]);
    expect(chain.outgoing().map(({ expires }) => expires)).toEqual([BigInt(chain.timeOf(2) + 2)]);
  });
});

describe("incoming associations of equal type and subject", () => {
  test("from several senders count as one: the last of its block", () => {
    const balance = "100000000000";
    const chain = new AssociationChain({ balances: { alice: balance, carol: balance, miner: balance } });
    const senders = ["alice", "carol", "miner", "alice", "carol", "miner", "carol"];
    chain.keyBlock(senders.map((sender) => issue({ sender })));
    chain.keyBlock([]);
    expect(chain.of("bob", "incoming").map(({ sender }) => sender)).toEqual([chain.world.address("carol")]);
    expect(chain.outgoing("alice")).toHaveLength(1);
  });
});

test("start at the transaction since which they are continuously in force", () => {
  const chain = new AssociationChain();
  chain.keyBlock([issue({ assocType: "7" }), issue()]);
  chain.keyBlock([issue({ assocType: "7" })]);
  chain.keyBlock([revoke()]);
  chain.keyBlock([issue(), issue({ assocType: "8" })]);
  const places = chain.outgoing().map(({ type, height, position }) => [type, height, position]);
  expect(places).toEqual([
    [7n, 2, 0],
    [1n, 5, 0],
    [8n, 5, 1],
  ]);
});
