import fc from "fast-check";
import { expect, it } from "vitest";
import { checkScripts } from "../../test/support/script-properties.ts";
import { transactionArbitrary } from "../transactions/arbitrary.ts";
import { bodyBytes, transactionId } from "../transactions/index.ts";

const network = { chainId: 0x54, payment: true };

it("holds for 2,000 random scripts: same bytes, only the protocol's errors, work linear in nodes", () => {
  let compiled = 0;
  fc.assert(
    fc.property(
      fc.integer(),
      transactionArbitrary({ network }),
      fc.nat(2 ** 31 - 1),
      (seed, transaction, height) => {
        const view = { transaction, id: transactionId(transaction), bodyBytes: bodyBytes(transaction) };
        const environment = { transaction: view, height, chainId: network.chainId };
        if (checkScripts(seed, environment) === "compiled") compiled++;
      },
    ),
    { seed: 20_040, numRuns: 2_000 },
  );
  // The generator would prove little if its programs were refused.
  expect(compiled).toBeGreaterThan(1_800);
});
