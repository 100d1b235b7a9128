import { bytesKey } from "../../bytes/compare.ts";
import type { AssociationReader } from "../../ledger/associations.ts";
import { ScenarioWorld } from "../../ledger/testing/scenario-world.ts";
import {
  type AssociationTerms,
  definitionOf,
  type Transaction,
  transactionBytes,
  transactionId,
} from "../../transactions/index.ts";
import { PERSIST_SEQUENCE } from "../batch/write-batch.ts";
import { StoredLedger } from "../ledger/ledger-state.ts";
import { StoredLedgerView } from "../ledger/ledger-view.ts";
import type { UnitKey } from "../places.ts";
import type { Store } from "../store.ts";
import { tables } from "../tables.ts";
import { bodyOf } from "../values/chain.ts";

export const world = new ScenarioWorld({}, {});
const START = 1_000n;
export const senders = ["alice", "carol"];

/** Variants of association terms. A missing member is missing in the transaction too. */
const keys = [
  { version: 1, assocType: "1", subject: "" },
  { version: 1, assocType: "1" },
  { version: 4, assocType: "1" },
  { version: 4, assocType: "2" },
  { version: 4, assocType: "1", subject: "aa" },
  { version: 4, assocType: "1", subject: "aa", recipient: "carol" },
];
/** Expiry times: some are before the chain begins, others while it grows. */
const expiries = [undefined, 1, 1_001, 1_002, 1_003, 1_006, 1_010, 1_020];

/** They are few, so that an id can be on a chain several times. */
export const transactions: readonly Transaction[] = senders.flatMap((sender) =>
  keys.flatMap((key) => {
    const common = { recipient: "bob", sender, fee: "1", timestamp: 1, proofs: ["garbage"], ...key };
    const issues = key.version === 1 ? [undefined] : expiries;
    return [
      ...issues.map((expires) =>
        world.transaction({
          ...common,
          ref: "#",
          type: "issueAssociation",
          ...(expires === undefined ? {} : { expires }),
        }),
      ),
      world.transaction({ ...common, ref: "#", type: "revokeAssociation" }),
    ];
  }),
);

/** A step of the chain. `events` are indexes into `transactions`. */
export type ChainStep =
  | { readonly at: "key"; readonly events: readonly number[]; readonly later: number }
  | { readonly at: "micro"; readonly events: readonly number[] }
  | { readonly at: "persist" }
  | { readonly at: "undo"; readonly units: number };

interface Unit extends UnitKey {
  readonly transactions: readonly Transaction[];
}

/** A chain with only association transactions, in a store with a journal. */
export class AssociationChain {
  readonly store: Store;
  readonly #units: Unit[] = [];

  constructor(store: Store) {
    this.store = store;
  }

  get units(): readonly UnitKey[] {
    return this.#units;
  }

  run(change: ChainStep): void {
    const view = new StoredLedgerView(this.store);
    const { height, persistedHeight } = view;
    const isLiquid = height > persistedHeight;
    switch (change.at) {
      case "key": {
        const time = (view.blockFacts(height)?.timestamp ?? START) + 1n + BigInt(change.later);
        this.#append({ height: height + 1, sequence: 0 }, change.events, time);
        return;
      }
      case "micro": {
        if (isLiquid)
          this.#append({ height, sequence: (this.#units.at(-1)?.sequence ?? 0) + 1 }, change.events);
        return;
      }
      case "persist":
        if (isLiquid) this.#append({ height, sequence: PERSIST_SEQUENCE }, []);
        return;
      case "undo":
        for (const unit of this.#units.splice(Math.max(0, this.#units.length - change.units)).reverse())
          this.store.write((batch) => batch.undoUnit(unit));
    }
  }

  #append(unit: UnitKey, chosen: readonly number[], time?: bigint): void {
    const sent = chosen.map((index) => transactions[index]);
    this.#units.push({ ...unit, transactions: sent });
    this.store.write((batch) => {
      batch.beginUnit(unit);
      const ledger = new StoredLedger(batch);
      if (unit.sequence === PERSIST_SEQUENCE) ledger.setPersistedHeight(unit.height);
      if (time !== undefined) {
        const facts = { timestamp: time, generator: world.address("miner"), features: [], feeVote: 0 };
        ledger.setPersistedHeight(unit.height - 1);
        ledger.beginBlock(unit.height, facts);
      }
      for (const transaction of sent) {
        const { revokes, terms } = associationOf(transaction);
        const id = transactionId(transaction);
        ledger.appendAssociation({ sender: transaction.senderAddress, id, terms, revokes });
        ledger.recordTransaction(id, transaction.timestamp, undefined);
      }
      ledger.flush(unit.sequence);
      if (sent.length > 0) batch.insert(tables.bodies, unit, bodyOf(sent.map(transactionBytes)));
      batch.endUnit();
    });
  }

  /** Reads the chain to fold its associations. */
  get reader(): AssociationReader & StoredLedgerView {
    const found = new Map<string, ReturnType<AssociationReader["transaction"]>>();
    const positions = new Map<number, number>();
    for (const { height, transactions } of this.#units)
      for (const transaction of transactions) {
        const position = positions.get(height) ?? 0;
        positions.set(height, position + 1);
        found.set(bytesKey(transactionId(transaction)), { height, position, transaction });
      }
    return Object.assign(new StoredLedgerView(this.store), {
      transaction: (id: Uint8Array) => found.get(bytesKey(id)),
    });
  }
}

export function associationOf(transaction: Transaction): { revokes: boolean; terms: AssociationTerms } {
  const { association } = definitionOf(transaction);
  if (association === undefined) throw new RangeError("This is not an association");
  return { revokes: association.revokes, terms: association.terms(transaction) };
}
