import { expect, test, vi } from "vitest";
import { controlFailure } from "../../api/refusals.ts";
import { encodeUtf8 } from "../../bytes/utf8.ts";
import { createNode } from "../../node.ts";
import { dev } from "../../profiles/index.ts";
import { memoryStore } from "../../storage/memory-store.ts";
import { RecordingLog } from "../../testing/dev-node.ts";
import { settingsOf } from "../../testing/settings.ts";
import { simulatedEnvironment } from "../../testing/simulated-environment.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { WalletFileError } from "../../wallet/errors.ts";
import { KeyWallet } from "../../wallet/key-wallet.ts";

test("a wallet that cannot be written is unchanged, and the caller gets an error", async () => {
  let full = false;
  const data = { seed: encodeUtf8("root"), accountSeeds: [], nonce: 0 };
  const wallet = new KeyWallet(data, dev.chainId, async () => {
    if (full) throw new WalletFileError("wallet.bin", "it cannot be written: ENOSPC");
  });
  const log = new RecordingLog();
  const environment = simulatedEnvironment({ clock: new VirtualClock(0), wallet, store: memoryStore(), log });
  const { control } = createNode(environment, settingsOf(dev));
  const made = await control.wallet.createAccount();
  if (!made.ok) throw new Error("not made");
  full = true;
  for (const outcome of [
    await control.wallet.createAccount(),
    await control.wallet.deleteAccount(made.value),
  ]) {
    if (outcome.ok) throw new Error("done all the same");
    const { status, body } = controlFailure(outcome.error);
    expect(status).toBe(503);
    expect(body.message).toBe("node cannot write to its disk");
  }
  expect(log.lines).toMatchObject([
    { level: "info", message: "Account added to the wallet", facts: { address: made.value } },
    { level: "error", message: "Cannot write the wallet: it is unchanged" },
    { facts: { reason: "Wallet file wallet.bin: it cannot be written: ENOSPC" } },
  ]);
  expect((await control.wallet.accounts()).map(({ address }) => address)).toEqual([made.value]);
  full = false;
  expect(await control.wallet.createAccount()).toMatchObject({ ok: true });
});

test("a change of the wallet is dropped after its deadline", async () => {
  const saves: (() => void)[] = [];
  const data = { seed: encodeUtf8("root"), accountSeeds: [], nonce: 0 };
  const wallet = new KeyWallet(data, dev.chainId, () => new Promise((resolve) => saves.push(resolve)));
  const clock = new VirtualClock(0);
  const { control } = createNode(
    simulatedEnvironment({ clock, wallet, store: memoryStore() }),
    settingsOf(dev),
  );
  const first = control.wallet.createAccount(20);
  const late = [control.wallet.createAccount(20), control.wallet.deleteAccount(new Uint8Array(26), 20)];
  await vi.waitFor(() => expect(saves).toHaveLength(1));
  clock.advance(20);
  saves[0]?.();
  // A change that has begun is completed.
  expect(await first).toMatchObject({ ok: true });
  const error = { kind: "late" };
  expect(await Promise.all(late)).toEqual([
    { ok: false, error },
    { ok: false, error },
  ]);
  expect(saves.length).toBe(1);
  expect((await control.wallet.accounts()).length).toBe(1);
});
