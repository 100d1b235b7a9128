import { expect, test } from "vitest";
import { controlFailure } from "../api/http/errors.ts";
import { encodeUtf8 } from "../bytes/utf8.ts";
import { createNode } from "../node.ts";
import { dev } from "../profiles/index.ts";
import { memoryStore } from "../storage/memory-store.ts";
import { RecordingLog } from "../testing/dev-node.ts";
import { settingsOf } from "../testing/settings.ts";
import { simulatedWorld } from "../testing/simulated-world.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { WalletFileError } from "../wallet/errors.ts";
import { KeyWallet } from "../wallet/key-wallet.ts";

test("a wallet that cannot be written stays as it is, and whoever asked is told so", async () => {
  let full = false;
  const data = { seed: encodeUtf8("root"), accountSeeds: [], nonce: 0 };
  const wallet = new KeyWallet(data, dev.chainId, async () => {
    if (full) throw new WalletFileError("wallet.bin", "it cannot be written: ENOSPC");
  });
  const log = new RecordingLog();
  const world = simulatedWorld({ clock: new VirtualClock(0), wallet, store: memoryStore(), log });
  const { control } = createNode(world, settingsOf(dev));
  const made = await control.createAccount();
  if (!made.ok) throw new Error("not made");
  full = true;
  for (const outcome of [await control.createAccount(), await control.deleteAccount(made.value)]) {
    if (outcome.ok) throw new Error("done all the same");
    const { status, body } = controlFailure(outcome.failure, dev);
    expect([status, body.message]).toEqual([503, "node cannot write to its disk"]);
  }
  expect(log.lines).toMatchObject([
    { level: "error", message: "The wallet stays as it was" },
    { facts: { reason: "Wallet file wallet.bin: it cannot be written: ENOSPC" } },
  ]);
  expect((await control.walletAccounts()).map(({ address }) => address)).toEqual([made.value]);
  full = false;
  expect(await control.createAccount()).toMatchObject({ ok: true });
});
