import { expect, it } from "vitest";
import { soakScripts } from "../../test/support/script-soak.ts";

it("holds for 2,000 random scripts: same bytes, only the protocol's errors, work linear in nodes", () => {
  const counts = soakScripts(2_000, 20_040);
  // The cases would prove little if the programs were refused, or all ended alike.
  expect(counts.get("over a limit") ?? 0).toBeLessThan(200);
  for (const outcome of ["allowed", "refused", "error", "exception"] as const) {
    expect(counts.get(outcome), outcome).toBeGreaterThan(100);
  }
});
