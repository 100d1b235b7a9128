/** Compares the row of an association with the fold of all transactions of its sender. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { bytesKey } from "../../bytes/compare.ts";
import { associationsOf, isAssociated } from "../../ledger/associations.ts";
import type { AssociationTerms } from "../../transactions/index.ts";
import { memoryStore } from "../memory-store.ts";
import { tables } from "../tables.ts";
import {
  AssociationChain,
  associationOf,
  senders,
  transactions,
  world,
} from "../testing/association-chain.ts";

const events = fc.array(fc.nat(transactions.length - 1), { maxLength: 5 });
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ at: fc.constant("key" as const), events, later: fc.nat(3) }) },
  { weight: 3, arbitrary: fc.record({ at: fc.constant("micro" as const), events }) },
  { weight: 1, arbitrary: fc.record({ at: fc.constant("persist" as const) }) },
  { weight: 1, arbitrary: fc.record({ at: fc.constant("undo" as const), units: fc.nat(6) }) },
);

function isSame(a: AssociationTerms, b: AssociationTerms): boolean {
  const text = ({ associationType, recipient, subject }: AssociationTerms) =>
    `${associationType} ${bytesKey(recipient)} ${subject && bytesKey(subject)}`;
  return text(a) === text(b);
}

test("the row of an association agrees with the fold of all transactions of its sender", () => {
  let inForce = 0;
  fc.assert(
    fc.property(fc.array(step, { minLength: 8, maxLength: 30 }), (steps) => {
      const chain = new AssociationChain(memoryStore());
      for (const change of steps) {
        chain.run(change);
        const { reader } = chain;
        for (const name of senders) {
          const sender = world.address(name);
          const folded = associationsOf(reader, sender, "outgoing");
          for (const transaction of transactions) {
            const { terms } = associationOf(transaction);
            const expected = folded.some(({ type, ...one }) =>
              isSame({ associationType: type, ...one }, terms),
            );
            if (expected) inForce++;
            expect(isAssociated(reader, sender, terms)).toBe(expected);
          }
        }
      }
      while ([...chain.store.range(tables.journal)].length > 0) chain.run({ at: "undo", units: 6 });
      expect([...chain.store.range(tables.associationStates)]).toEqual([]);
    }),
    { seed: 20, numRuns: 25 },
  );
  expect(inForce).toBeGreaterThan(500);
});
