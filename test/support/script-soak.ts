/** Checks the properties of scripts for many random cases. */
import fc from "fast-check";
import { scriptView } from "../../src/transactions/index.ts";
import { transactionArbitrary } from "../../src/transactions/testing/arbitrary.ts";
import { type CaseOutcome, checkScripts } from "./script-properties.ts";

const network = { chainId: 0x54, payment: true };

/** Checks `cases` random cases and counts the outcomes of their programs. Throws at the first failure. */
export function soakScripts(cases: number, seed: number): ReadonlyMap<CaseOutcome, number> {
  const counts = new Map<CaseOutcome, number>();
  fc.assert(
    fc.property(
      fc.integer(),
      transactionArbitrary({ network }),
      fc.nat(2 ** 31 - 1),
      (programSeed, transaction, height) => {
        const environment = { transaction: scriptView(transaction), height, chainId: network.chainId };
        const outcome = checkScripts(programSeed, environment);
        counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
      },
    ),
    { seed, numRuns: cases },
  );
  return counts;
}
