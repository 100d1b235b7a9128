import { expect, it } from "vitest";
import { soakScripts } from "../../test/support/script-soak.ts";

/** Run `npm run soak:script -- --times 100000` for more cases with a new seed. */
const times = Number(process.env.SOAK_TIMES ?? 1_000);
const seed = Number(process.env.SOAK_SEED ?? 20_040);

it(
  `holds for ${times} random scripts: same bytes, only the protocol's errors, work linear in nodes`,
  () => {
    const counts = soakScripts(times, seed);
    // All outcomes must occur often.
    expect(counts.get("over a limit") ?? 0).toBeLessThan(times / 10);
    for (const outcome of ["allowed", "refused", "error", "exception"] as const) {
      expect(counts.get(outcome), outcome).toBeGreaterThan(times / 20);
    }
  },
  60_000 + times * 100,
);
