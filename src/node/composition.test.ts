import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { keccak256 } from "../crypto/hashes.ts";
import { dev } from "../profiles/index.ts";
import { settingsOf } from "../testing/settings.ts";
import { openNodeStore } from "./composition.ts";

vi.mock("@noble/hashes/sha3.js", async (original) => ({
  ...(await original<typeof import("@noble/hashes/sha3.js")>()),
  keccak_256: () => {
    throw new Error("WebAssembly is not loaded");
  },
}));

test("a thread with an open store runs account scripts at full speed", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "holdfast-store-"));
  const store = await openNodeStore(settingsOf(dev, { dataDir }));
  expect(Buffer.from(keccak256(new Uint8Array(0))).toString("hex")).toMatch(/^c5d2460186f7/);
  await store.close();
  rmSync(dataDir, { recursive: true, force: true });
});
