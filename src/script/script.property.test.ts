import { expect, it } from "vitest";
import { soakScripts } from "../../test/support/script-soak.ts";

/** Run `npm run soak:script -- --times 100000` for more cases with a new seed. */
const times = Number(process.env.SOAK_TIMES ?? 1_000);
const seed = Number(process.env.SOAK_SEED ?? 20_040);

it(
  `round-trips ${times} random scripts and runs them in linear time with no errors but the protocol's`,
  () => {
    const counts = soakScripts(times, seed);
    // Each outcome must be frequent, except scripts over a limit.
    expect(counts.get("over a limit") ?? 0).toBeLessThan(times / 10);
    for (const outcome of ["allowed", "refused", "error", "exception"] as const) {
      expect(counts.get(outcome), outcome).toBeGreaterThan(times / 20);
    }
  },
  60_000 + times * 100,
);
